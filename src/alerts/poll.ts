import { setTimeout as wait } from "node:timers/promises";
import type { Guild } from "../guilds/guild.ts";
import type { Log } from "../operations/log.ts";
import { StorageError, type Table } from "../storage/table.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import { StoreError } from "../store-api/store-error.ts";
import type { AlertOrder } from "../views/alert.ts";
import { type AlertNotice, alertNotice } from "../views/alert-notice.ts";
import type { ViewContext } from "../views/context.ts";
import { type BacklogState, readBacklogPage } from "./backlog.ts";
import { deliver, nonceFor, type SendMemory } from "./deliver.ts";
import { follow } from "./follow.ts";
import { type Health, newHealth, storeDownNoticeMs, type Trouble, type TroubleRecord, waitAfter } from "./health.ts";
import type { Ledger, OwedEntry, PostedEntry } from "./ledger.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { askAgain, newScanMemory, PAGE_SIZE, type ScanMemory, type ScanResult, scan } from "./scan.ts";

/** Orders older than this are not followed any more: an abandoned cart may stay PENDING for ever. */
const followedForMs = 30 * 24 * 60 * 60_000;
/** And no more of them than this, the newest. */
const mostFollowed = 5_000;
/** While the backlog is read, requests to one store are at least so far apart: 5 a second at most. */
const paceMs = 220;
/** What an alert keeps of an order's items: an entry has to stay small. */
const keptItems = 100;
const keptTitleLength = 200;

type GuildAlerts = NonNullable<Guild["alerts"]>;

/** What this process keeps of one server between two polls. Losing it loses and doubles nothing. */
export interface Runtime {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly health: Health;
  readonly sends: SendMemory;
  memory: ScanMemory;
  /** When the next request to the store may be sent, in ms of the process's own clock. */
  nextRequestAt: number;
  /** Somebody waits to change the alerts: a long delivery makes way for that. */
  isAwaited: boolean;
}

export interface PollDeps {
  /** The server's store; throws `VaultError`, or gives undefined when there is no token. */
  storeOf(guild: Guild): Store | undefined;
  /** Records that the store refused this token of the server's; false when it has another one by now. */
  tokenRefused(guild: Guild): Promise<boolean>;
  readonly backlogs: Table<BacklogState>;
  readonly troubles: Table<TroubleRecord>;
  readonly messenger: Messenger;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** What a process that has just started knows of a server: nothing. */
export function newRuntime(guildId: string, ledger: Ledger): Runtime {
  const sends = { neverSent: new Set<string>(), refused: new Set<string>() };
  return { guildId, ledger, health: newHealth(), sends, memory: newScanMemory(), nextRequestAt: 0, isAwaited: false };
}

/** How messages in the server's channels are shown. */
export const contextOf = ({ settings }: Guild): ViewContext => ({ ...settings, locale: settings.language });

/** What an alert shows of an order; the customer only where the server's privacy setting lets it be shown. */
export function toAlertOrder(order: Order, privacy: ViewContext["privacy"]): AlertOrder {
  return {
    id: order.id,
    status: order.status,
    items: order.items
      .slice(0, keptItems)
      .map(({ productTitle, quantity }) => ({ title: productTitle.slice(0, keptTitleLength), quantity })),
    total: order.pricing.total,
    paymentMethod: order.paymentMethod.slice(0, keptTitleLength),
    createdAt: order.createdAt,
    ...(privacy === "none" ? {} : { customer: order.customer }),
  };
}

/** Which of the ids the ledger has. An owed one that two processes at once dropped from the open list is put back. */
async function knownTo(ledger: Ledger, ids: readonly string[]): Promise<Set<string>> {
  const entries = await ledger.entries(ids);
  const owed = entries.filter((entry): entry is OwedEntry => entry?.state === "owed");
  if (owed.length > 0) {
    const open = await ledger.open();
    const strays = owed.filter(({ order }) => !open.has(order.id));
    if (strays.length > 0) await ledger.owe(strays);
  }
  return new Set(ids.filter((_, index) => entries[index] !== undefined));
}

function failed(runtime: Runtime, trouble: Trouble, at: number) {
  runtime.health.lastError = { trouble, at };
}

/** One poll of one server. Create it with {@link createPoll}. */
export function createPoll(deps: PollDeps) {
  const { messenger, log, now, random, signal } = deps;

  /** Waits for the turn of one request of a reading that must not crowd the store. */
  async function pace(runtime: Runtime) {
    const waitMs = runtime.nextRequestAt - performance.now();
    if (waitMs > 0) await wait(waitMs, undefined, { signal });
    runtime.nextRequestAt = performance.now() + paceMs;
  }

  async function tell(guild: Guild, alerts: GuildAlerts, what: AlertNotice) {
    const nonce = nonceFor(guild.id, alerts.channelId, [JSON.stringify(what)]);
    await messenger.send(alerts.channelId, alertNotice(what, guild.settings.language), nonce);
  }

  /** A notice that cannot be posted is left out: it is about something that `/store status` and `/alerts status` say too. */
  async function tellIfPossible(guild: Guild, alerts: GuildAlerts, what: AlertNotice) {
    await tell(guild, alerts, what).catch((error: unknown) => {
      log.warn({ err: error, guild: guild.id, about: what.about }, "a notice could not be posted");
    });
  }

  /** A channel that takes no messages is left alone for a while: longer each time, and for as long as Discord says. */
  function channelFailed({ health }: Runtime, error: MessengerError) {
    health.channelFailures++;
    // A lost channel is for its owner to mend; everything else passes by itself.
    const failures = health.channelFailures + (error.code === "uncertain" ? 0 : 3);
    health.channelWaitsUntil = now() + Math.max(waitAfter(failures, random()), error.retryAfterMs);
    health.lastError = { trouble: error.code === "uncertain" ? "undelivered" : error.code, at: now() };
  }

  async function deliverOwed(guild: Guild, alerts: GuildAlerts, runtime: Runtime, owed: readonly OwedEntry[]) {
    const { health } = runtime;
    if (owed.length === 0 || health.channelWaitsUntil > now() || signal.aborted) return;
    const delivery = await deliver({
      guildId: guild.id,
      channelId: alerts.channelId,
      roleId: alerts.roleId,
      owed,
      ...runtime.sends,
      ctx: contextOf(guild),
      ledger: runtime.ledger,
      messenger,
      log,
      goesOn: () => !signal.aborted && !runtime.isAwaited,
    });
    if (delivery.posted > 0) log.info({ guild: guild.id, orders: delivery.posted }, "alerts posted");
    const trouble = await deps.troubles.get(guild.id);
    if (!delivery.failure) {
      health.channelFailures = 0;
      if (trouble?.blocked && delivery.posted > 0)
        await deps.troubles.set(guild.id, { ...trouble, blocked: undefined });
      return;
    }
    channelFailed(runtime, delivery.failure);
    log.warn(
      { err: delivery.failure, guild: guild.id, owed: owed.length - delivery.posted },
      "alerts could not be posted; they stay owed",
    );
    if (delivery.blocked && !trouble?.blocked?.told) {
      await tellOwner(guild, alerts, { reason: delivery.blocked, since: trouble?.blocked?.since ?? now() }, trouble);
    }
  }

  async function tellOwner(
    guild: Guild,
    { channelId }: GuildAlerts,
    blocked: Omit<NonNullable<TroubleRecord["blocked"]>, "told">,
    trouble: TroubleRecord | undefined,
  ) {
    // Written down first, so that the same notice has the same nonce after a crash.
    await deps.troubles.set(guild.id, { ...trouble, blocked: { ...blocked, told: false } });
    const make = (server: string) => alertNotice({ about: blocked.reason, server, channelId }, guild.settings.language);
    await messenger
      .tellOwner(guild.id, make, nonceFor(guild.id, channelId, [blocked.reason, String(blocked.since)]))
      .catch((error: unknown) => {
        log.warn(
          { err: error, guild: guild.id },
          "the server's owner could not be told that the alert channel is lost",
        );
      });
    await deps.troubles.set(guild.id, { ...trouble, blocked: { ...blocked, told: true } });
  }

  async function storeFailed(guild: Guild, alerts: GuildAlerts, runtime: Runtime, error: StoreError) {
    const { health } = runtime;
    failed(runtime, error.code, now());
    log.warn(
      { err: error, guild: guild.id, code: error.code, failures: health.storeFailures + 1 },
      "the store could not be read",
    );
    if (error.code === "unauthorized") {
      if (await deps.tokenRefused(guild)) await tellIfPossible(guild, alerts, { about: "token_refused" });
      return;
    }
    health.storeFailures++;
    health.storeWaitsUntil = now() + Math.max(waitAfter(health.storeFailures, random()), error.retryAfterMs ?? 0);
    const trouble = await deps.troubles.get(guild.id);
    const since = trouble?.storeDownSince ?? now();
    const isDue = now() - since >= storeDownNoticeMs && !trouble?.storeDownTold;
    if (isDue) await tellIfPossible(guild, alerts, { about: "store_down", since });
    if (isDue || trouble?.storeDownSince === undefined) {
      await deps.troubles.set(guild.id, {
        ...trouble,
        storeDownSince: since,
        storeDownTold: isDue || trouble?.storeDownTold === true,
      });
    }
  }

  async function storeAnswered(guild: Guild, alerts: GuildAlerts, runtime: Runtime, arrived: number) {
    const { health } = runtime;
    // A process that never saw the store fail still has to take back what an earlier one said.
    const isFirst = health.lastGoodAt === undefined;
    health.lastGoodAt = now();
    if (health.storeFailures === 0 && !isFirst) return;
    health.storeFailures = 0;
    health.storeWaitsUntil = 0;
    const trouble = await deps.troubles.get(guild.id);
    if (trouble?.storeDownSince === undefined) return;
    if (trouble.storeDownTold) await tellIfPossible(guild, alerts, { about: "store_back", arrived });
    await deps.troubles.set(guild.id, { ...trouble, storeDownSince: undefined, storeDownTold: undefined });
  }

  async function scanStore(alerts: GuildAlerts, runtime: Runtime, store: Store, posted: readonly PostedEntry[]) {
    const backlog = await deps.backlogs.get(runtime.guildId);
    const isPaced = backlog !== undefined && !backlog.done;
    const found = await scan({
      async readPage(page) {
        if (isPaced) await pace(runtime);
        return store.listOrders({ page, limit: PAGE_SIZE, statuses: alerts.statuses }, signal);
      },
      known: (ids) => knownTo(runtime.ledger, ids),
      statuses: alerts.statuses,
      open: posted.map(({ order }) => order),
      ...(isPaced ? { backlog } : {}),
      memory: runtime.memory,
    });
    return found;
  }

  async function record(guild: Guild, alerts: GuildAlerts, runtime: Runtime, found: ScanResult): Promise<OwedEntry[]> {
    if (found.backlog.length > 0) await runtime.ledger.markSeen(found.backlog);
    const entries = found.fresh.map(
      (order): OwedEntry => ({
        state: "owed",
        order: toAlertOrder(order, guild.settings.privacy),
        channelIds: [alerts.channelId],
        foundAt: now(),
      }),
    );
    if (entries.length === 0) return [];
    for (const { order } of entries) runtime.sends.neverSent.add(order.id);
    await runtime.ledger.owe(entries);
    log.info({ guild: guild.id, orders: entries.length }, "new orders found");
    return entries;
  }

  async function followUp(
    guild: Guild,
    alerts: GuildAlerts,
    runtime: Runtime,
    store: Store,
    posted: Map<string, PostedEntry>,
    { changed, missing }: ScanResult,
  ) {
    if (runtime.health.channelWaitsUntil > now()) {
      runtime.memory = askAgain(runtime.memory, missing);
      return undefined;
    }
    const { again, failure } = await follow({
      store,
      posted,
      changed,
      missing,
      ctx: contextOf(guild),
      roleId: alerts.roleId,
      ledger: runtime.ledger,
      messenger,
      now,
      signal,
    });
    if (again.length > 0) runtime.memory = askAgain(runtime.memory, again);
    if (failure instanceof MessengerError) {
      channelFailed(runtime, failure);
      log.warn({ err: failure, guild: guild.id }, "an alert could not be brought up to date; it is tried again");
    }
    return failure instanceof StoreError ? failure : undefined;
  }

  /** Posted alerts by order id; those that are too old or too many are settled as they stand. */
  async function followed(runtime: Runtime, posted: readonly PostedEntry[]): Promise<Map<string, PostedEntry>> {
    const oldest = now() - followedForMs;
    const kept = posted.slice(-mostFollowed).filter(({ foundAt }) => foundAt >= oldest);
    if (kept.length < posted.length) {
      const goOn = new Set(kept);
      await runtime.ledger.settle(posted.filter((entry) => !goOn.has(entry)));
    }
    return new Map(kept.map((entry) => [entry.order.id, entry]));
  }

  async function readStore(
    guild: Guild,
    alerts: GuildAlerts,
    runtime: Runtime,
    store: Store,
    posted: Map<string, PostedEntry>,
  ) {
    const found = await scanStore(alerts, runtime, store, [...posted.values()]);
    const fresh = await record(guild, alerts, runtime, found);
    runtime.memory = found.memory;
    await deliverOwed(guild, alerts, runtime, fresh);
    const notFollowed = await followUp(guild, alerts, runtime, store, posted, found);
    const failure = found.failure ?? notFollowed;
    // A store that answers page 1 is up: a page that fails further on is read again, without slowing the alerts down.
    if (failure !== undefined && (found.requests === 1 || !(failure instanceof StoreError))) throw failure;
    if (failure instanceof StoreError) {
      failed(runtime, failure.code, now());
      log.warn(
        { err: failure, guild: guild.id, code: failure.code },
        "a part of the store could not be read; it is read again",
      );
    }
    await storeAnswered(guild, alerts, runtime, fresh.length);
  }

  /** Delivers what is owed, then reads the store and delivers what is new. Never rejects: what failed is in the log and the health. */
  async function poll(guild: Guild, runtime: Runtime): Promise<void> {
    const { alerts } = guild;
    if (!alerts || signal.aborted) return;
    const { health } = runtime;
    health.lastPollAt = now();
    try {
      const open = [...(await runtime.ledger.open())];
      const owed = open.flatMap(([, entry]) => (entry.state === "owed" ? [entry] : []));
      const posted = await followed(
        runtime,
        open.flatMap(([, entry]) => (entry.state === "posted" ? [entry] : [])),
      );
      await deliverOwed(guild, alerts, runtime, owed);
      const store =
        guild.token?.refusedAt === undefined && health.storeWaitsUntil <= now() ? deps.storeOf(guild) : undefined;
      if (store && !signal.aborted) await readStore(guild, alerts, runtime, store, posted);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof StoreError) {
        await storeFailed(guild, alerts, runtime, error).catch((worse: unknown) => unexpected(guild, runtime, worse));
      } else unexpected(guild, runtime, error);
    }
  }

  function unexpected(guild: Guild, runtime: Runtime, error: unknown) {
    failed(
      runtime,
      error instanceof StorageError ? "storage" : isUndecryptable(error) ? "undecryptable" : "internal",
      now(),
    );
    log.error(
      { err: error, guild: guild.id },
      "a poll was cut short; nothing is lost, the next one goes on from what is recorded",
    );
  }

  /** Reads the next page of the backlog; false when there is none left. */
  async function readBacklog(guild: Guild, runtime: Runtime): Promise<boolean> {
    const state = await deps.backlogs.get(guild.id);
    const store = guild.token && deps.storeOf(guild);
    const { alerts } = guild;
    const isAnswering = guild.token?.refusedAt === undefined && runtime.health.storeWaitsUntil <= now();
    if (!state || state.done || !store || !alerts || !isAnswering) return false;
    const read = await readBacklogPage({
      state,
      async readPage(page) {
        await pace(runtime);
        return store.listOrders({ page, limit: PAGE_SIZE, statuses: alerts.statuses }, signal);
      },
      known: (ids) => knownTo(runtime.ledger, ids),
      markSeen: (ids) => runtime.ledger.markSeen(ids),
    });
    await deps.backlogs.set(guild.id, read.state);
    return !read.state.done;
  }

  return { poll, readBacklog, tell, pace };
}

function isUndecryptable(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "undecryptable";
}
