import { API } from "@discordjs/core";
import { RESTEvents } from "@discordjs/rest";
import { withDeadline } from "../basics/deadline.ts";
import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import { shopbellVersion } from "../basics/shopbell-version.ts";
import { type Config, ConfigError } from "../config.ts";
import type { Command } from "../discord/commands/define-command.ts";
import type { Identity } from "../discord/publishing/identity.ts";
import { createRest } from "../discord/rest/rest.ts";
import type { Vault } from "../guilds/vault.ts";
import type { Storage } from "../storage/table.ts";
import { checkCommands, checkGateway, checkIdentity } from "./check-discord.ts";
import { checkServers } from "./check-servers.ts";
import { checkBot, checkKeys, checkStorage, type Kept, readGuilds } from "./check-storage.ts";
import { type ClockDifference, checkClock, checkQueue, checkSettings, checkStore } from "./check-surroundings.ts";
import { type Checked, type Finding, type Result, wrong } from "./finding.ts";

/** Time limit of one check, because an operator waits for each line. */
const timeoutMs = 10_000;
/** Time limit of the check for a running bot. A lease is valid for 15 s, also if its owner no longer renews it. */
const leaseTimeoutMs = 20_000;

export interface ExamineDeps<S> {
  /** Throws `ConfigError`. */
  readonly readConfig: () => Config;
  readonly keyFile: string;
  readonly commands: readonly Command<S>[];
}

/** Results of earlier checks that later ones need. */
interface Known {
  identity?: Identity;
  isStoreThere: boolean;
  storage?: Storage;
  kept?: Kept;
  vault?: Vault;
  readonly clocks: ClockDifference[];
}

/**
 * Runs one check and returns its findings. If the check takes too long, or fails in an unknown way, that is the
 * finding.
 */
async function run(check: Checked, work: () => Promise<readonly Result[]>, ms = timeoutMs): Promise<Finding[]> {
  const late = wrong(
    `no answer within ${ms / 1_000} s`,
    "check again; if it lasts, look at what stands between this machine and there",
  );
  const results = await withDeadline(work(), ms, [late]).catch((error: unknown) => {
    const remedy = "check again; if it lasts, it is an error of this program: tell those who make it";
    return [wrong(`could not be checked (${printable(reasonOf(error))})`, remedy)];
  });
  return results.map((result) => ({ check, ...result }));
}

/** Makes one finding for all checks that were skipped. */
const skippedFinding = (skipped: readonly string[]): Finding => ({
  check: "Skipped",
  state: "skipped",
  says: skipped.join("; "),
});

/**
 * Checks everything that the bot needs, each part before the parts that depend on it, and yields the findings one by
 * one. It changes nothing on this machine, at Discord or at the store. It ends within some minutes: each check has 10
 * s, except the check of the running bot (20 s) and the checks of all servers together (two minutes).
 */
export async function* examine<S>({ readConfig, keyFile, commands }: ExamineDeps<S>): AsyncGenerator<Finding> {
  // An older Node does not get here: src/start.js ends it.
  yield { check: "Node", state: "ok", says: `${process.versions.node}; this is Shopbell ${shopbellVersion}` };
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.lines) {
      // In a line about a setting, the part before the semicolon is the problem, and the part after it is a good value.
      const [says = line, ...rest] = line.split("; ");
      yield { check: "Settings", ...wrong(says, rest.join("; ") || "correct it, and check again") };
    }
    return yield skippedFinding(["all else (the settings are wrong)"]);
  }
  const known: Known = { isStoreThere: false, clocks: [] };
  const rest = createRest({ token: config.discordToken, apiUrl: config.discordApiUrl });
  rest.on(RESTEvents.Response, (_, { headers }) => {
    const at = Date.parse(headers.get("date") ?? "");
    if (known.clocks.length === 0 && !Number.isNaN(at)) known.clocks.push({ whose: "Discord", ms: at - Date.now() });
  });
  const api = new API(rest);
  const skipped: string[] = [];
  const skip = (reason: string, ...names: string[]) => skipped.push(`${names.join(", ")} (${reason})`);

  yield* await run("Settings", () => checkSettings(config, keyFile));
  yield* await run("Storage", async () => {
    const { storage, results } = await checkStorage(config.storageUrl);
    if (storage) Object.assign(known, { storage, kept: await readGuilds(storage) });
    return results;
  });
  const { storage, kept, clocks } = known;
  if (storage && kept) {
    yield* await run("Keys", async () => {
      const { vault, results } = await checkKeys(config.secretKeys, keyFile, kept);
      if (vault) known.vault = vault;
      return results;
    });
    yield* await run("Bot", async () => [await checkBot(storage, config.role)], leaseTimeoutMs);
  } else skip("nothing is read from the storage", "Keys", "Bot", "Server");
  const { queueUrl } = config;
  if (queueUrl !== undefined) yield* await run("Queue", async () => [await checkQueue(queueUrl)]);

  yield* await run("Discord", async () => {
    const { identity, results } = await checkIdentity(api, config.discordToken);
    if (identity) known.identity = identity;
    return results;
  });
  const { identity } = known;
  if (identity) {
    yield* await run("Gateway", async () => [await checkGateway(api)]);
    yield* await run("Commands", async () => [await checkCommands({ api, identity, config, storage }, commands)]);
  } else skip("Discord gave no bot to the token", "Gateway", "Commands", "channels of servers");

  yield* await run("Store", async () => {
    const { result, probe } = await checkStore(config.storeApiUrl);
    known.isStoreThere = result.state === "ok";
    if (probe.kind !== "none" && probe.servedAt !== undefined)
      clocks.push({ whose: "the store", ms: probe.servedAt - Date.now() });
    return [result];
  });
  if (!known.isStoreThere) skip("no store's API answers", "API tokens of servers");
  if (clocks.length > 0) yield { check: "Clock", ...checkClock(clocks) };
  else skip("neither Discord nor the store said what time it is", "Clock");

  if (storage && kept) {
    for await (const result of checkServers({ ...known, storage, kept, config, api }))
      yield { check: "Server", ...result };
  }
  if (skipped.length > 0) yield skippedFinding(skipped);
}
