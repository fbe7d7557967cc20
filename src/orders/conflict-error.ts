/** Another process polls now, or has changed what was polled for: whatever was under way is its business. */
export class ConflictError extends Error {
  readonly code = "conflict";

  constructor() {
    super("another process polls now, or has changed the server's record");
    this.name = "ConflictError";
  }
}
