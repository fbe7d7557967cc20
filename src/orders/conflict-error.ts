/** Another process polls now, or has changed the server's record. The work under way is left to that process. */
export class ConflictError extends Error {
  readonly code = "conflict";

  constructor() {
    super("another process polls now, or has changed the server's record");
    this.name = "ConflictError";
  }
}
