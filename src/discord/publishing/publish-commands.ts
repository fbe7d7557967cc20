import { createHash } from "node:crypto";
import type { API, APIApplicationCommand } from "@discordjs/core";
import { type DiscordAPIError, RateLimitError } from "@discordjs/rest";
import { z } from "zod";
import { isDiscordId } from "../../basics/discord-id.ts";
import type { Log } from "../../basics/log.ts";
import type { Table, TableShape } from "../../storage/table.ts";
import type { Command } from "../commands/define-command.ts";
import { failureFields } from "../gateway/retry-unless-refused.ts";
import { isRefusal } from "../rest/is-refusal.ts";
import { definitionOf } from "./command-definition.ts";

/** For each application and server, a fingerprint of the commands. If it is malformed, the commands are published again. */
export const publishedTable: TableShape<string> = { name: "published", schema: z.string().catch(""), version: 1 };

interface PublishedDeps {
  readonly api: API;
  readonly applicationId: string;
  /** The only server to publish to; undefined for all servers. */
  readonly guildId: string | undefined;
  readonly commands: readonly Command[];
}

type PublishDeps = PublishedDeps & { readonly published: Table<string>; readonly log: Log };

const fingerprintKey = ({ applicationId, guildId }: PublishedDeps) => `${applicationId}:${guildId ?? "global"}`;

type Published = readonly Pick<APIApplicationCommand, "id" | "name" | "version">[];

/** Discord gives a command a new version at each change, even if another program made the change. */
function fingerprintOf(definitions: readonly object[], there: Published): string {
  const versions = there.map(({ name, version }) => `${name} ${version}`).sort();
  return createHash("sha256")
    .update(JSON.stringify([definitions, versions]))
    .digest("hex");
}

const read = ({ api, applicationId, guildId }: PublishedDeps) =>
  guildId
    ? api.applicationCommands.getGuildCommands(applicationId, guildId)
    : api.applicationCommands.getGlobalCommands(applicationId);

const idsOf = (commands: Published) => new Map(commands.map(({ name, id }) => [name, id]));

/** Takes one request. Throws the errors of Discord's client and of the storage. */
export async function inspectPublished(deps: PublishedDeps, published: Pick<Table<string>, "get"> | undefined) {
  const atDiscord = await read(deps);
  const there = atDiscord.map(({ name }) => name);
  const ours = deps.commands.map(({ name }) => name);
  const last = await published?.get(fingerprintKey(deps));
  return {
    /** `missing`: names that Discord does not have yet. `unknown`: names that only Discord has. */
    missing: ours.filter((name) => !there.includes(name)),
    unknown: there.filter((name) => !ours.includes(name)),
    /** Whether Discord has the definitions of this version. Undefined if no fingerprint is stored. */
    isSame: last === undefined ? undefined : last === fingerprintOf(deps.commands.map(definitionOf), atDiscord),
  };
}

/**
 * Removes the commands from servers that DISCORD_GUILD_ID named at earlier starts. Otherwise people in these servers would see
 * each command twice. If the bot has left such a server, Discord refuses the removal. That does no harm, because a server
 * without the bot has none of the bot's commands.
 */
async function withdrawFromServers({ api, applicationId, published }: PublishDeps): Promise<void> {
  for await (const { key } of published.rows()) {
    const [of, scope = ""] = key.split(":");
    if (of !== applicationId || !isDiscordId(scope)) continue;
    await api.applicationCommands.bulkOverwriteGuildCommands(applicationId, scope, []).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    });
    await published.delete(key);
  }
}

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
/** Wait after a refusal, because Discord would refuse the same commands again a moment later. */
const refusedRetryMs = 3_600_000;
/** Longest wait for a rate limit: a day, because Discord limits the number of new commands in a day. */
const longestLimitMs = 24 * 3_600_000;
const tooManyNew = 30_034;

function remedyFor({ code, status }: DiscordAPIError, guildId: string | undefined): string {
  if (code === tooManyNew) return "it takes 200 new ones a day, so nothing is to be done";
  if (guildId !== undefined && (status === 403 || status === 404))
    return `invite the bot to server ${guildId}, or take DISCORD_GUILD_ID out, and start it again`;
  return "report err";
}

export function createCommandPublisher(deps: PublishDeps) {
  const { api, applicationId, guildId, published, log } = deps;
  const definitions = deps.commands.map(definitionOf);
  const scope = fingerprintKey(deps);
  let ids: ReadonlyMap<string, string> = new Map();
  let failures = 0;

  /**
   * Publishes the commands if their definitions changed, here or at Discord. Discord allows 200 new commands a day in each
   * server, so unchanged commands are not sent.
   */
  async function publishChanged(): Promise<void> {
    // If the list cannot be read, the commands are published again, which does no harm.
    const there = await read(deps).catch(() => undefined);
    if (there) ids = idsOf(there);
    if (there && (await published.get(scope)) === fingerprintOf(definitions, there)) {
      log.debug({ scope }, "commands are published already");
      return;
    }
    const now = guildId
      ? await api.applicationCommands.bulkOverwriteGuildCommands(applicationId, guildId, definitions)
      : await api.applicationCommands.bulkOverwriteGlobalCommands(applicationId, definitions);
    ids = idsOf(now);
    await published.set(scope, fingerprintOf(definitions, now));
    log.info({ scope, commands: now.length }, "commands published");
  }

  /** Returns the milliseconds until the next try. */
  function failed(error: unknown): number {
    if (isRefusal(error)) {
      const what = `Discord refuses the commands: ${remedyFor(error, guildId)}`;
      log.error({ err: error }, `${what}; alerts and the published commands go on; trying again in an hour`);
      return refusedRetryMs;
    }
    const delayMs = Math.min(firstRetryMs * 2 ** failures++, longestRetryMs);
    const limitMs = error instanceof RateLimitError && error.retryAfter > 0 ? error.retryAfter : 0;
    const retryInMs = Math.min(Math.max(delayMs, limitMs), longestLimitMs);
    log.warn({ ...failureFields(error), retryInMs }, "the commands could not be published; trying again");
    return retryInMs;
  }

  async function publish(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await publishChanged();
      if (guildId === undefined) await withdrawFromServers(deps);
    } catch (error) {
      if (!signal.aborted) setTimeout(() => void publish(signal), failed(error)).unref();
    }
  }

  return {
    /** Keys are names. If DISCORD_GUILD_ID is set, the map is empty for all other servers. */
    ids: (of: string): ReadonlyMap<string, string> => (guildId === undefined || of === guildId ? ids : new Map()),
    /**
     * Never rejects. After a failure, tries again in the background until `signal` aborts. Meanwhile the bot answers the
     * commands that Discord already has.
     */
    publish,
  };
}
