import type { Bot, World } from "../support/world.ts";

/** A fault that can begin at once. */
export interface ReadyFault {
  /** Environment of the bot. */
  readonly environment?: Readonly<Record<string, string>>;
  begin?(bot: Bot): unknown;
  end?(bot: Bot): unknown;
  /** Removes what the fault left behind, after the bot has ended. */
  clean?(): Promise<void>;
}

/** Something that goes wrong around a bot. */
export interface Fault {
  readonly title: string;
  /** A sentence that says how the fault is caused. */
  readonly made: string;
  /** Milliseconds from its beginning to its end. */
  readonly lastsMs: number;
  /** The reason why this machine cannot cause it, or undefined. */
  missing?(): string | undefined;
  /** Called before the bot starts. */
  prepare(world: World): Promise<ReadyFault>;
}
