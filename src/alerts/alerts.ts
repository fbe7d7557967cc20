import { setTimeout as wait } from "node:timers/promises";
import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { Log } from "../operations/log.ts";
import type { Storage } from "../storage/table.ts";
import type { Store } from "../store-api/store-api.ts";
import { type AlertOrder, alertMessage } from "../views/alert.ts";
import { type BacklogState, newBacklog } from "./backlog.ts";
import { nonceFor } from "./deliver.ts";
import type { Health, TroubleRecord } from "./health.ts";
import { createLedger } from "./ledger.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { contextOf, createPoll, newRuntime, type Runtime } from "./poll.ts";
import { PAGE_SIZE } from "./scan.ts";
import { createSerial } from "./serial.ts";

/** The backlog of a store with more pages than this is read in the background. */
const pagesReadAtOnce = 5;
/** With the 3 requests of a poll, at most 5 API requests a second for one store. */
const backlogPaceMs = 250;

export interface AlertSettings {
  readonly channelId: string;
  readonly roleId?: string;
  /** Statuses that ring; at least one. */
  readonly statuses: readonly string[];
}

/** How alerts of one server go. Times are epoch ms. */
export interface AlertStatus extends Readonly<Health> {
  readonly owed: number;
  /** Posted alerts whose orders are still followed. */
  readonly followed: number;
  readonly backlog: BacklogState | undefined;
  readonly trouble: TroubleRecord | undefined;
  readonly statusHonoured: boolean | undefined;
  readonly limitHonoured: boolean | undefined;
}

export interface Alerts {
  /** Polls one server. Never rejects. */
  poll(guildId: string): Promise<void>;
  /** The servers to poll. */
  guildIds(): Promise<readonly string[]>;
  /**
   * Turns alerts on, or changes where and for what they ring. What is in the list already is taken as seen.
   *
   * @returns how many orders were waiting (`complete` false: at least so many); `isNew` false when only the place changed
   * @throws MessengerError when nothing can be posted in the channel, StoreError when the store cannot be read; then
   * nothing was changed
   */
  turnOn(
    guild: Guild,
    store: Store,
    settings: AlertSettings,
  ): Promise<{ pending: number; complete: boolean; isNew: boolean }>;
  /**
   * The server's token was replaced: what waited is tried again at once. Where the token leads to another store, that
   * store's orders are taken as seen. Throws StoreError.
   */
  reconnected(guild: Guild, store: Store): Promise<void>;
  turnOff(guildId: string): Promise<void>;
  /** Posts an alert that says that it is a sample. Throws MessengerError. */
  test(guild: Guild): Promise<void>;
  status(guildId: string): Promise<AlertStatus>;
  /** Something about the server's channels or the token changed: what waited is tried again at the next poll. */
  mended(guildId: string): void;
  /** Deletes the server's record, and all that alerts keep for it; no poll comes in between. */
  forget(guildId: string): Promise<void>;
  /** Resolves when no poll is under way. */
  idle(): Promise<void>;
}

const sample: AlertOrder = {
  id: "00000000-0000-4000-8000-000000000000",
  status: "PENDING",
  items: [
    { title: "Sample product", quantity: 2 },
    { title: "Another sample", quantity: 1 },
  ],
  total: 29.9,
  paymentMethod: "PIX",
  createdAt: "",
};

/**
 * The alert path: what is new in a server's store is recorded as owed, posted once, and followed.
 *
 * @param storeOf the server's store; undefined without a token
 * @param signal aborted when the process ends: no new request begins
 */
export function createAlerts(deps: {
  storage: Storage;
  guilds: Guilds;
  storeOf(guild: Guild): Store | undefined;
  messenger: Messenger;
  log: Log;
  signal: AbortSignal;
  now?: () => number;
  random?: () => number;
}): Alerts {
  const { storage, guilds, messenger, log, signal, now = Date.now, random = Math.random } = deps;
  const backlogs = storage.table<BacklogState>("backlog");
  const troubles = storage.table<TroubleRecord>("trouble");
  const runtimes = new Map<string, Runtime>();
  const readingBacklog = new Set<string>();
  const serial = createSerial();
  // Listing what is kept may read the whole store, so it is done once; servers that come later are noted down.
  const alerting = storage.table<readonly string[]>("alerting");
  let polled: Set<string> | undefined;
  const steps = createPoll({
    storeOf: deps.storeOf,
    async tokenRefused(guildId) {
      await guilds.update(guildId, (guild) =>
        guild.token ? { ...guild, token: { ...guild.token, refusedAt: now() } } : guild,
      );
    },
    backlogs,
    troubles,
    messenger,
    log,
    now,
    random,
    signal,
  });

  function runtimeOf(guildId: string): Runtime {
    let runtime = runtimes.get(guildId);
    if (!runtime) {
      runtime = newRuntime(guildId, createLedger(storage, guildId));
      runtimes.set(guildId, runtime);
    }
    return runtime;
  }

  /** Reads what is left of the backlog beside the polls, at a polite pace, and from where an earlier process stopped. */
  async function readBacklog(guildId: string) {
    if (readingBacklog.has(guildId)) return;
    readingBacklog.add(guildId);
    try {
      for (let more = true; more && !signal.aborted; ) {
        more = await serial.run(guildId, async () => steps.readBacklog(await guilds.get(guildId), runtimeOf(guildId)));
        if (more) await wait(backlogPaceMs, undefined, { signal });
      }
    } catch (error) {
      if (!signal.aborted)
        log.warn(
          { err: error, guild: guildId },
          "reading what was there before alerts began pauses until the next poll",
        );
    } finally {
      readingBacklog.delete(guildId);
    }
  }

  /**
   * Takes all that is in the list as seen: at once what a few requests show, the rest in the background. What the first
   * answers show was there before, whatever its creation time says.
   */
  async function takeAsSeen(guildId: string, store: Store, statuses: readonly string[]) {
    const { ledger } = runtimeOf(guildId);
    const wanted = new Set(statuses.map((status) => status.toUpperCase()));
    const pending = new Set<string>();
    const read = async (page: number) => {
      const answer = await store.listOrders({ page, limit: PAGE_SIZE, statuses }, signal);
      const ids = answer.items.flatMap(({ id, status }) => (wanted.has(status.toUpperCase()) ? [id] : []));
      const entries = await ledger.entries(ids);
      await ledger.markSeen(ids.filter((_, index) => entries[index] === undefined));
      for (const id of ids) pending.add(id);
      return answer;
    };
    const { lastPage, servedAt } = await read(1);
    const state = newBacklog(servedAt ?? now());
    const atOnce = lastPage <= pagesReadAtOnce;
    for (let page = 2; atOnce && page <= lastPage; page++) await read(page);
    if (!atOnce) await read(lastPage);
    return {
      pending: pending.size,
      complete: atOnce,
      backlog: { ...state, done: lastPage === 1, counted: pending.size },
    };
  }

  async function turnOn(guild: Guild, store: Store, settings: AlertSettings) {
    const before = guild.alerts;
    const added = settings.statuses.filter((status) => !before?.statuses.includes(status));
    const announce = (what: Parameters<typeof steps.tell>[2]) =>
      steps.tell(guild, { ...settings, statuses: [...settings.statuses], since: now() }, what);
    if (before && added.length === 0) {
      await announce({ about: "alerts_moved" });
      await save(guild.id, settings, before.since);
      return { pending: 0, complete: true, isNew: false };
    }
    // What the old settings would ring for must not be taken as seen.
    if (before) await steps.poll(guild, runtimeOf(guild.id));
    else await runtimeOf(guild.id).ledger.dropOwed();
    const seen = await takeAsSeen(guild.id, store, before ? added : settings.statuses);
    await announce({ about: "alerts_on", pending: seen.pending, complete: seen.complete });
    await backlogs.set(guild.id, seen.backlog);
    await save(guild.id, settings, seen.backlog.since);
    return { pending: seen.pending, complete: seen.complete, isNew: true };
  }

  /** Orders that were there before alerts were turned on are all in the ledger: one that is not is another store's. */
  async function isOtherStore(guildId: string, store: Store, { statuses, since }: NonNullable<Guild["alerts"]>) {
    const backlog = await backlogs.get(guildId);
    if (backlog && !backlog.done) return false;
    const { items } = await store.listOrders({ limit: PAGE_SIZE, statuses }, signal);
    const wanted = new Set(statuses.map((status) => status.toUpperCase()));
    const old = items.filter(
      ({ status, createdAt }) => wanted.has(status.toUpperCase()) && Date.parse(createdAt) < since,
    );
    const entries = await runtimeOf(guildId).ledger.entries(old.map(({ id }) => id));
    return entries.includes(undefined);
  }

  async function reconnected(guild: Guild, store: Store) {
    const { alerts } = guild;
    if (!alerts) return;
    if (await isOtherStore(guild.id, store, alerts)) {
      const { backlog } = await takeAsSeen(guild.id, store, alerts.statuses);
      await backlogs.set(guild.id, backlog);
      await guilds.update(guild.id, (now) => ({ ...now, alerts: { ...alerts, since: backlog.since } }));
    }
    mended(guild.id);
  }

  async function save(guildId: string, settings: AlertSettings, since: number) {
    await guilds.update(guildId, (guild) => ({
      ...guild,
      alerts: { ...settings, statuses: [...settings.statuses], since },
    }));
    await troubles.delete(guildId);
    mended(guildId);
  }

  function mended(guildId: string) {
    const { health } = runtimeOf(guildId);
    health.channelWaitsUntil = 0;
    health.storeWaitsUntil = 0;
  }

  async function poll(guildId: string) {
    try {
      await serial.run(guildId, async () => steps.poll(await guilds.get(guildId), runtimeOf(guildId)));
      const backlog = await backlogs.get(guildId);
      if (backlog && !backlog.done) void readBacklog(guildId);
    } catch (error) {
      log.error({ err: error, guild: guildId }, "a poll could not begin");
    }
  }

  return {
    poll,
    async guildIds() {
      polled ??= new Set(await guilds.ids());
      for (const id of (await alerting.get("ids")) ?? []) polled.add(id);
      return [...polled];
    },
    async turnOn(guild, store, settings) {
      const result = await serial.run(guild.id, () => turnOn(guild, store, settings));
      await alerting.set("ids", [...new Set([...((await alerting.get("ids")) ?? []), guild.id])]);
      void poll(guild.id);
      return result;
    },
    async reconnected(guild, store) {
      await serial.run(guild.id, () => reconnected(guild, store));
      if (guild.alerts) void poll(guild.id);
    },
    turnOff: (guildId) =>
      serial.run(guildId, async () => {
        await guilds.update(guildId, ({ alerts: _, ...guild }) => guild);
        await runtimeOf(guildId).ledger.dropOwed();
        await backlogs.delete(guildId);
        await troubles.delete(guildId);
      }),
    async test(guild) {
      if (!guild.alerts) throw new MessengerError("channel_gone");
      const { channelId, roleId } = guild.alerts;
      const order = { ...sample, createdAt: new Date(now()).toISOString() };
      const payload = alertMessage([order], contextOf(guild), { sample: true, ...(roleId ? { roleId } : {}) });
      await messenger.send(channelId, payload, nonceFor(guild.id, channelId, ["sample", String(now())]));
      mended(guild.id);
    },
    async status(guildId) {
      const { ledger, health, memory } = runtimeOf(guildId);
      const open = [...(await ledger.open()).values()];
      const owed = open.filter(({ state }) => state === "owed").length;
      return {
        ...health,
        owed,
        followed: open.length - owed,
        backlog: await backlogs.get(guildId),
        trouble: await troubles.get(guildId),
        statusHonoured: memory.statusHonoured,
        limitHonoured: memory.limitHonoured,
      };
    },
    mended: (guildId) => {
      if (runtimes.has(guildId)) mended(guildId);
    },
    forget: (guildId) =>
      serial.run(guildId, async () => {
        await createLedger(storage, guildId).clear();
        await backlogs.delete(guildId);
        await troubles.delete(guildId);
        await guilds.remove(guildId);
        runtimes.delete(guildId);
        polled?.delete(guildId);
        await alerting.set(
          "ids",
          ((await alerting.get("ids")) ?? []).filter((id) => id !== guildId),
        );
      }),
    idle: () => serial.idle(),
  };
}
