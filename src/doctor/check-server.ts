import type { API } from "@discordjs/core";
import { type ChannelLook, ClosedChannelError, lookAtChannel } from "../discord/commands/channel-look.ts";
import type { Guild } from "../guilds/guild.ts";
import { Ledger } from "../orders/ledger.ts";
import { MessengerError } from "../outbox/messenger.ts";
import type { Storage } from "../storage/table.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { permissionNames } from "../views/parts/permissions.ts";
import { type Finding, ok, skipped, warn, wrong } from "./finding.ts";

/** What looking at one server takes; what is undefined could not be had, and is said elsewhere. */
export interface ServerDeps {
  readonly storage: Storage;
  /** With the server's token; undefined where no key opens it or the store's API is not there. */
  readonly store: Store | undefined;
  readonly discord: { readonly api: API; readonly botId: string } | undefined;
  /** Whether Discord lists the bot in it; undefined where that is not known. */
  readonly isPresent: boolean | undefined;
  /** Epoch ms. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Newest ids of the followed orders that are looked at: the one found last is among them. */
const mostFollowed = 50;
/** After so long a bot that runs has tried each planned alert several times. */
const lateMs = 10 * 60_000;

const minuteMs = 60_000;

/** Such as "3 min". */
function long(ms: number): string {
  const minutes = Math.round(ms / minuteMs);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** What the store says to the server's token. One request. */
async function checkToken(store: Store, signal: AbortSignal): Promise<Finding | undefined> {
  try {
    await store.listOrders({ limit: 1 }, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "unauthorized") {
      const remedy = "have a new API token made in the store's administration panel, and typed into /store connect";
      return wrong("Server", "the store refuses its API token", remedy);
    }
    const remedy = "wait: the bot goes on by itself; if it lasts, ask those who run the store";
    const says = `the store gave no list of orders (${error.code})`;
    return error.code === "rate_limited" ? warn("Server", says, remedy) : wrong("Server", says, remedy);
  }
}

function judgeChannel(look: ChannelLook, channelId: string, roleId: string | undefined): Finding[] {
  const findings: Finding[] = [];
  if (look.missing.length > 0) {
    const names = permissionNames(look.missing, "en").join(", ");
    const remedy = "allow that to the bot in the channel's settings, under Permissions; what waited is posted then";
    findings.push(wrong("Server", `the bot lacks ${names} in channel ${channelId}`, remedy));
  }
  if (!look.isOwn || !look.isText) {
    const says = `channel ${channelId} is no text channel of this server`;
    findings.push(wrong("Server", says, "choose another one with /alerts set"));
  }
  if (roleId !== undefined && look.role === undefined) {
    findings.push(warn("Server", `role ${roleId} is gone, so nobody is mentioned`, "choose another with /alerts set"));
  } else if (look.role?.rings === false) {
    const remedy = "let anyone mention the role (its settings), or allow the bot to mention all roles in that channel";
    findings.push(warn("Server", `a mention of role ${roleId} rings nobody's phone`, remedy));
  }
  return findings;
}

/** What the bot may do in the channel of alerts. Three requests, sometimes four. */
async function checkChannel(
  { api, botId }: { readonly api: API; readonly botId: string },
  { id: guildId }: Guild,
  { channelId, roleId }: NonNullable<Guild["alerts"]>,
): Promise<Finding[]> {
  const at = { guildId, channelId, userId: botId, roleIds: [], ...(roleId === undefined ? {} : { roleId }) };
  try {
    return judgeChannel(await lookAtChannel(api, botId, at), channelId, roleId);
  } catch (error) {
    if (error instanceof ClosedChannelError) return judgeChannel(error.look, channelId, roleId);
    if (!(error instanceof MessengerError)) throw error;
    if (error.code === "uncertain" || error.code === "refused") {
      const remedy = "look again later; if it lasts, see https://discordstatus.com";
      return [warn("Server", `Discord did not show channel ${channelId}`, remedy)];
    }
    const what = error.code === "channel_gone" ? "is gone" : "is closed to the bot";
    const remedy = "choose another one with /alerts set; what waited is posted there";
    return [wrong("Server", `channel ${channelId} ${what}`, remedy)];
  }
}

/** What waits, and when the newest alert that is still followed was found, as the bot has it written down. */
async function checkAlerts(
  { storage, now }: ServerDeps,
  { id }: Guild,
): Promise<{ says: string; findings: Finding[] }> {
  const ledger = new Ledger(storage, id);
  const planned = [...(await ledger.outbox()).values()].flatMap((row) => (row.kind === "alert" ? [row.foundAt] : []));
  const newest = await ledger.entries((await ledger.openIds()).slice(-mostFollowed));
  const posted = [...newest.values()].flatMap((row) => (row.state === "open" ? [row.foundAt] : []));
  const last = posted.length > 0 ? `last alert ${long(now - Math.max(...posted))} ago` : "no alert is followed";
  const findings: Finding[] = [];
  const waitedMs = now - Math.min(...planned);
  if (waitedMs > lateMs) {
    const says = `${planned.length} alerts wait to be posted, the oldest for ${long(waitedMs)}`;
    const remedy = "none is lost: mend what else is said of this server, and have the bot run";
    findings.push(warn("Server", says, remedy));
  }
  return { says: planned.length === 0 ? last : `${last}, ${planned.length} wait`, findings };
}

/** Token, channel, permissions, and the last alert of one server: a line, and one more for each thing that is not right. */
export async function checkServer(guild: Guild, deps: ServerDeps): Promise<Finding[]> {
  const { store, discord, isPresent, signal } = deps;
  const { id: server, token, alerts } = guild;
  const of = (findings: readonly Finding[]) => findings.map((finding) => ({ ...finding, server }));
  if (isPresent === false) {
    const remedy = "invite it again, or wait: what is kept for this server goes after 7 days";
    return of([warn("Server", "the bot is not in it any more", remedy)]);
  }
  if (token === undefined) return of([ok("Server", "no store is connected yet (/store connect)")]);
  const [refusal, channel, kept] = await Promise.all([
    store && checkToken(store, signal),
    discord && alerts ? checkChannel(discord, guild, alerts) : [],
    alerts ? checkAlerts(deps, guild) : { says: "alerts are off", findings: [] },
  ]);
  const findings = [...(refusal ? [refusal] : []), ...channel, ...kept.findings];
  const parts = [
    ...(store && !refusal ? ["its API token is accepted"] : []),
    ...(alerts && discord && channel.length === 0 ? [`alerts can be posted in channel ${alerts.channelId}`] : []),
    kept.says,
  ];
  const lacking = [...(store ? [] : ["the token"]), ...(alerts && !discord ? ["the channel"] : [])];
  return of([
    ok("Server", parts.join("; ")),
    ...(lacking.length > 0 ? [skipped("Server", `${lacking.join(" and ")}, for what is said above`)] : []),
    ...findings,
  ]);
}
