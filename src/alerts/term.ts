/** The right to poll, as one process of several has it. */
export interface Right {
  /** Number of the present term; undefined while another process has the right. */
  term(): number | undefined;
  /** Aborted when the present term is found to be over. */
  signal(): AbortSignal;
}

/** Another process polls now: whatever was under way is its business. */
export class TermOver extends Error {
  readonly code = "term_over";

  constructor() {
    super("another process polls now");
    this.name = "TermOver";
  }
}
