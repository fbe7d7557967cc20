/** Something that goes on for as long as the process lives. */
export interface Heartbeat {
  /** What it is, for the log. */
  readonly name: string;
  /** Changes with every beat. */
  readonly beats: number;
  /** Milliseconds without a beat after which it will not go on by itself. */
  readonly longestSilenceMs: number;
}

/** The state of a part of the process. Cheap: it is asked every few seconds. */
export interface Health {
  /** A line that says why the part does not do its work now; undefined where it does. */
  notReady(): string | undefined;
  /** None where nothing is due. */
  heartbeats(): readonly Heartbeat[];
}
