/** A repeated activity of the process, such as poll rounds. The watchdog ends the process if it stops. */
export interface Heartbeat {
  /** Its name in the log. */
  readonly name: string;
  /** Changes with every beat. */
  readonly beats: number;
  /** Milliseconds without a beat after which it is considered dead. */
  readonly longestSilenceMs: number;
}

/** The state of a part of the process. Its methods must be cheap, because they are called every few seconds. */
export interface Health {
  /** Returns in one line why the part does not do its work now; undefined if it does. */
  notReady(): string | undefined;
  /** Returns the activities that must go on; empty if the part has none now. */
  heartbeats(): readonly Heartbeat[];
}
