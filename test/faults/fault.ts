import type { Bot, World } from "../support/process/world.ts";

export interface ReadyFault {
  /** Environment of the bot. */
  readonly environment?: Readonly<Record<string, string>>;
  begin?(bot: Bot): unknown;
  end?(bot: Bot): unknown;
  /** Called after the bot has ended. */
  clean?(): Promise<void>;
}

export interface Fault {
  readonly title: string;
  /** Says how the fault is caused. */
  readonly made: string;
  readonly lastsMs: number;
  /** Why this machine cannot cause the fault. */
  missing?(): string | undefined;
  /** Called before the bot starts. */
  prepare(world: World): Promise<ReadyFault>;
}
