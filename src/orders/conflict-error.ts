/**
 * Thrown when this process may not record its work: another process polls the server now, or has changed the server's record
 * or a row.
 */
export class ConflictError extends Error {
  readonly code = "conflict";

  constructor() {
    super("another process polls now, or has changed the server's record");
    this.name = "ConflictError";
  }
}
