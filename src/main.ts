import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { loadEnvFile } from "node:process";
import { API } from "@discordjs/core";
import { commands } from "../commands/index.ts";
import type { SetUp } from "../commands/store/set-up.ts";
import { Alerts } from "./alerts/alerts.ts";
import { createLease } from "./alerts/lease.ts";
import { createSchedule, intervalOf, isSchedule } from "./alerts/schedule.ts";
import type { ChosenAlerts } from "./alerts/turn-on.ts";
import { localeOf } from "./basics/locale.ts";
import type { Log } from "./basics/log.ts";
import { createTurns } from "./basics/turns.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { createAccess } from "./discord/access.ts";
import { createAttempts, createTokenAttempts } from "./discord/attempts.ts";
import { lookAtChannel } from "./discord/channel-look.ts";
import { createDispatch } from "./discord/dispatch.ts";
import { createGateway } from "./discord/gateway.ts";
import { createGreeter } from "./discord/greeter.ts";
import { createInvalidAnswers } from "./discord/invalid-answers.ts";
import { inviteLink } from "./discord/invite.ts";
import { DiscordRefusedError, patiently } from "./discord/patiently.ts";
import { presentGuilds } from "./discord/present-guilds.ts";
import { publishCommands } from "./discord/publish.ts";
import { createRest } from "./discord/rest.ts";
import { createRestMessenger } from "./discord/rest-messenger.ts";
import { createUploads } from "./discord/uploads.ts";
import { portalPage, whoAmI } from "./discord/who-am-i.ts";
import { createGuilds, type Guild } from "./guilds/guilds.ts";
import { createRounds } from "./guilds/rounds.ts";
import { loadSecretKeys } from "./guilds/secret-keys.ts";
import { createVault } from "./guilds/vault.ts";
import { databaseFiles, looseFiles } from "./operations/file-modes.ts";
import { createLog } from "./operations/log.ts";
import { createShutdown, type Shutdown } from "./operations/shutdown.ts";
import type { Services } from "./services.ts";
import { createDrafts } from "./sessions/drafts.ts";
import { createSessions } from "./sessions/sessions.ts";
import { openStorage } from "./storage/open-storage.ts";
import { StorageError } from "./storage/table.ts";
import { createStoreApi } from "./store-api/store-api.ts";
import type { ListQuery } from "./store-queries/pages.ts";
import { createCatalog } from "./store-queries/recent.ts";
import { texts } from "./views/catalogue/catalogue.ts";
import { ProblemError } from "./views/problem.ts";

/** The contract gives the whole process 10 s to end. */
const shutdownDeadlineMs = 9_000;
/** What a poll or an answer under way gets to end by itself; what does not is recorded and goes on at the next start. */
const settleDeadlineMs = 2_500;
const secretKeyFile = "data/secret.key";

/** A person who starts the bot for the first time is asked for what is needed; a service is told what is missing. */
const isFirstStart = () =>
  process.stdin.isTTY && process.stdout.isTTY && !existsSync(".env") && !process.env.DISCORD_TOKEN?.trim();

async function configOrExit(): Promise<Config> {
  try {
    if (isFirstStart()) {
      const { firstStart } = await import("./first-start/first-start.ts");
      const locale = localeOf(Intl.DateTimeFormat().resolvedOptions().locale);
      await firstStart(".env", process.env, (environment) => readConfig(environment, isSchedule), locale);
    }
    if (existsSync(".env")) loadEnvFile(".env");
    return readConfig(process.env, isSchedule);
  } catch (error) {
    const lines = error instanceof ConfigError ? error.lines : [`.env cannot be read: ${String(error)}`];
    for (const line of lines) console.error(line);
    process.exit(1);
  }
}

/** Whether the work ended within its time. */
const settles = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    new Promise<boolean>((resolve) => setTimeout(resolve, settleDeadlineMs, false).unref()),
  ]);

/** Builds the parts from the ground up and starts them; each is ended in the reverse order. */
async function start(config: Config, log: Log, shutdown: Shutdown): Promise<void> {
  const keptFiles = new Set([".env", dirname(secretKeyFile), secretKeyFile, ...databaseFiles(config.storageUrl)]);
  for (const warning of [...config.warnings, ...(await looseFiles([...keptFiles]))]) log.warn({}, warning);
  const keys = await loadSecretKeys(config.secretKeys, secretKeyFile);
  const vault = createVault(keys);
  const storage = await openStorage(config.storageUrl, log);
  shutdown.add("storage", () => storage.close());
  const storeApi = createStoreApi({ baseUrl: config.storeApiUrl, orderParams: config.orderParams, log });

  const background = (work: Promise<unknown>, message: string) => {
    work.catch((error: unknown) => log.error({ err: error }, message));
  };
  const lease = createLease({
    table: storage.table("lease", { impersonal: true }),
    log,
    onTerm() {
      // Another process may have polled meanwhile, and servers may have come.
      alerts.forgetMemory();
      schedule.round();
      void rounds.reseal();
    },
    onChanged: () => alerts.forgetMemory(),
  });
  const invalidAnswers = createInvalidAnswers({ log });
  const rest = createRest({
    token: config.discordToken,
    apiUrl: config.discordApiUrl,
    invalidAnswers,
    // A send that waited for a rate limit while the process was suspended is another process's by now.
    onRequest: () => void lease.term(),
  });
  const api = new API(rest);
  const guilds = createGuilds({ storage, vault, mayReseal: () => lease.term() !== undefined });
  guilds.onChange(() => background(lease.changed(), "the process that polls could not be told of a change"));
  const storeOf = (guild: Guild, who: "person" | "nobody", person?: string) => {
    const token = guilds.tokenOf(guild);
    return token === undefined ? undefined : storeApi.forToken(token, who, person);
  };

  const patience = { signal: shutdown.signal, log };
  const { botId, applicationId, hindrances } = await patiently(() => whoAmI(api, config.discordToken), patience);
  for (const hindrance of hindrances)
    log.warn({}, texts("en").firstStart.hindrance[hindrance](portalPage(hindrance, applicationId)));
  log.info({}, `invite link: ${inviteLink(applicationId)}`);
  const alerts = new Alerts({
    storage,
    guilds,
    vault,
    storeOf: (guild) => storeOf(guild, "nobody"),
    right: lease,
    pollSoon: (guildId) => schedule.pollSoon(guildId),
    messenger: createRestMessenger({ api, botId }),
    log,
    signal: shutdown.signal,
  });

  const mayKeep = async (guildId: string) => (await guilds.get(guildId)).token !== undefined;
  const lists = createSessions<ListQuery>({ storage, vault, mayKeep }, "lists");
  const unconfirmed = createSessions<ChosenAlerts>({ storage, vault, mayKeep }, "unconfirmed");
  const setUps = createSessions<SetUp>({ storage, vault, mayKeep }, "set-ups");
  const drafts = createDrafts({ storage, vault, mayKeep, now: Date.now });
  const catalog = createCatalog();
  const forget = async (guildId: string) => {
    try {
      // It waits for the poll under way. Once it has taken the token, nothing new is kept for the server.
      await alerts.forget(guildId);
    } finally {
      catalog.forget(guildId);
      await Promise.all([lists, unconfirmed, setUps, drafts].map((kept) => kept.forget(guildId)));
    }
  };
  const rounds = createRounds({
    guilds,
    isRotating: keys.length > 1,
    present: () => presentGuilds(api, shutdown.signal),
    forget,
    adopt: (guildIds) => alerts.adopt(guildIds),
    log,
    random: Math.random,
  });
  shutdown.add("rounds", async () => rounds.stop());
  rounds.start();
  const looks = createTurns();
  const services = {
    guilds,
    alerts,
    forget,
    lists,
    unconfirmed,
    setUps,
    drafts,
    // Each look is several requests, and people choose the channel: one at a time for each server.
    lookAt: (at: Parameters<typeof lookAtChannel>[2]) => looks(at.guildId, () => lookAtChannel(api, botId, at)),
    attempts: createAttempts(),
    tokenAttempts: createTokenAttempts(),
    catalog,
    uploads: createUploads({ apiUrl: config.discordApiUrl }),
    storeHost: new URL(config.storeApiUrl).host,
    pollIntervalMs: intervalOf(config.pollSchedule),
    log,
    now: Date.now,
  };
  // People of one store take turns in asking it.
  const servicesFor = ({ userId }: { userId: string }): Services => ({
    ...services,
    forToken: (token) => storeApi.forToken(token, "person", userId),
    async connected(guildId) {
      const guild = await guilds.get(guildId);
      const store = storeOf(guild, "person", userId);
      if (!store) throw new ProblemError({ code: "not_connected" });
      return { guild, store };
    },
  });

  let published: ReadonlyMap<string, string> = new Map();
  const access = createAccess({
    applicationId,
    staffRole: async (guildId) => (await guilds.get(guildId)).settings.staffRoleId,
    fetchOverrides: (guildId) => api.applicationCommands.getGuildCommandsPermissions(applicationId, guildId),
  });
  const answers = createRest({
    token: config.discordToken,
    apiUrl: config.discordApiUrl,
    what: "answers",
    invalidAnswers,
  });
  const dispatch = createDispatch({
    api: new API(answers),
    commands,
    commandIds: () => published,
    access,
    servicesFor,
    log,
  });
  shutdown.add("interactions", async () => {
    const isIdle = await settles(dispatch.end());
    await storeApi.close();
    // Whoever still waited for the store gets a sentence instead.
    if (!isIdle) await settles(dispatch.end());
  });

  const greeter = createGreeter({
    api,
    greeted: storage.table("greeted", { impersonal: true }),
    isConnected: async (guildId) => (await guilds.get(guildId)).token !== undefined,
    log,
    now: Date.now,
  });
  const gateway = createGateway({
    rest,
    token: config.discordToken,
    handlers: {
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
        const deleted = Promise.all([forget(guildId), greeter.forget(guildId)]).then(() =>
          log.info({ guild: guildId }, "removed from a server; its data is deleted"),
        );
        background(deleted, "a server's data could not be deleted");
      },
      onGuildChanged: (guildId) => alerts.channelMended(guildId),
      onAccessChanged: (guildId) => access.forget(guildId),
      onRefused(error) {
        log.error({ err: error }, error.message);
        void end(1);
      },
    },
    log,
  });
  shutdown.add("gateway", () => gateway.close());

  const schedule = createSchedule({
    expression: config.pollSchedule,
    guildIds: () => alerts.guildIds(),
    poll: (guildId) => alerts.poll(guildId),
    log,
  });
  shutdown.add("polls", async () => {
    schedule.stop();
    // While a send may still be under way, no other process is to begin: the lease then ends by itself.
    await lease.end({ release: await settles(alerts.idle()) });
  });
  // Alerts wait neither for Discord to take the commands nor for its gateway, and neither of these for the lease.
  const polling = lease.begin().then(() => {
    if (!shutdown.signal.aborted) schedule.start();
  });
  published = await patiently(
    () =>
      publishCommands({
        api,
        applicationId,
        guildId: config.discordGuildId,
        commands,
        published: storage.table("published"),
        log,
      }),
    patience,
  );
  await Promise.all([polling, gateway.connect(shutdown.signal)]);
  if (!shutdown.signal.aborted) log.info({}, "ready");
}

const config = await configOrExit();
const log = createLog({ level: config.logLevel, terminal: process.stdout.isTTY });
const shutdown = createShutdown({ log, deadlineMs: shutdownDeadlineMs });

async function end(code?: number): Promise<never> {
  const cleanCode = await shutdown.run();
  process.exit(code ?? cleanCode);
}

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    log.info({ signal: name }, "ending");
    void end();
  });
}
// A fault in a library's background work must not take every server's alerts down.
process.on("unhandledRejection", (error) => log.error({ err: error }, "a background task failed"));

try {
  await start(config, log, shutdown);
} catch (error) {
  if (!shutdown.signal.aborted) {
    const reason = error instanceof DiscordRefusedError || error instanceof StorageError ? error.message : "internal";
    log.error({ err: error }, `Shopbell could not start: ${reason}`);
    await end(1);
  }
}
