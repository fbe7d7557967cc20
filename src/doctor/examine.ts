import { API } from "@discordjs/core";
import { RESTEvents } from "@discordjs/rest";
import { shopbellVersion } from "../basics/shopbell-version.ts";
import { type Config, ConfigError } from "../config.ts";
import type { Command } from "../discord/commands/define-command.ts";
import { createRest } from "../discord/rest/rest.ts";
import { checkClock } from "./check-clock.ts";
import { checkCommands, checkGateway, checkIdentity } from "./check-discord.ts";
import { checkQueue } from "./check-queue.ts";
import { checkServers } from "./check-servers.ts";
import { checkSettings } from "./check-settings.ts";
import { checkBot, checkKeys, checkStorage } from "./check-storage.ts";
import { checkStore } from "./check-store.ts";
import { type Examined, type Finding, fromLine, inTime, type Result } from "./finding.ts";

/** The longest time of each check, because an operator waits for its line. */
const timeoutMs = 10_000;
/** The longest time for the check whether a bot runs. A lease is valid for 15 s after its last renewal. */
const leaseTimeoutMs = 20_000;

async function* run<T>(
  check: string,
  work: Promise<Examined<T> | Result>,
  ms = timeoutMs,
): AsyncGenerator<Finding, T | undefined> {
  const found = await inTime(work, ms);
  const { results, value }: Examined<T> = "results" in found ? found : { results: [found] };
  for (const result of results) yield { check, ...result };
  return value;
}

/**
 * Checks everything that the bot needs, each part before the parts that depend on it. Changes nothing on this machine, at
 * Discord or at the store. If `readConfig` throws a `ConfigError`, its lines are the findings.
 */
export async function* examine(readConfig: () => Config, commands: readonly Command[]): AsyncGenerator<Finding> {
  // src/start.js does not start with an older Node.
  yield { check: "Node", state: "ok", says: `${process.versions.node}; this is Shopbell ${shopbellVersion}` };
  const skipped: string[] = [];
  const skip = (reason: string, ...names: string[]) => skipped.push(`${names.join(", ")} (${reason})`);
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.lines) yield { check: "Settings", ...fromLine("wrong", line) };
    return yield { check: "Skipped", state: "skipped", says: "all else (the settings are wrong)" };
  }
  const { discordToken: token, queueUrl } = config;
  const rest = createRest({ token, apiUrl: config.discordApiUrl });
  /** How far Discord's clock is ahead of this machine's. */
  let aheadMs: number | undefined;
  rest.on(RESTEvents.Response, (_, { headers }) => {
    const at = Date.parse(headers.get("date") ?? "");
    if (!Number.isNaN(at)) aheadMs ??= at - Date.now();
  });
  const api = new API(rest);

  yield* run("Settings", checkSettings(config));
  const kept = yield* run("Storage", checkStorage(config.storageUrl));
  const vault = kept && (yield* run("Keys", checkKeys(config.secretKeys, kept)));
  if (kept) yield* run("Bot", checkBot(kept.storage, config.role), leaseTimeoutMs);
  else skip("nothing is read from the storage", "Keys", "Bot", "Server");
  if (queueUrl !== undefined) yield* run("Queue", checkQueue(queueUrl));

  const identity = yield* run("Discord", checkIdentity(api, token));
  if (identity) {
    yield* run("Gateway", checkGateway(api));
    yield* run("Commands", checkCommands({ api, identity, config, storage: kept?.storage }, commands));
  } else skip("Discord gave no bot to the token", "Gateway", "Commands", "channels of servers");

  const isStoreThere = yield* run("Store", checkStore(config.storeApiUrl));
  if (!isStoreThere) skip("no store's API answers", "API tokens of servers");
  if (aheadMs === undefined) skip("Discord did not say what time it is", "Clock");
  else yield { check: "Clock", ...checkClock(aheadMs) };

  if (kept) {
    const servers = checkServers({ config, api, kept, identity, vault, isStoreThere: isStoreThere === true });
    for await (const result of servers) yield { check: "Server", ...result };
  }
  if (skipped.length > 0) yield { check: "Skipped", state: "skipped", says: skipped.join("; ") };
}
