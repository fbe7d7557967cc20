/** A repeated activity, such as poll rounds. If it stops, the watchdog ends the process. */
export interface Heartbeat {
  readonly name: string;
  /** Changes with every beat. */
  readonly beats: number;
  /** After this time without a beat, the activity counts as dead. */
  readonly longestSilenceMs: number;
}

/** The state of a part of the process. Its methods are called every few seconds, so they must be cheap. */
export interface Health {
  /** One line that says why the part does not do its work now. Undefined if it does its work. */
  notReady(): string | undefined;
  heartbeats(): readonly Heartbeat[];
}
