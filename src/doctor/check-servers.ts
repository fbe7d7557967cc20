import { setTimeout as delay } from "node:timers/promises";
import type { API } from "@discordjs/core";
import { withDeadline } from "../basics/deadline.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import type { Identity } from "../discord/publishing/identity.ts";
import { presentGuilds } from "../discord/publishing/present-guilds.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Vault } from "../guilds/vault.ts";
import type { Storage } from "../storage/table.ts";
import { createStoreApi } from "../store-api/store-api.ts";
import { checkServer } from "./check-server.ts";
import { type Kept, tokenOf } from "./check-storage.ts";
import { type Finding, ok, shown, warn, wrong } from "./finding.ts";

const atATime = 5;
const deadlineMs = 10_000;
/** Of all servers together: nobody waits longer for an answer. */
const longestMs = 120_000;
/** Each is asked for up to four things at Discord: 16 requests a second leave a bot that runs two thirds of its 50. */
const everyMs = 250;

const quiet = { debug: () => undefined, warn: () => undefined };

/** What the servers are looked at with; what is undefined could not be had. */
export interface ServersDeps {
  readonly config: Config;
  readonly api: API;
  readonly identity?: Identity;
  readonly isStoreThere: boolean;
  readonly storage: Storage;
  readonly kept: Kept;
  readonly vault?: Vault;
}

/** Looks at every server of which something is kept, some at a time, and gives what it finds in the order of the records. */
export async function* checkServers(deps: ServersDeps): AsyncGenerator<Finding> {
  const { config, api, identity, kept, storage, vault } = deps;
  const { guilds } = kept;
  if (guilds.length === 0) return yield ok("Server", "nothing is kept for any server yet");
  const storeApi = createStoreApi({ baseUrl: config.storeApiUrl, orderParams: config.orderParams, log: quiet });
  const listed = identity && presentGuilds(api, AbortSignal.timeout(deadlineMs)).catch(() => undefined);
  const present = await withDeadline(listed, deadlineMs, undefined);
  const until = performance.now() + longestMs;

  async function look(guild: Guild): Promise<readonly Finding[]> {
    const token = deps.isStoreThere ? tokenOf(guild, vault) : undefined;
    const signal = AbortSignal.timeout(deadlineMs);
    const remedy = "look again later";
    const late = { ...warn("Server", `no answer within ${deadlineMs / 1_000} s`, remedy), server: guild.id };
    const work = checkServer(guild, {
      storage,
      store: token === undefined ? undefined : storeApi.forToken(token, "interactive"),
      discord: identity && { api, botId: identity.botId },
      isPresent: present?.has(guild.id),
      now: Date.now(),
      signal,
    }).catch((error: unknown) => [
      { ...wrong("Server", `could not be checked (${shown(reasonOf(error))})`, remedy), server: guild.id },
    ]);
    return withDeadline(work, deadlineMs, [late]);
  }

  const under: Promise<readonly Finding[]>[] = [];
  let asked = 0;
  try {
    for (const guild of guilds) {
      if (performance.now() > until) break;
      if (asked++ > 0) await delay(everyMs);
      under.push(look(guild));
      if (under.length >= atATime) yield* (await under.shift()) ?? [];
    }
    for (const found of under) yield* await found;
  } finally {
    await storeApi.close();
  }
  if (asked < guilds.length) {
    const left = guilds.length - asked;
    yield warn("Server", `${left} of ${guilds.length} servers were not looked at: 2 minutes were over`, "look again");
  }
}
