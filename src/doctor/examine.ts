import { API } from "@discordjs/core";
import { RESTEvents } from "@discordjs/rest";
import { withDeadline } from "../basics/deadline.ts";
import { reasonOf } from "../basics/reason.ts";
import { shopbellVersion } from "../basics/shopbell-version.ts";
import type { Config } from "../config.ts";
import type { Command } from "../discord/commands/define-command.ts";
import type { Identity } from "../discord/publishing/identity.ts";
import { createRest } from "../discord/rest/rest.ts";
import type { Vault } from "../guilds/vault.ts";
import type { Storage } from "../storage/table.ts";
import { checkBot } from "./check-bot.ts";
import { type ClockDifference, checkClock } from "./check-clock.ts";
import { checkCommands, checkGateway, checkIdentity } from "./check-discord.ts";
import { checkQueue } from "./check-queue.ts";
import { checkServers } from "./check-servers.ts";
import { checkSettings, readSettings } from "./check-settings.ts";
import { checkKeys, checkStorage, type Kept, readGuilds } from "./check-storage.ts";
import { checkStore } from "./check-store.ts";
import { type Checked, type Finding, ok, shown, skipped, wrong } from "./finding.ts";

/** The longest that a person waits for one line. */
const deadlineMs = 10_000;
/** A lease that nobody renews is over after 15 s. */
const leaseMs = 20_000;

export interface ExamineDeps<S> {
  /** Throws `ConfigError`. */
  readonly readConfig: () => Config;
  readonly keyFile: string;
  readonly commands: readonly Command<S>[];
}

/** What earlier checks found that later ones need. */
interface Known {
  identity?: Identity;
  isStoreThere: boolean;
  storage?: Storage;
  kept?: Kept;
  vault?: Vault;
  readonly clocks: ClockDifference[];
}

/** The findings of a check; another one where it fails in a way that it does not know, or takes too long. */
async function bounded(
  check: Checked,
  work: () => Promise<readonly Finding[]>,
  ms = deadlineMs,
): Promise<readonly Finding[]> {
  try {
    const remedy = "look again; if it lasts, look at what stands between this machine and there";
    return await withDeadline(work(), ms, [wrong(check, `no answer within ${ms / 1_000} s`, remedy)]);
  } catch (error) {
    const remedy = "look again; if it lasts, it is a fault of this program: tell those who make it";
    return [wrong(check, `could not be checked (${shown(reasonOf(error))})`, remedy)];
  }
}

/**
 * Looks at all that the bot needs, in the order in which the one builds on the other, and gives what it finds as it is
 * found. It changes nothing, neither here nor at Discord or the store, and ends in some minutes at most: each check has
 * 10 s, that of the running bot 20, and all servers together two minutes.
 */
export async function* examine<S>({ readConfig, keyFile, commands }: ExamineDeps<S>): AsyncGenerator<Finding> {
  // With an older one src/start.js says so and ends.
  yield ok("Node", `${process.versions.node}; this is Shopbell ${shopbellVersion}`);
  const config = readSettings(readConfig);
  if (!("discordToken" in config)) {
    yield* config;
    return yield skipped("All else", "the settings are wrong");
  }
  yield* await bounded("Settings", () => checkSettings(config, keyFile));

  const known: Known = { isStoreThere: false, clocks: [] };
  const rest = createRest({ token: config.discordToken, apiUrl: config.discordApiUrl });
  rest.on(RESTEvents.Response, (_, { headers }) => {
    const at = Date.parse(headers.get("date") ?? "");
    if (known.clocks.length === 0 && !Number.isNaN(at)) known.clocks.push({ whose: "Discord", ms: at - Date.now() });
  });
  const api = new API(rest);
  // Looked at first: the commands are compared with what is written down there, and a lease takes its time.
  const storage = bounded("Storage", async () => {
    const { look, findings } = await checkStorage(config.storageUrl);
    if (look?.storage) {
      known.storage = look.storage;
      known.kept = await readGuilds(look.storage);
    }
    return findings;
  });
  const running = storage.then(() => {
    const { storage: opened } = known;
    return opened && bounded("Bot", async () => [await checkBot(opened, config.role)], leaseMs);
  });

  yield* await bounded("Discord", async () => {
    const { identity, findings } = await checkIdentity(api, config.discordToken);
    if (identity) known.identity = identity;
    return findings;
  });
  const { identity } = known;
  await storage;
  if (identity) {
    yield* await bounded("Gateway", async () => [await checkGateway(api)]);
    yield* await bounded("Commands", async () => [await checkCommands({ api, identity, config, ...known }, commands)]);
  } else {
    for (const check of ["Gateway", "Commands"] as const) yield skipped(check, "Discord gave no bot to the token");
  }

  yield* await bounded("Store", async () => {
    const { finding, found } = await checkStore(config.storeApiUrl);
    known.isStoreThere = finding.state === "ok";
    if (found.kind !== "none" && found.servedAt !== undefined)
      known.clocks.push({ whose: "the store", ms: found.servedAt - Date.now() });
    return [finding];
  });
  yield* await storage;
  const { queueUrl } = config;
  if (queueUrl !== undefined) yield* await bounded("Queue", async () => [await checkQueue(queueUrl)]);
  yield* await bounded("Keys", async () => {
    if (!known.kept) return [skipped("Keys", "nothing is read from the storage")];
    const { vault, findings } = await checkKeys(config.secretKeys, keyFile, known.kept);
    if (vault) known.vault = vault;
    return findings;
  });
  if (known.clocks.length > 0) yield checkClock(known.clocks);
  else yield skipped("Clock", "neither Discord nor the store said what time it is");
  yield* (await running) ?? [skipped("Bot", "nothing is read from the storage")];

  const { kept } = known;
  if (!kept || !known.storage) return yield skipped("Server", "nothing is read from the storage");
  yield* checkServers({ ...known, storage: known.storage, kept, config, api });
}
