import type { SharedServer } from "./shared-server.ts";

/** The right to poll one server, as one process of several has it. */
export interface Right {
  /** Number of the present term; undefined while another process has the right. */
  term(): number | undefined;
  /** Aborted, with `ConflictError` as its reason, when the present term is found to be over. */
  signal(): AbortSignal;
  /** Where processes take turns with one server: what they know of it together. */
  readonly shared?: SharedServer;
}
