import type { Log } from "../basics/log.ts";
import type { Guilds } from "./guilds.ts";

/** Time from the start until Discord is asked for the first time. It is random, because many processes may start at once. */
const firstAfterMs = { least: 5 * 60_000, most: 15 * 60_000 };
const dayMs = 24 * 60 * 60_000;
const retryMs = 60 * 60_000;
/**
 * How long the data of a server is stored after the server was first missing in Discord's list. The data is not deleted at
 * once, because an outage of Discord can look like a removal of the bot.
 */
export const keptMissingDays = 7;

export interface DeleteRemovedServersDeps {
  readonly guilds: Guilds;
  /** Ids of the servers that the bot is in. Rejects if the list may be incomplete. */
  present(): Promise<ReadonlySet<string>>;
  forget(guildId: string): Promise<void>;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/**
 * Once a day, compares the records with the servers that the bot is in. Deletes all data of a server that has been missing for
 * {@link keptMissingDays}. The gateway lists the servers only when a gateway session begins, and such a session can be resumed
 * for months. So the bot asks Discord for the list. Failures are logged.
 */
export function deleteRemovedServers({ guilds, present, forget, log, random, signal }: DeleteRemovedServersDeps): void {
  function plan(inMs: number) {
    setTimeout(() => void compareDaily(), inMs).unref();
  }

  async function compare() {
    for (const guildId of await guilds.reconcile(await present(), keptMissingDays * dayMs)) {
      if (signal.aborted) return;
      // The bot may have joined the server again while data of other servers was deleted.
      if ((await guilds.get(guildId)).missingSince === undefined) continue;
      await forget(guildId);
      log.info(
        { guild: guildId },
        `the bot has not been in this server for ${keptMissingDays} days; its data is deleted`,
      );
    }
  }

  async function compareDaily() {
    if (signal.aborted) return;
    try {
      await compare();
      plan(dayMs);
    } catch (error) {
      // When the process ends, requests end and the storage is closed. Errors then mean nothing.
      if (signal.aborted) return;
      log.error({ err: error }, "could not compare the bot's servers with the stored ones; trying again in an hour");
      plan(retryMs);
    }
  }

  plan(firstAfterMs.least + (firstAfterMs.most - firstAfterMs.least) * random());
}
