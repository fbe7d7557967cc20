import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { dirname } from "node:path";
import { API } from "@discordjs/core";
import { commands } from "../commands/index.ts";
import manifest from "../package.json" with { type: "json" };
import type { Alerts } from "./alerts/alerts.ts";
import { isPolled, leaseTable } from "./alerts/lease.ts";
import { intervalOf, isSchedule } from "./alerts/schedule.ts";
import { localeOf } from "./basics/locale.ts";
import type { Log } from "./basics/log.ts";
import { type Config, readConfig } from "./config.ts";
import { type Access, createAccess } from "./discord/access.ts";
import type { Caller } from "./discord/caller.ts";
import { lookAtChannel } from "./discord/channel-look.ts";
import { createDispatch, type Dispatch } from "./discord/dispatch.ts";
import { createGateway, type GatewayHandlers } from "./discord/gateway.ts";
import { createGreeter, type Greeter, greetedTable } from "./discord/greeter.ts";
import { fetchIdentity, portalPage } from "./discord/identity.ts";
import { createInvalidAnswers } from "./discord/invalid-answers.ts";
import { inviteLink } from "./discord/invite.ts";
import { presentGuilds } from "./discord/present-guilds.ts";
import { publishedTable } from "./discord/publish.ts";
import { createPublishing } from "./discord/publishing.ts";
import { createRest } from "./discord/rest.ts";
import { createRestMessenger } from "./discord/rest-messenger.ts";
import { DiscordRefusedError, retryUnlessRefused } from "./discord/retry-unless-refused.ts";
import { createUploads } from "./discord/uploads.ts";
import { createGuilds } from "./guilds/guilds.ts";
import { createRounds, type Rounds } from "./guilds/rounds.ts";
import { loadSecretKeys, secretKeyFile } from "./guilds/secret-keys.ts";
import { createVault } from "./guilds/vault.ts";
import { configOrExit, loadConfig } from "./load-config.ts";
import { exit } from "./operations/exit.ts";
import { looseFiles } from "./operations/file-modes.ts";
import { createLog } from "./operations/log.ts";
import { createShutdown, type Shutdown } from "./operations/shutdown.ts";
import { startWatching, type Watching } from "./operations/watching.ts";
import { createPolling, type Polling, settles } from "./polling.ts";
import { createServices, type Services } from "./services.ts";
import { openStorage } from "./storage/open-storage.ts";
import { assertPrepared, DataError, prepareData } from "./storage/prepare-data.ts";
import { databaseFiles } from "./storage/sqlite-path.ts";
import { StorageError, type WholeStorage } from "./storage/table.ts";
import { createStoreApi, type StoreApi } from "./store-api/store-api.ts";
import { texts } from "./views/catalogue/catalogue.ts";

/** The contract gives the whole process 10 s to end. */
const shutdownDeadlineMs = 9_000;
/** A person who starts the bot for the first time is asked for what is needed; a service is told what is missing. */
const isFirstStart = () =>
  process.stdin.isTTY && process.stdout.isTTY && !existsSync(".env") && !process.env.DISCORD_TOKEN?.trim();

/** The settings, after the questions of a first start. */
async function askedConfig(): Promise<Config> {
  if (isFirstStart()) {
    const { firstStart } = await import("./first-start/first-start.ts");
    const locale = localeOf(Intl.DateTimeFormat().resolvedOptions().locale);
    await firstStart(".env", process.env, (environment) => readConfig(environment, isSchedule), locale);
  }
  return loadConfig();
}

/** What every part of this process works with. */
interface Process {
  readonly config: Config;
  readonly log: Log;
  readonly shutdown: Shutdown;
  readonly watching: Watching;
}

/** What is kept, and the keys to it. */
async function openKept({ config, log, shutdown, watching }: Process) {
  const keptFiles = new Set([".env", dirname(secretKeyFile), secretKeyFile, ...databaseFiles(config.storageUrl)]);
  for (const warning of [...config.warnings, ...(await looseFiles([...keptFiles]))]) log.warn({}, warning);
  const keys = await loadSecretKeys(config.secretKeys, secretKeyFile);
  const vault = createVault(keys);
  const storage = await openStorage(config.storageUrl, log, watching.metrics);
  shutdown.add("storage", () => storage.close());
  await prepareData(storage, { url: config.storageUrl, isPolled: () => isPolled(storage.table(leaseTable)), log });
  return { vault, storage, guilds: createGuilds({ storage, vault }), isRotating: keys.length > 1 };
}

/**
 * Discord's REST API, with a client of its own for answers, and who the bot is there.
 *
 * @param onRequest before each request but answers
 */
async function reachDiscord({ config, log, shutdown, watching }: Process, onRequest: () => void) {
  const { discordToken: token, discordApiUrl: apiUrl } = config;
  const invalidAnswers = createInvalidAnswers({ log });
  const shared = { token, apiUrl, invalidAnswers, metrics: watching.metrics };
  const rest = createRest({ ...shared, onRequest });
  const answers = createRest({ ...shared, what: "answers" });
  const api = new API(rest);
  const patience = { signal: shutdown.signal, log };
  const { hindrances, ...identity } = await retryUnlessRefused(() => fetchIdentity(api, token), patience);
  const say = texts("en").firstStart;
  for (const hindrance of hindrances) {
    log.warn({}, say.hindrance[hindrance](portalPage(hindrance, identity.applicationId)));
  }
  log.info({}, `invite link: ${inviteLink(identity.applicationId)}`);
  return { rest, api, answers: new API(answers), ...identity };
}

type Kept = Awaited<ReturnType<typeof openKept>>;
type Discord = Awaited<ReturnType<typeof reachDiscord>>;

/** Answers people. `publish` makes the commands known to Discord, and the integration settings of servers to access. */
function createAnswering(
  { config, log, shutdown }: Process,
  { storage, guilds }: Kept,
  { api, answers, applicationId }: Discord,
  servicesFor: (caller: Caller) => Services,
) {
  const publishing = createPublishing({
    api,
    applicationId,
    guildId: config.discordGuildId,
    commands,
    published: storage.table(publishedTable),
    log,
  });
  const access = createAccess({
    applicationId,
    staffRole: async (guildId) => (await guilds.get(guildId)).settings.staffRoleId,
    fetchOverrides: (guildId) => api.applicationCommands.getGuildCommandsPermissions(applicationId, guildId),
  });
  const dispatch = createDispatch({ api: answers, commands, commandIds: publishing.ids, access, servicesFor, log });
  return { access, dispatch, publish: () => publishing.begin(shutdown.signal) };
}

/** What is done about what Discord tells. */
function gatewayHandlers(
  { log }: Process,
  parts: {
    readonly alerts: Alerts;
    readonly rounds: Rounds;
    readonly greeter: Greeter;
    readonly access: Access;
    readonly dispatch: Dispatch;
    forget(guildId: string): Promise<void>;
  },
): GatewayHandlers {
  const { alerts, rounds, greeter, access, dispatch, forget } = parts;
  return {
    onReady(present) {
      void rounds.compare(present);
      if (present.size === 0) log.info({}, "in no server yet: open the invite link and choose one");
    },
    onGuild(guild, isNew) {
      if (!isNew) return;
      log.info({ guild: guild.id, server: guild.name }, "joined a server");
      void greeter.see(guild);
    },
    onInteraction: (interaction) => void dispatch.handle(interaction),
    onGuildRemoved(guildId) {
      Promise.all([forget(guildId), greeter.forget(guildId)]).then(
        () => log.info({ guild: guildId }, "removed from a server; its data is deleted"),
        (error: unknown) => log.error({ err: error }, "a server's data could not be deleted"),
      );
    },
    onGuildChanged: (guildId) => alerts.channelMended(guildId),
    onAccessChanged: (guildId) => access.forget(guildId),
    onRefused(error) {
      log.error({ err: error }, error.message);
      void end(1);
    },
  };
}

/** The part that people meet: it answers commands, greets, and forgets servers that are left. */
function startAnswering(run: Process, kept: Kept, discord: Discord, { alerts }: Polling, storeApi: StoreApi) {
  const { config, log, shutdown, watching } = run;
  const { storage, vault, guilds, isRotating } = kept;
  const { rest, api, botId, applicationId } = discord;
  const { servicesFor, forget } = createServices({
    storage,
    vault,
    storeApi,
    guilds,
    alerts,
    lookAt: (at) => lookAtChannel(api, botId, at),
    uploads: createUploads({ apiUrl: config.discordApiUrl }),
    storeHost: new URL(config.storeApiUrl).host,
    pollIntervalMs: intervalOf(config.pollSchedule),
    log,
    now: Date.now,
  });
  const rounds = createRounds({
    guilds,
    isRotating,
    present: () => presentGuilds(api, shutdown.signal),
    forget,
    adopt: (guildIds) => alerts.adopt(guildIds),
    log,
    random: Math.random,
  });
  const { access, dispatch, publish } = createAnswering(run, kept, discord, servicesFor);
  const greeter = createGreeter({
    api,
    greeted: storage.table(greetedTable),
    isConnected: async (guildId) => (await guilds.get(guildId)).token !== undefined,
    log,
    now: Date.now,
  });
  const handlers = gatewayHandlers(run, { alerts, rounds, greeter, access, dispatch, forget });
  const { discordToken: token, shards } = config;
  const { metrics } = watching;
  const gateway = createGateway({ rest, token, applicationId, shards, storage, handlers, log, metrics });
  watching.add(gateway.vitals);
  return { rounds, dispatch, publish, gateway };
}

/** Builds the parts from the ground up and starts them; each is ended in the reverse order. */
async function start(run: Process): Promise<void> {
  const { config, log, shutdown, watching } = run;
  const { metrics } = watching;
  const { signal } = shutdown;
  const kept = await openKept(run);
  watching.begin();
  const { storage, vault, guilds, isRotating } = kept;
  const storeApi = createStoreApi({ baseUrl: config.storeApiUrl, orderParams: config.orderParams, log, metrics });
  let polling: Polling | undefined;
  // A send that waited for a rate limit while the process was suspended is another process's by now.
  const discord = await reachDiscord(run, () => polling?.look());
  const { api, botId, applicationId } = discord;
  polling = await createPolling({
    config,
    storage,
    vault,
    guilds,
    storeApi,
    messenger: createRestMessenger({ api, botId }),
    log,
    metrics,
    signal,
    applicationId,
    assertPrepared: () => assertStillPrepared(storage),
    onTerm: () => void answering?.rounds.reseal(),
    // The other process may have an older first key, with which it sealed a token.
    onChanged: () => isRotating && void answering?.rounds.reseal(),
  });
  watching.add(polling.vitals);
  const answering = config.role === "worker" ? undefined : startAnswering(run, kept, discord, polling, storeApi);

  shutdown.add("queue", () => polling?.close());
  shutdown.add("rounds", () => answering?.rounds.stop());
  shutdown.add("interactions", async () => {
    const isIdle = answering === undefined || (await settles(answering.dispatch.end()));
    await storeApi.close();
    // Whoever still waited for the store gets a sentence instead.
    if (!isIdle) await settles(answering.dispatch.end());
  });
  shutdown.add("gateway", () => answering?.gateway.close());
  shutdown.add("polls", () => polling?.end());

  // Only a cold cache takes long (1,245 files): 0.1 to 0.8 s, and up to 6 s where five processes did it at once (measured). So
  // it is done while nobody waits for this process yet. Node itself writes at the end of it, which a kill leaves out.
  flushCompileCache();
  answering?.rounds.start();
  // Alerts wait neither for Discord to take the commands nor for its gateway, and neither of these for the right to poll.
  const begun = polling.begin();
  await answering?.publish();
  await Promise.all([begun, answering?.gateway.connect(signal)]);
  if (signal.aborted) return;
  watching.ready();
  log.info(config.role === "all" ? {} : { role: config.role }, "ready");
}

const config = await configOrExit(askedConfig);
const log = createLog({ level: config.logLevel, terminal: process.stdout.isTTY });
const shutdown = createShutdown({ log, deadlineMs: shutdownDeadlineMs });

/** What went wrong at any time says how the process ends, whoever began to end it. */
let wrongCode: number | undefined;

async function end(code?: number): Promise<never> {
  wrongCode ??= code;
  const cleanCode = await shutdown.run();
  exit(wrongCode ?? cleanCode);
}

/** An import or a restore may have changed the data since the start: what has to be prepared anew ends the process. */
async function assertStillPrepared(storage: WholeStorage) {
  try {
    await assertPrepared(storage);
  } catch (error) {
    if (error instanceof DataError && wrongCode === undefined) {
      log.fatal({ err: error }, `Shopbell ends: ${error.message}`);
      void end(1);
    }
    throw error;
  }
}

/** A part of the process is dead: a new one is quicker than finding out what it is. */
function onSilent(part: string, silentMs: number) {
  log.fatal(
    { part, silentMs },
    "the watchdog ends the process, for a part of it is silent; nothing is lost, start it again",
  );
  void end(1);
}

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    log.info({ signal: name }, "ending");
    void end();
  });
}
// Nobody knows what state it left behind: a new process goes on from what is recorded. Node makes one of a rejection that
// nobody handles, too.
process.on("uncaughtException", (error) => {
  // One that comes again and again while the process ends would fill the log.
  if (wrongCode === undefined) {
    log.fatal({ err: error }, "an error that nobody caught ends the process; nothing is lost, start it again");
  }
  void end(1);
});

try {
  const watching = await startWatching({ ...config, version: manifest.version, log, shutdown, onSilent });
  await start({ config, log, shutdown, watching });
} catch (error) {
  if (!shutdown.signal.aborted) {
    const known = [DataError, DiscordRefusedError, StorageError].find((kind) => error instanceof kind);
    const reason = known && error instanceof Error ? error.message : "internal";
    log.error({ err: error }, `Shopbell could not start: ${reason}`);
    await end(1);
  }
}
