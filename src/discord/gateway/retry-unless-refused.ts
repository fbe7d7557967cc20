import { setTimeout as wait } from "node:timers/promises";
import { DiscordAPIError } from "@discordjs/rest";
import type { Log } from "../../basics/log.ts";

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/** Discord said no for good: a wrong token, say. The message is for the operator. */
export class DiscordRefusedError extends Error {
  readonly code = "discord_refused";

  constructor(detail: string, remedy = "check DISCORD_TOKEN") {
    super(`Discord refused the bot (${detail}); ${remedy}`);
    this.name = "DiscordRefusedError";
  }
}

/**
 * Does what the start needs of Discord, and tries again until it succeeds: while Discord cannot be reached, or refuses what
 * it may accept later.
 *
 * @param signal ends the waiting: then it rejects with the last failure
 * @throws DiscordRefusedError where Discord does not know the token (401)
 */
export async function retryUnlessRefused<T>(
  work: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<T> {
  for (let delay = firstRetryMs; ; delay = Math.min(delay * 2, longestRetryMs)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DiscordRefusedError || signal.aborted) throw error;
      if (error instanceof DiscordAPIError && error.status === 401 && "message" in error.rawError)
        throw new DiscordRefusedError(`${error.status}: ${error.message}`);
      log.warn({ err: error, retryInMs: delay }, "Discord cannot be reached; trying again");
      await wait(delay, undefined, { signal }).catch(() => undefined);
    }
  }
}
