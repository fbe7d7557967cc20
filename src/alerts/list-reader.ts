import type { Guild } from "../guilds/guild.ts";
import { sameStatus } from "../store-api/orders.ts";
import type { Store } from "../store-api/store-api.ts";
import type { BacklogState } from "./backlog.ts";
import type { Ledger } from "./ledger.ts";
import type { Lists, Statuses } from "./lists.ts";
import { owedEntries } from "./owed-entries.ts";
import { polledOf, takeAsSeen } from "./polled.ts";
import { type ListReading, readList } from "./read-list.ts";
import type { Routed } from "./routed.ts";
import { type Arrivals, pageQuery } from "./scan.ts";
import type { Sender } from "./sender.ts";
import type { Trouble } from "./troubles.ts";
import type { WatchDeps } from "./watch-deps.ts";

/** A run of new orders that was cut short yesterday is gone on with where polls are daily. */
const longestRunMs = 25 * 60 * 60_000;

export interface ListReaderDeps extends Pick<WatchDeps, "now" | "log" | "restored"> {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly routed: Routed;
  readonly lists: Lists;
  readonly sender: Sender;
  /** Aborted when the process ends, or its right to poll. */
  untilOver(): AbortSignal;
  /** The reading of what was there before alerts began. */
  backlog(guild: Guild): Promise<BacklogState | undefined>;
  /** Waits for the turn of one request of a reading that must not crowd the store. */
  pace(): Promise<void>;
  failed(trouble: Trouble): void;
  /** Throws where another process polls now. */
  assertMine(): void;
  /** Throws where another process polls now, or has connected another store, or turned alerts off. */
  assertCurrent(): Promise<void>;
}

/** Reads one server's lists, and records what they show. Throws what storage throws, and `Overtaken`. */
export class ListReader {
  private readonly deps: ListReaderDeps;

  constructor(deps: ListReaderDeps) {
    this.deps = deps;
  }

  /**
   * Reads one list. What its first page brings is recorded and delivered before others are asked for.
   *
   * @returns with the ids of what was recorded early
   */
  async read(
    guild: Guild,
    store: Store,
    list: Statuses,
  ): Promise<{ readonly reading: ListReading; readonly early: ReadonlySet<string> }> {
    const { ledger, lists, routed, sender, untilOver, pace } = this.deps;
    const backlog = await this.deps.backlog(guild);
    const isPaced = backlog !== undefined && !backlog.done;
    const early = new Set<string>();
    const { ringing, awaited } = polledOf(guild);
    const reading = await readList({
      readPage: async (page, fingerprint) => {
        if (isPaced) await pace();
        return store.changedOrders(pageQuery(page, list), fingerprint, untilOver());
      },
      known: (ids) => ledger.entries(ids),
      alertedIds: async () => [...(await ledger.owedIds()), ...(await ledger.followedIds())],
      early: async (found) => {
        await this.record(guild, store, list, found);
        for (const { id } of found.fresh) early.add(id);
        await sender.deliverOwed(guild);
      },
      statuses: list,
      ringing,
      routed: { statuses: awaited, sights: (ids) => routed.sights(ids) },
      ...(isPaced ? { backlog } : {}),
      runSince: lists.memory(list).isPlaced ? undefined : this.deps.now() - longestRunMs,
      memory: lists.memory(list),
    });
    return { reading, early };
  }

  /** Records what is new: seen, or owed. Only then is what the list showed remembered. Gives how many are owed. */
  async keep(
    guild: Guild,
    store: Store,
    list: Statuses,
    { reading, early }: { readonly reading: ListReading; readonly early: ReadonlySet<string> },
  ): Promise<number> {
    const { ledger, lists, failed, assertCurrent } = this.deps;
    const { backlog, entered, owed, skipped, memory } = reading;
    const fresh = reading.fresh.filter(({ id }) => !early.has(id));
    if (backlog.length + owed.length + fresh.length > 0) await assertCurrent();
    if (backlog.length > 0) await takeAsSeen(this.deps, backlog, polledOf(guild));
    await ledger.keepStrays(owed);
    await this.record(guild, store, list, { fresh, entered });
    if (skipped > 0) failed("malformed");
    lists.remember(list, memory);
    return fresh.length;
  }

  private async record(guild: Guild, store: Store, list: Statuses, { fresh, entered }: Arrivals) {
    if (fresh.length + entered.length === 0) return;
    const { guildId, ledger, lists, log, now, restored, routed, sender, assertMine } = this.deps;
    await this.deps.assertCurrent();
    const isFirstRound = !lists.memory(list).isPlaced;
    const isFresh = new Set(fresh.map(({ id }) => id));
    const others = entered.filter(({ id }) => !isFresh.has(id));
    const found = { guild, store, isFirstRound, assertMine };
    const first = await routed.find({ ...found, orders: [...fresh, ...others], fresh: isFresh });
    // New on one page, and in a later status by the time of another one.
    const statusOf = new Map(fresh.map(({ id, status }) => [id, status]));
    const moved = entered.filter(({ id, status }) => !sameStatus(statusOf.get(id) ?? status, status));
    await routed.find({ ...found, orders: moved, fresh: new Set() });
    if (fresh.length === 0) return;
    const owed = await owedEntries(fresh, {
      guild,
      foundAt: now(),
      sentSince: (order) => restored.sentSince(order, isFirstRound),
      routingOf: (id) => first.get(id),
    });
    assertMine();
    const isInDoubt = new Set(owed.flatMap(({ order, sentSince }) => (sentSince === undefined ? [] : [order.id])));
    sender.expect(
      fresh.filter(({ id }) => !isInDoubt.has(id)),
      isFirstRound,
    );
    await ledger.owe(owed);
    log.info({ guild: guildId, orders: fresh.length }, "new orders found");
  }
}
