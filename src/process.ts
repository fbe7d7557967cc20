import { flushCompileCache } from "node:module";
import { API } from "@discordjs/core";
import { commands } from "../commands/index.ts";
import { intervalOf } from "./basics/cron.ts";
import type { Log } from "./basics/log.ts";
import type { Config } from "./config.ts";
import { createPolling, type Polling } from "./create-polling.ts";
import { inspectChannel } from "./discord/commands/inspect-channel.ts";
import { createServices } from "./discord/commands/services.ts";
import { createUploads } from "./discord/commands/uploads.ts";
import { createGateway, type Gateway, type GatewayDeps, type GatewayHandlers } from "./discord/gateway/gateway.ts";
import { type DiscordRefusedError, retryUnlessRefused } from "./discord/gateway/retry-unless-refused.ts";
import { createAccess } from "./discord/interactions/access.ts";
import { createDispatch } from "./discord/interactions/dispatch.ts";
import { createGreeter, greetedTable } from "./discord/publishing/greeter.ts";
import { fetchIdentity } from "./discord/publishing/identity.ts";
import { inviteLink } from "./discord/publishing/invite.ts";
import { presentGuilds } from "./discord/publishing/present-guilds.ts";
import { createCommandPublisher, publishedTable } from "./discord/publishing/publish-commands.ts";
import { createInvalidRequestLimit, type Send } from "./discord/rest/invalid-request-limit.ts";
import { createRest } from "./discord/rest/rest.ts";
import { createRestHealth } from "./discord/rest/rest-health.ts";
import { createRestMessenger } from "./discord/rest/rest-messenger.ts";
import { forgetServer } from "./forget-server.ts";
import { deleteRemovedServers } from "./guilds/delete-removed-servers.ts";
import { loadSecretKeys, secretKeyFile } from "./guilds/secret-keys.ts";
import { createVault } from "./guilds/vault.ts";
import type { Monitoring } from "./operations/monitoring.ts";
import type { Shutdown } from "./operations/shutdown.ts";
import { lockOutBots } from "./polling/lock-out-bots.ts";
import { openStorage } from "./storage/open-storage.ts";
import { assertPrepared, DataError, prepareData } from "./storage/prepare-data.ts";
import { createStoreApi, type StoreApi, type StoreApiDeps } from "./store-api/store-api.ts";

/** Ways to reach the store and Discord without the network, for the simulation (test/simulation/). */
export interface Wires {
  readonly store?: StoreApiDeps["dispatcher"];
  readonly discord?: Send;
  readonly gateway?: (deps: GatewayDeps) => Gateway;
}

export interface Process {
  readonly config: Config;
  readonly log: Log;
  readonly shutdown: Shutdown;
  readonly monitoring: Monitoring;
  readonly wires?: Wires;
  /** Called when this process cannot use the data any more: an import, a restore or a later version of Shopbell changed it. */
  onUnprepared(error: DataError): void;
  /** Called when Discord has ended the connection for good. */
  onRefused(error: DiscordRefusedError): void;
}

async function openKept({ config, log, shutdown, monitoring }: Process) {
  const keys = await loadSecretKeys(config.secretKeys, secretKeyFile);
  const storage = await openStorage(config.storageUrl, log, monitoring.metrics);
  shutdown.add({ storage: () => storage.close() });
  await prepareData(storage, {
    url: config.storageUrl,
    keepOut: async () => (await lockOutBots(storage))?.end,
    log,
  });
  return { vault: createVault(keys), storage };
}

async function reachDiscord({ config, log, shutdown, monitoring, wires }: Process, onRequest: () => void) {
  const { discordToken: token, discordApiUrl: apiUrl, discordRequestsPerSecond: perSecond } = config;
  const { metrics, ...health } = createRestHealth(monitoring.metrics, {
    ask: () => api.gateway.getBot(),
    signal: shutdown.signal,
  });
  monitoring.add(health);
  const shared = {
    token,
    apiUrl,
    perSecond,
    invalidRequests: createInvalidRequestLimit({ log }),
    metrics,
    makeRequest: wires?.discord,
  };
  const rest = createRest({ ...shared, onRequest });
  const answers = new API(createRest({ ...shared, what: "answers" }));
  const api: API = new API(rest);
  const patience = { signal: shutdown.signal, log };
  const { problems, ...identity } = await retryUnlessRefused(() => fetchIdentity(api, token), patience);
  for (const problem of problems) log.warn({}, problem);
  log.info({}, `invite link: ${inviteLink(identity.applicationId)}`);
  const messenger = createRestMessenger({ api, botId: identity.botId });
  return { rest, api, answers, messenger, ...identity };
}

interface Parts extends Process, Awaited<ReturnType<typeof openKept>>, Awaited<ReturnType<typeof reachDiscord>> {
  readonly polling: Polling;
  readonly storeApi: StoreApi;
}

function createAnswering(parts: Parts) {
  const { config, log, shutdown, storage, vault, storeApi, api, answers, botId, applicationId } = parts;
  const { alerts, guilds } = parts.polling;
  const services = createServices({
    storage,
    vault,
    storeApi,
    guilds,
    alerts,
    inspectChannel: (at) => inspectChannel(api, botId, at),
    uploads: createUploads({ apiUrl: config.discordApiUrl }),
    forgetServer: (guildId) => forgetServer(storage, guildId),
    storeHost: new URL(config.storeApiUrl).host,
    pollIntervalMs: intervalOf(config.pollSchedule),
    log,
    now: Date.now,
  });
  const publishing = createCommandPublisher({
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
  const dispatch = createDispatch({
    api: answers,
    commands,
    commandIds: publishing.ids,
    access,
    servicesFor: services.for,
    log,
    ending: shutdown.signal,
  });
  return { forget: services.forget, access, dispatch, publish: () => publishing.publish(shutdown.signal) };
}

function startAnswering(parts: Parts) {
  const { config, log, shutdown, monitoring, wires, storage, rest, api, messenger, applicationId } = parts;
  const { alerts, guilds } = parts.polling;
  const { forget, access, dispatch, publish } = createAnswering(parts);
  const { signal } = shutdown;
  deleteRemovedServers({ guilds, present: () => presentGuilds(api, signal), forget, log, random: Math.random, signal });
  const greeter = createGreeter({
    messenger,
    greeted: storage.table(greetedTable),
    log,
    now: Date.now,
  });
  const handlers: GatewayHandlers = {
    onGuild: (guild) => void greeter.see(guild),
    onInteraction: (interaction) => void dispatch.handle(interaction),
    onGuildRemoved(guildId) {
      Promise.all([forget(guildId), greeter.forget(guildId)]).then(
        () => log.info({ guild: guildId }, "removed from a server; its data is deleted"),
        (error: unknown) => log.error({ err: error, guild: guildId }, "a server's data could not be deleted"),
      );
    },
    onGuildChanged: (guildId) => alerts.channelChanged(guildId),
    onAccessChanged: (guildId) => access.forget(guildId),
    onRefused: parts.onRefused,
  };
  const { discordToken: token, shards } = config;
  const { metrics } = monitoring;
  const openGateway = wires?.gateway ?? createGateway;
  const gateway = openGateway({ rest, token, applicationId, shards, storage, handlers, log, metrics });
  monitoring.add(gateway.health);
  return { publish, gateway, dispatch };
}

/**
 * Resolves when the process is ready, or when its shutdown begins before that. `shutdown` ends the parts.
 *
 * @throws DataError, DiscordRefusedError, SecretKeyError, StorageError and unexpected errors
 */
export async function startProcess(run: Process): Promise<void> {
  const { config, log, shutdown, monitoring, wires } = run;
  const { metrics } = monitoring;
  const { signal } = shutdown;
  const kept = await openKept(run);
  const { storage, vault } = kept;
  const { storeApiUrl: baseUrl, orderParams } = config;
  const storeApi = createStoreApi({ baseUrl, orderParams, log, metrics, dispatcher: wires?.store });
  let polling: Polling | undefined;
  // While a message waits for a rate limit, this process may be suspended, and another process may send the message. So the
  // lease is checked before each request.
  const discord = await reachDiscord(run, () => polling?.look());
  const { messenger, applicationId } = discord;
  polling = await createPolling({
    config,
    storage,
    vault,
    storeApi,
    messenger,
    log,
    metrics,
    signal,
    applicationId,
    async assertPrepared() {
      try {
        await assertPrepared(storage, log);
      } catch (error) {
        if (error instanceof DataError) run.onUnprepared(error);
        throw error;
      }
    },
  });
  monitoring.add(polling.health);
  const answering =
    config.role === "worker" ? undefined : startAnswering({ ...run, ...kept, ...discord, polling, storeApi });

  shutdown.add({ queue: () => polling?.close() });
  shutdown.add({
    async store() {
      await storeApi.close();
      // People who still wait for the store get an error message now.
      await answering?.dispatch.end();
    },
  });
  shutdown.add({
    polls: () => polling?.end(),
    gateway: () => answering?.gateway.close(),
    interactions: () => answering?.dispatch.end(),
  });

  // Node writes its compile cache when the process exits, but not when it is killed. The first write, of over 1,000 files,
  // takes 0.1 to 0.8 s, and up to 6 s if five processes do it at once (measured). So the cache is written here, before people
  // use this process.
  flushCompileCache();
  async function answer() {
    await answering?.publish();
    await answering?.gateway.connect(signal);
  }
  await Promise.all([polling.begin(), answer()]);
  if (signal.aborted) return;
  monitoring.ready();
  log.info(config.role === "all" ? {} : { role: config.role }, "ready");
}
