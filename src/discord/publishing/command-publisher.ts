import { DiscordAPIError, RateLimitError } from "@discordjs/rest";
import { DiscordRefusedError, failureFields } from "../gateway/retry-unless-refused.ts";
import { waitOf } from "../rest/rest.ts";
import { type PublishDeps, publishCommands, recordRefusal } from "./publish-commands.ts";

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
/** Wait after a refusal: Discord would refuse the same commands again a moment later. */
const refusedRetryMs = 3_600_000;
/** Longest wait for a rate limit: Discord limits new commands per day. */
const longestLimitMs = 24 * 3_600_000;
const tooManyNew = 30_034;

const isRefusal = (error: unknown): error is DiscordAPIError =>
  error instanceof DiscordAPIError && error.status !== 429 && "message" in error.rawError;

function remedyFor({ code, status }: DiscordAPIError, guildId: string | undefined): string {
  if (code === tooManyNew) return "it takes 200 new ones a day, so nothing is to be done";
  if (guildId !== undefined && (status === 403 || status === 404))
    return `invite the bot to server ${guildId}, or take DISCORD_GUILD_ID out, and start it again`;
  return "report err";
}

/** Makes a publisher that tries again until Discord takes the commands. */
export function createCommandPublisher<S>(deps: PublishDeps<S>) {
  const { guildId, log } = deps;
  let ids: ReadonlyMap<string, string> = new Map();
  let failures = 0;

  /** Logs the failure. Returns the milliseconds until the next try. */
  async function failed(error: unknown): Promise<number> {
    if (isRefusal(error)) {
      const what = `Discord refuses the commands: ${remedyFor(error, guildId)}`;
      log.error({ err: error }, `${what}; alerts and the published commands go on; trying again in an hour`);
      await recordRefusal(deps, `${error.code}: ${error.message}`);
      return refusedRetryMs;
    }
    const isLimited = error instanceof RateLimitError;
    const retryInMs = isLimited
      ? Math.min(Math.max(waitOf(error), firstRetryMs), longestLimitMs)
      : Math.min(firstRetryMs * 2 ** failures++, longestRetryMs);
    log.warn({ ...failureFields(error), retryInMs }, "the commands could not be published; trying again");
    if (isLimited) await recordRefusal(deps, "too many requests");
    return retryInMs;
  }

  async function publish(signal: AbortSignal, isFirst: boolean): Promise<void> {
    if (signal.aborted) return;
    try {
      ids = await publishCommands(deps, (there) => {
        ids = there;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst && isRefusal(error) && error.status === 401) throw new DiscordRefusedError(error.message);
      setTimeout(() => void publish(signal, false), await failed(error)).unref();
    }
  }

  return {
    /**
     * Returns the ids of the commands that are published for a server, by name. If DISCORD_GUILD_ID is set, the map is empty
     * for all other servers.
     */
    ids: (of: string): ReadonlyMap<string, string> => (guildId === undefined || of === guildId ? ids : new Map()),
    /**
     * Publishes the commands. After a failure, it tries again in the background until `signal` aborts. Meanwhile the bot
     * answers the commands that Discord already has.
     *
     * @throws DiscordRefusedError if Discord does not know the token
     */
    begin: (signal: AbortSignal) => publish(signal, true),
  };
}
