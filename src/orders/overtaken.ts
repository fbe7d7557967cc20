/** Another process polls now, or has changed what was polled for: whatever was under way is its business. */
export class Overtaken extends Error {
  readonly code = "overtaken";

  constructor() {
    super("another process polls now, or has changed the server's record");
    this.name = "Overtaken";
  }
}
