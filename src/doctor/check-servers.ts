import type { API } from "@discordjs/core";
import { withDeadline } from "../basics/limits/deadline.ts";
import { sleep } from "../basics/limits/sleep.ts";
import type { Config } from "../config.ts";
import { type ChannelInspection, inspectChannel } from "../discord/commands/inspect-channel.ts";
import type { Identity } from "../discord/publishing/identity.ts";
import { presentGuilds } from "../discord/publishing/present-guilds.ts";
import { keptMissingDays } from "../guilds/delete-removed-servers.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Vault } from "../guilds/vault.ts";
import { Ledger } from "../orders/ledger.ts";
import { MessengerError } from "../outbox/messenger.ts";
import type { Storage } from "../storage/table.ts";
import { createStoreApi, type Store, StoreError } from "../store-api/store-api.ts";
import { permissionNames } from "../views/parts/problem.ts";
import { type Kept, tokenOf } from "./check-storage.ts";
import { duration, inTime, ok, type Result, warn, wrong } from "./finding.ts";

const timeoutMs = 10_000;
/** The check of the store ends before {@link timeoutMs}, so that the other results about the server are not lost. */
const storeTimeoutMs = 8_000;
/** The longest time for all servers together. An operator does not wait longer. */
const maxTotalMs = 120_000;
/** Time between two servers. With up to four requests for each, the checks send at most 16 a second. Discord allows 50. */
const everyMs = 250;
/** At most this many of the newest followed orders are read, to find the latest alert. */
const maxFollowed = 50;
/** If an alert waits longer than this, a running bot has already tried several times to post it. */
const lateMs = 10 * 60_000;

const quiet = { debug: () => undefined, warn: () => undefined };

/** If a value is undefined or false, the checks that need it are left out. */
export interface ServersDeps {
  readonly config: Config;
  readonly api: API;
  readonly kept: Kept;
  readonly isStoreThere: boolean;
  readonly identity: Identity | undefined;
  readonly vault: Vault | undefined;
}

async function checkToken(store: Store): Promise<Result | undefined> {
  try {
    await store.listOrders({ limit: 1 });
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "unauthorized") {
      const remedy = "have a new API token made in the store's administration panel, and typed into /store connect";
      return wrong("the store refuses its API token", remedy);
    }
    const remedy = "wait: the bot goes on by itself; if it lasts, ask those who run the store";
    const says = `the store gave no list of orders (${error.code})`;
    return error.code === "rate_limited" ? warn(says, remedy) : wrong(says, remedy);
  }
}

function judgeChannel({ missing, isOwn, isText, role }: ChannelInspection, alerts: NonNullable<Guild["alerts"]>) {
  const { channelId, roleId } = alerts;
  const results: Result[] = [];
  if (missing.length > 0) {
    const says = `the bot lacks ${permissionNames(missing, "en").join(", ")} in channel ${channelId}`;
    const remedy = "allow that to the bot in the channel's settings, under Permissions; what waited is posted then";
    results.push(wrong(says, remedy));
  }
  if (!isOwn || !isText) {
    const says = `channel ${channelId} is no text channel of this server`;
    results.push(wrong(says, "choose another one with /alerts set"));
  }
  if (roleId !== undefined && role === undefined) {
    results.push(warn(`role ${roleId} is gone, so nobody is mentioned`, "choose another with /alerts set"));
  } else if (role?.rings === false) {
    const remedy = "let anyone mention the role (its settings), or allow the bot to mention all roles in that channel";
    results.push(warn(`a mention of role ${roleId} notifies nobody`, remedy));
  }
  return results;
}

/** Sends three or four requests. */
async function checkChannel(api: API, botId: string, guildId: string, alerts: NonNullable<Guild["alerts"]>) {
  const { channelId, roleId } = alerts;
  const at = { guildId, channelId, userId: botId, roleIds: [], ...(roleId === undefined ? {} : { roleId }) };
  try {
    return judgeChannel(await inspectChannel(api, botId, at), alerts);
  } catch (error) {
    if (!(error instanceof MessengerError)) throw error;
    if (error.code === "uncertain" || error.code === "refused") {
      const remedy = "check again later; if it lasts, see https://discordstatus.com";
      return [warn(`Discord did not show channel ${channelId}`, remedy)];
    }
    const what = error.code === "channel_gone" ? "is gone" : "is closed to the bot";
    return [wrong(`channel ${channelId} ${what}`, "choose another one with /alerts set; what waited is posted there")];
  }
}

async function checkAlerts(storage: Storage, guildId: string): Promise<{ says: string; results: Result[] }> {
  const now = Date.now();
  const ledger = new Ledger(storage, guildId);
  const pending = [...(await ledger.outbox()).values()].flatMap((row) => (row.kind === "alert" ? [row.foundAt] : []));
  const newest = await ledger.entries((await ledger.openIds()).slice(-maxFollowed));
  const posted = [...newest.values()].flatMap((row) => (row.state === "open" ? [row.foundAt] : []));
  const last = posted.length > 0 ? `last alert ${duration(now - Math.max(...posted))} ago` : "no alert is followed";
  if (pending.length === 0) return { says: last, results: [] };
  const waitedMs = now - Math.min(...pending);
  const late = warn(
    `${pending.length} alerts wait to be posted, the oldest for ${duration(waitedMs)}`,
    "none is lost: correct what else is said of this server, and have the bot run",
  );
  return { says: `${last}, ${pending.length} wait`, results: waitedMs > lateMs ? [late] : [] };
}

async function checkServer({ id, token, alerts }: Guild, store: Store | undefined, deps: ServersDeps) {
  const { api, identity, kept } = deps;
  if (token === undefined) return [ok("no store is connected yet (/store connect)")];
  const [refused, channel, waiting] = await Promise.all([
    store && checkToken(store),
    identity && alerts ? checkChannel(api, identity.botId, id, alerts) : [],
    alerts ? checkAlerts(kept.storage, id) : { says: "alerts are off", results: [] },
  ]);
  const parts = [
    ...(store && !refused ? ["its API token is accepted"] : []),
    ...(alerts && identity && channel.length === 0 ? [`alerts can be posted in channel ${alerts.channelId}`] : []),
    waiting.says,
  ];
  return [ok(parts.join("; ")), ...(refused ? [refused] : []), ...channel, ...waiting.results];
}

export async function* checkServers(deps: ServersDeps): AsyncGenerator<Result> {
  const { config, api, kept, identity, vault, isStoreThere } = deps;
  const { guilds } = kept;
  if (guilds.length === 0) return yield ok("nothing is kept for any server yet");
  const { storeApiUrl: baseUrl, orderParams } = config;
  const longestMs = { interactive: storeTimeoutMs, background: storeTimeoutMs };
  const storeApi = createStoreApi({ baseUrl, orderParams, log: quiet, longestMs });
  const listed = identity && presentGuilds(api, AbortSignal.timeout(timeoutMs)).catch(() => undefined);
  const present = await withDeadline(listed, timeoutMs, undefined);

  async function check(guild: Guild): Promise<Result[]> {
    if (present?.has(guild.id) === false) {
      const remedy = `invite it again, or wait: what is kept for this server goes after ${keptMissingDays} days`;
      return [warn("the bot is not in it any more", remedy)];
    }
    const token = isStoreThere ? tokenOf(guild, vault) : undefined;
    const store = token === undefined ? undefined : storeApi.forToken(token, "interactive");
    return [await inTime(checkServer(guild, store, deps), timeoutMs)].flat();
  }

  const until = performance.now() + maxTotalMs;
  try {
    for (const [index, guild] of guilds.entries()) {
      if (performance.now() > until) {
        const left = `${guilds.length - index} of ${guilds.length} servers were not checked`;
        return yield warn(`${left}: ${maxTotalMs / 60_000} minutes were over`, "check again");
      }
      if (index > 0) await sleep(everyMs);
      for (const result of await check(guild)) yield { ...result, server: guild.id };
    }
  } finally {
    await storeApi.close();
  }
}
