import type { API } from "@discordjs/core";
import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import type { Command } from "../discord/commands/define-command.ts";
import { gatewayBotIn } from "../discord/gateway/gateway-bot.ts";
import { sparedSessions } from "../discord/gateway/identify-throttle.ts";
import { connectionTrouble, tokenRemedy } from "../discord/gateway/retry-unless-refused.ts";
import { fetchIdentity, type Identity } from "../discord/publishing/identity.ts";
import { inspectPublished, publishedTable } from "../discord/publishing/publish-commands.ts";
import { isRefusal } from "../discord/rest/is-refusal.ts";
import type { Storage } from "../storage/table.ts";
import { duration, type Examined, fromLine, ok, type Result, warn, wrong } from "./finding.ts";

function unreachable(error: unknown): Result {
  const [says, remedy] = connectionTrouble(error);
  return wrong(`${says} (${printable(reasonOf(error))})`, remedy);
}

/** Finds the token's bot, and settings that keep the bot from receiving commands or joining servers. Sends two requests. */
export async function checkIdentity(api: API, token: string): Promise<Examined<Identity>> {
  try {
    const identity = await fetchIdentity(api, token);
    const found =
      identity.name === undefined
        ? warn(
            "it is not known whether the token is accepted: DISCORD_API_URL answers 404 about the bot",
            "check it; a proxy that passes on /users/@me tells more",
          )
        : ok(`the token is that of ${printable(identity.name)}; no privileged intents are needed`);
    return { value: identity, results: [found, ...identity.problems.map((line) => fromLine("wrong", line))] };
  } catch (error) {
    if (!isRefusal(error) || error.status !== 401) return { results: [unreachable(error)] };
    return { results: [wrong("Discord does not know the token", tokenRemedy)] };
  }
}

/** Whether Discord allows all shards to connect once more. Sends one request, and does not connect. */
export async function checkGateway(api: API): Promise<Result> {
  try {
    const { session_start_limit: limit, shards } = gatewayBotIn(await api.gateway.getBot());
    const { remaining, total, reset_after: resetMs } = limit;
    const left = `${remaining.toLocaleString("en")} of ${total.toLocaleString("en")} connections are left`;
    const spared = sparedSessions(limit);
    if (remaining >= shards + spared) return ok(`${left} for the next ${duration(resetMs)}`);
    const remedy = `find out what starts the bot again and again; there are new ones in ${duration(resetMs)}`;
    return wrong(`${left}, of which the bot leaves ${spared} unused`, remedy);
  } catch (error) {
    return unreachable(error);
  }
}

const named = (names: readonly string[]) => names.map((name) => `/${printable(name, 32)}`).join(", ");

interface CommandsDeps {
  readonly api: API;
  readonly identity: Identity;
  readonly config: Config;
  readonly storage: Storage | undefined;
}

/** Whether Discord has the commands of this version. Sends one request. */
export async function checkCommands(deps: CommandsDeps, commands: readonly Command[]): Promise<Result> {
  const { api, identity, config, storage } = deps;
  const { discordGuildId: guildId } = config;
  try {
    const scope = { api, applicationId: identity.applicationId, guildId, commands };
    const { missing, unknown, isSame } = await inspectPublished(scope, storage?.table(publishedTable));
    if (missing.length + unknown.length === 0 && isSame !== false) {
      return ok(`${commands.length} are published${guildId === undefined ? "" : ` to server ${guildId} alone`}`);
    }
    const remedy = "start the bot, or restart it: it publishes them, or its log says why not";
    if (isSame === undefined && missing.length === commands.length) return warn("none are published yet", remedy);
    if (missing.length > 0) return wrong(`Discord lacks ${named(missing)}`, remedy);
    if (unknown.length === 0) return warn("this version's are not published yet", remedy);
    const other = "restart the bot; if they come back, another program publishes with the same token";
    return warn(`Discord has others, too: ${named(unknown.slice(0, 10))}`, other);
  } catch (error) {
    const isOutside = isRefusal(error) && (error.status === 403 || error.status === 404);
    if (guildId === undefined || !isOutside) return unreachable(error);
    const remedy = "invite the bot there, or take DISCORD_GUILD_ID out: then they are published everywhere";
    return wrong(`the bot is not in server ${guildId}, which DISCORD_GUILD_ID names`, remedy);
  }
}
