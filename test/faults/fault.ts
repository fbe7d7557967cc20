import type { Bot, World } from "../support/world.ts";

/** A fault that can be made at once. */
export interface ReadyFault {
  /** What the bot has to be started with. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Starts the bot where the fault reaches it. */
  inside?<Result>(start: () => Result): Result;
  begin?(bot: Bot): unknown;
  end?(bot: Bot): unknown;
  /** Removes all that is left of it, after the bot has ended. */
  clean?(): Promise<void>;
  /** Figures of it, a finished sentence each. */
  figures?(): Promise<readonly string[]>;
}

/** Something that goes wrong around a bot. */
export interface Fault {
  readonly title: string;
  /** How it is made, in a sentence. */
  readonly made: string;
  /** Milliseconds from its begin to its end. */
  readonly lastsMs: number;
  /** Orders that arrive meanwhile, a third of them right after its begin and a third right before its end. */
  readonly orders: number;
  /** Gauges whose highest value is worth a word. */
  readonly gauges?: readonly string[];
  /** Why it cannot be made on this machine. */
  missing?(): string | undefined;
  /** Before the bot starts. */
  prepare(world: World): Promise<ReadyFault>;
}
