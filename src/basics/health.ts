/** A repeated activity of the process. */
export interface Heartbeat {
  /** Its name in the log. */
  readonly name: string;
  /** Changes with every beat. */
  readonly beats: number;
  /** Milliseconds without a beat after which it is considered dead. */
  readonly longestSilenceMs: number;
}

/** The state of a part of the process. Must be cheap: it is asked every few seconds. */
export interface Health {
  /** Why the part does not do its work now, in one line; undefined if it does. */
  notReady(): string | undefined;
  /** Empty if nothing is due. */
  heartbeats(): readonly Heartbeat[];
}
