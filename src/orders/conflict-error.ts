/**
 * Thrown when another process polls the server now, or has changed the server's record. This process stops its work and leaves
 * the server to the other process.
 */
export class ConflictError extends Error {
  readonly code = "conflict";

  constructor() {
    super("another process polls now, or has changed the server's record");
    this.name = "ConflictError";
  }
}
