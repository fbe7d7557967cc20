import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { Log } from "../operations/log.ts";
import type { Storage } from "../storage/table.ts";
import type { Store } from "../store-api/store-api.ts";
import { StoreError } from "../store-api/store-error.ts";
import { type AlertOrder, alertMessage } from "../views/alert.ts";
import type { AlertNotice } from "../views/alert-notice.ts";
import { type BacklogState, newBacklog } from "./backlog.ts";
import { nonceFor } from "./deliver.ts";
import type { Health, TroubleRecord } from "./health.ts";
import { createLedger } from "./ledger.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { contextOf, createPoll, newRuntime, type Runtime } from "./poll.ts";
import { PAGE_SIZE } from "./scan.ts";
import { hasStatus, timeOf } from "./scan-page.ts";
import { createSerial } from "./serial.ts";

/** The backlog of a store with more pages than this is read in the background. */
const pagesReadAtOnce = 5;

/** What a person chose; what is left out stays as it is (at first: no role, PENDING). */
export interface ChosenAlerts {
  readonly channelId: string;
  /** The server's own id, which is the role @everyone, takes the role away. */
  readonly roleId?: string;
  /** Statuses that ring; at least one. */
  readonly statuses?: readonly string[];
}

export interface TurnedOn {
  /** Orders that were waiting and are taken as seen. */
  readonly pending: number;
  /** False: at least so many. */
  readonly complete: boolean;
  /** False when only the place or the role changed. */
  readonly isNew: boolean;
}

/** The only status that the API document shows (store-open-api 3). */
const defaultStatuses = ["PENDING"];

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

/** What the rest of the bot asks of alerts. Every method but `poll` throws `StorageError` when the storage fails. */
export interface Alerts {
  /** Polls one server. Never rejects. */
  poll(guildId: string): Promise<void>;
  /** The servers to poll. */
  guildIds(): Promise<readonly string[]>;
  /**
   * Turns alerts on, or changes where and for what they ring. What is in the list already is taken as seen.
   *
   * @throws MessengerError when nothing can be posted in the channel, StoreError when the store cannot be read; then
   * nothing was changed
   */
  turnOn(guildId: string, store: Store, chosen: ChosenAlerts): Promise<TurnedOn>;
  /**
   * Checks a new token's store, and keeps the token if it answers. Where alerts are on, what waited rings then; the orders
   * of another store than before are taken as seen first.
   *
   * @throws StoreError; then nothing was changed
   */
  connect(guildId: string, store: Store, keepToken: () => Promise<Guild>): Promise<Guild>;
  turnOff(guildId: string): Promise<void>;
  /** Posts an alert that says that it is a sample. Throws MessengerError. */
  test(guild: Guild): Promise<void>;
  status(guildId: string): Promise<AlertStatus>;
  /** Something about the server's channels changed: what waited for that is tried again at the next poll. */
  channelMended(guildId: string): void;
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
 * @param mayPoll false while another process polls on the same storage
 * @param signal aborted when the process ends: no new request begins
 */
export function createAlerts(deps: {
  storage: Storage;
  guilds: Guilds;
  storeOf(guild: Guild): Store | undefined;
  mayPoll(): boolean;
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
  const alerting = storage.table<readonly string[]>("alerting");
  let polled: Set<string> | undefined;
  const steps = createPoll({
    storeOf: deps.storeOf,
    async tokenRefused({ id, token }) {
      const isStill = (other: Guild) => other.token !== undefined && other.token.since === token?.since;
      const guild = await guilds.update(id, (current) =>
        current.token && isStill(current) ? { ...current, token: { ...current.token, refusedAt: now() } } : current,
      );
      return isStill(guild);
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
    const runtime = runtimeOf(guildId);
    const { ledger } = runtime;
    const begun = now();
    const pending = new Set<string>();
    const read = async (page: number) => {
      await steps.pace(runtime);
      const answer = await store.listOrders({ page, limit: PAGE_SIZE, statuses }, signal);
      const ids = answer.items.filter((order) => hasStatus(order, statuses)).map(({ id }) => id);
      const entries = await ledger.entries(ids);
      await ledger.markSeen(ids.filter((_, index) => entries[index] === undefined));
      for (const id of ids) pending.add(id);
      return answer;
    };
    const { lastPage, servedAt } = await read(1);
    const atOnce = lastPage <= pagesReadAtOnce;
    for (let page = 2; atOnce && page <= lastPage; page++) await read(page);
    if (!atOnce) await read(lastPage);
    const backlog = { ...newBacklog(servedAt ?? begun, statuses), done: lastPage === 1, counted: pending.size };
    return { pending: pending.size, complete: atOnce, backlog };
  }

  /** What an earlier backlog still has to read is read with the new one: its orders ring from their own time on. */
  async function keepBacklog(guildId: string, next: BacklogState) {
    const before = await backlogs.get(guildId);
    const isUnfinished = before !== undefined && !before.done;
    await backlogs.set(
      guildId,
      isUnfinished
        ? {
            ...newBacklog(Math.min(before.since, next.since), [...new Set([...before.statuses, ...next.statuses])]),
            counted: before.counted + next.counted,
          }
        : next,
    );
  }

  async function turnOn(guildId: string, store: Store, chosen: ChosenAlerts): Promise<TurnedOn> {
    const guild = await guilds.get(guildId);
    const before = guild.alerts;
    // What was not chosen stays as it was: whoever moves the alerts does not want to lose the rest.
    const settings = {
      channelId: chosen.channelId,
      statuses: [...(chosen.statuses ?? before?.statuses ?? defaultStatuses)],
      roleId: chosen.roleId === guildId ? undefined : (chosen.roleId ?? before?.roleId),
    };
    const added = settings.statuses.filter((status) => !before || !hasStatus({ status }, before.statuses));
    const announce = (what: AlertNotice) => steps.tell(guild, { ...settings, since: now() }, what);
    const save = async (since: number) => {
      await noteDown(guildId);
      await guilds.update(guildId, (current) => ({ ...current, alerts: { ...settings, since } }));
      const trouble = await troubles.get(guildId);
      if (trouble?.blocked) await troubles.set(guildId, { ...trouble, blocked: undefined });
      channelMended(guildId);
    };
    if (before && added.length === 0) {
      await announce({ about: "alerts_moved" });
      await save(before.since);
      return { pending: 0, complete: true, isNew: false };
    }
    if (!before) await runtimeOf(guildId).ledger.dropOwed();
    const seen = await takeAsSeen(guildId, store, added);
    await announce({ about: "alerts_on", pending: seen.pending, complete: seen.complete });
    await keepBacklog(guildId, seen.backlog);
    await save(before?.since ?? seen.backlog.since);
    return { pending: seen.pending, complete: seen.complete, isNew: true };
  }

  /** Listing what is kept may read the whole storage, so servers that come after the start are noted down. */
  function noteDown(guildId: string): Promise<void> {
    polled?.add(guildId);
    return changeAlerting((ids) => (ids.includes(guildId) ? ids : [...ids, guildId]));
  }

  /** One list for all servers: its changes wait for each other. */
  function changeAlerting(change: (ids: readonly string[]) => readonly string[]): Promise<void> {
    return serial.run("alerting", async () => {
      const before = (await alerting.get("ids")) ?? [];
      const after = change(before);
      if (after !== before) await alerting.set("ids", after);
    });
  }

  /** Another store knows none of the orders that this server's store has; one that knows no order at all tells nothing. */
  async function isOtherStore(guildId: string, store: Store, { statuses, since }: NonNullable<Guild["alerts"]>) {
    const runtime = runtimeOf(guildId);
    await steps.pace(runtime);
    const { items } = await store.listOrders({ limit: PAGE_SIZE, statuses }, signal);
    const witnesses = await runtime.ledger.witnesses();
    if (witnesses.length === 0) return items.some((order) => hasStatus(order, statuses) && timeOf(order) < since);
    for (const id of witnesses) {
      await steps.pace(runtime);
      const isThere = await store.getOrder(id, signal).then(
        () => true,
        (error: unknown) => {
          if (error instanceof StoreError && error.code === "not_found") return false;
          throw error;
        },
      );
      if (isThere) return false;
    }
    return true;
  }

  async function connect(guildId: string, store: Store, keepToken: () => Promise<Guild>): Promise<Guild> {
    const { alerts } = await guilds.get(guildId);
    if (!alerts) {
      await steps.pace(runtimeOf(guildId));
      await store.listOrders({ limit: 1 }, signal);
      return keepToken();
    }
    if (await isOtherStore(guildId, store, alerts)) {
      await runtimeOf(guildId).ledger.forgetWitnesses();
      const { backlog } = await takeAsSeen(guildId, store, alerts.statuses);
      await backlogs.set(guildId, backlog);
      await guilds.update(guildId, (guild) => ({ ...guild, alerts: { ...alerts, since: backlog.since } }));
    }
    const guild = await keepToken();
    runtimeOf(guildId).health.storeWaitsUntil = 0;
    return guild;
  }

  function channelMended(guildId: string) {
    const { health, sends } = runtimeOf(guildId);
    health.channelWaitsUntil = 0;
    sends.refused.clear();
  }

  /** What a person waits for: a delivery of many messages that is under way stops after the present one. */
  function soon<T>(guildId: string, work: () => Promise<T>): Promise<T> {
    runtimeOf(guildId).isAwaited = true;
    return serial.run(guildId, () => {
      runtimeOf(guildId).isAwaited = false;
      return work();
    });
  }

  async function poll(guildId: string) {
    if (!deps.mayPoll()) return;
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
    async turnOn(guildId, store, chosen) {
      const result = await soon(guildId, () => turnOn(guildId, store, chosen));
      void poll(guildId);
      return result;
    },
    async connect(guildId, store, keepToken) {
      const guild = await soon(guildId, () => connect(guildId, store, keepToken));
      void poll(guildId);
      return guild;
    },
    turnOff: (guildId) =>
      soon(guildId, async () => {
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
      channelMended(guild.id);
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
    channelMended: (guildId) => {
      if (runtimes.has(guildId)) channelMended(guildId);
    },
    forget: (guildId) =>
      soon(guildId, async () => {
        await createLedger(storage, guildId).clear();
        await backlogs.delete(guildId);
        await troubles.delete(guildId);
        await guilds.remove(guildId);
        runtimes.delete(guildId);
        polled?.delete(guildId);
        await changeAlerting((ids) => ids.filter((id) => id !== guildId));
      }),
    idle: () => serial.idle(),
  };
}
