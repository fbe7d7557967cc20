import type { Log } from "../basics/log.ts";
import type { Guilds } from "./guilds.ts";

/** Time from the start until Discord is first asked. It is random, because many processes may start at once. */
const firstAfterMs = { least: 5 * 60_000, most: 15 * 60_000 };
const dayMs = 24 * 60 * 60_000;
const retryMs = 60 * 60_000;

export interface HousekeepingDeps {
  readonly guilds: Guilds;
  /** Ids of the servers that the bot is in. Rejects if the list may be incomplete. */
  present(): Promise<ReadonlySet<string>>;
  forget(guildId: string): Promise<void>;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Compares the records with the servers that the bot is in. The gateway lists these only when a session begins, and a resumed
 * session can last for months. So Discord is also asked once a day. Failures are logged.
 */
export function createHousekeeping(deps: HousekeepingDeps) {
  const { guilds, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const plan = (inMs: number) => {
    if (!isOver) timer = setTimeout(() => void compareDaily(), inMs).unref();
  };

  async function logged(work: () => Promise<void>, failure: string): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      // When the process ends, the storage may be closed while this work still runs. Errors of the work then mean nothing.
      if (!isOver) log.error({ err: error }, failure);
      return false;
    }
  }

  async function compare(present: ReadonlySet<string>) {
    for (const guildId of await guilds.reconcile(present)) {
      if (isOver) return;
      // The bot may have joined the server again while data of other servers was deleted.
      if ((await guilds.get(guildId)).missingSince === undefined) continue;
      await deps.forget(guildId);
      log.info({ guild: guildId }, "the bot has not been in this server for 7 days; its data is deleted");
    }
  }

  async function compareDaily() {
    const isDone = await logged(
      async () => compare(await deps.present()),
      "could not compare the bot's servers with the stored ones; trying again in an hour",
    );
    plan(isDone ? dayMs : retryMs);
  }

  return {
    /** Deletes all data of a server that has been missing for 7 days. */
    async compare(present: ReadonlySet<string>): Promise<void> {
      await logged(() => compare(present), "could not compare the bot's servers with the stored ones");
    },
    start(): void {
      const { least, most } = firstAfterMs;
      plan(least + (most - least) * deps.random());
    },
    stop(): void {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
