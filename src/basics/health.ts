/** Something that goes on for as long as the process lives. */
export interface Heartbeat {
  /** What it is, for the log. */
  readonly name: string;
  /** Changes with every sign of life. */
  readonly beats: number;
  /** Milliseconds without one after which it will not go on by itself. */
  readonly longestSilenceMs: number;
}

/** What a part of the process says of itself to whoever watches it. Cheap: asked every few seconds. */
export interface Health {
  /** A line that says why the part does not do its work now; undefined where it does. */
  notReady(): string | undefined;
  /** None where nothing is due. */
  heartbeats(): readonly Heartbeat[];
}
