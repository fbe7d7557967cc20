import type { API } from "@discordjs/core";
import { DiscordAPIError } from "@discordjs/rest";
import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import type { Command } from "../discord/commands/define-command.ts";
import { type ApplicationProblem, fetchIdentity, type Identity, portalPage } from "../discord/publishing/identity.ts";
import { inspectPublished, publishedTable } from "../discord/publishing/publish-commands.ts";
import type { Storage } from "../storage/table.ts";
import { duration, ok, type Result, warn, wrong } from "./finding.ts";

const remedies: Readonly<Record<ApplicationProblem, readonly [says: string, remedy: string]>> = {
  interactions_endpoint: [
    "an Interactions Endpoint URL is set: Discord sends commands there, and the bot never hears them",
    "clear that field and press Save Changes",
  ],
  code_grant: [
    "Requires OAuth2 Code Grant is on: the invite link ends with an error",
    "switch it off and press Save Changes",
  ],
};

const unreachable = (error: unknown): Result =>
  wrong(
    `no answer from Discord (${printable(reasonOf(error))})`,
    "check this machine's network and DISCORD_API_URL, and https://discordstatus.com",
  );

/** Whether Discord itself refused. An answer without the field `message` comes from a proxy in between. */
const isRefused = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof DiscordAPIError && statuses.includes(error.status) && "message" in error.rawError;

/** Finds the bot of the token, and settings that keep it from receiving commands or joining servers. Two requests. */
export async function checkIdentity(
  api: API,
  token: string,
): Promise<{ readonly identity?: Identity; readonly results: readonly Result[] }> {
  try {
    const identity = await fetchIdentity(api, token);
    const name =
      identity.name === undefined ? "the token is accepted" : `the token is that of ${printable(identity.name)}`;
    const hindrances = identity.problems.map((hindrance) => {
      const [says, remedy] = remedies[hindrance];
      return wrong(says, `${remedy}: ${portalPage(hindrance, identity.applicationId)}`);
    });
    return { identity, results: [ok(`${name}; no privileged intents are needed`), ...hindrances] };
  } catch (error) {
    if (!isRefused(error, 401)) return { results: [unreachable(error)] };
    const remedy = "in the developer portal, under Bot, press Reset Token, and put the new one in DISCORD_TOKEN";
    return { results: [wrong("Discord does not know the token", remedy)] };
  }
}

/** Checks whether Discord allows the bot to connect once more. One request, no connection. */
export async function checkGateway(api: API): Promise<Result> {
  try {
    const { session_start_limit: limit, shards } = await api.gateway.getBot();
    const { remaining, total, reset_after: resetMs } = limit;
    const left = `${remaining.toLocaleString("en")} of ${total.toLocaleString("en")} connections are left`;
    if (remaining >= shards) return ok(`${left} for the next ${duration(resetMs)}`);
    const remedy = `find out what starts the bot again and again; there are new ones in ${duration(resetMs)}`;
    return wrong(left, remedy);
  } catch (error) {
    return unreachable(error);
  }
}

const named = (names: readonly string[]) => names.map((name) => `/${printable(name, 32)}`).join(", ");

/** Checks whether Discord has the commands of this version. One request. */
export async function checkCommands<S>(
  deps: { readonly api: API; readonly identity: Identity; readonly config: Config; readonly storage?: Storage },
  commands: readonly Command<S>[],
): Promise<Result> {
  const { api, identity, config, storage } = deps;
  const { discordGuildId: guildId } = config;
  try {
    const scope = { api, applicationId: identity.applicationId, guildId, commands };
    const {
      missing: lacking,
      unknown: strange,
      isSame,
      refusal,
    } = await inspectPublished(scope, storage?.table(publishedTable));
    const where = guildId === undefined ? "" : ` to server ${guildId} alone`;
    if (lacking.length === 0 && strange.length === 0 && isSame !== false)
      return ok(`${commands.length} are published${where}`);
    if (refusal !== undefined) {
      const says = `Discord did not take this version's (${printable(refusal, 200)})`;
      const what = lacking.length > 0 ? `${says} and lacks ${named(lacking)}` : says;
      const later = "the bot asks again each hour; 30034 (too many new ones) ends within a day, report anything else";
      return wrong(what, later);
    }
    const remedy = "start the bot, or restart it: it publishes them";
    if (isSame === undefined && lacking.length === commands.length) return warn("none are published yet", remedy);
    if (lacking.length > 0) return wrong(`Discord lacks ${named(lacking)}`, remedy);
    if (strange.length === 0) return warn("this version's are not published yet", remedy);
    const other = "restart the bot; if they come back, another program publishes with the same token";
    return warn(`Discord has others, too: ${named(strange.slice(0, 10))}`, other);
  } catch (error) {
    if (guildId === undefined || !isRefused(error, 403, 404)) return unreachable(error);
    const remedy = "invite the bot there, or take DISCORD_GUILD_ID out: then they are published everywhere";
    return wrong(`the bot is not in server ${guildId}, which DISCORD_GUILD_ID names`, remedy);
  }
}
