import type { SharedServer } from "./shared-server.ts";

/** The right to poll one server, as one process of several has it. */
export interface Right {
  /** Number of the present term; undefined while another process has the right. */
  term(): number | undefined;
  /** Aborted, with {@link Overtaken} as its reason, when the present term is found to be over. */
  signal(): AbortSignal;
  /** Where processes take turns with one server: what they know of it together. */
  readonly shared?: SharedServer;
}

/** Another process polls now, or has changed what was polled for: whatever was under way is its business. */
export class Overtaken extends Error {
  readonly code = "overtaken";

  constructor() {
    super("another process polls now, or has changed the server's record");
    this.name = "Overtaken";
  }
}
