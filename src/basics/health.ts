/** A repeated activity of the process, such as poll rounds. If the activity stops, the watchdog ends the process. */
export interface Heartbeat {
  /** The name of the activity in the log. */
  readonly name: string;
  /** Changes with every beat. */
  readonly beats: number;
  /** After this many milliseconds without a beat, the activity counts as dead. */
  readonly longestSilenceMs: number;
}

/** The state of a part of the process. Its methods must be cheap, because they are called every few seconds. */
export interface Health {
  /** Returns the reason why the part does not do its work now, in one line. Undefined if it does its work. */
  notReady(): string | undefined;
  /** Returns the activities that must not stop. Empty if the part has none now. */
  heartbeats(): readonly Heartbeat[];
}
