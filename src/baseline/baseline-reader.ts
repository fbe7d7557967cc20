import { isDeepStrictEqual } from "node:util";
import type { Guild } from "../guilds/guild.ts";
import type { CommittedWith } from "../guilds/guilds.ts";
import {
  type BaselineState,
  beginningsOf,
  isTail,
  newBaseline,
  skipBaselinePage,
  takeBaselinePage,
} from "../orders/baseline.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import { listsOf } from "../orders/lists.ts";
import { pageQuery } from "../orders/scan.ts";
import { takeAsSeen, triggersOf } from "../orders/triggers.ts";
import type { ServerContext } from "../outbox/context.ts";
import { absent, type Row, type Table, whatever } from "../storage/table.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { type BaselineRow, baselineTable, type Found } from "./baseline-row.ts";

/** Maximum number of attempts at one page. After that, this pass leaves the page out. */
const mostTries = 3;
/** Number of polls between two attempts when only pages are left that could not be read. */
const tailRest = 16;

/**
 * Joins a baseline that is still being read with a new one. Each order is alerted if it was created after its own status began
 * to cause alerts.
 */
function joined({ reading, pending }: BaselineRow, next: BaselineState, found: Found): BaselineRow {
  const unpaid = [...(next.unpaid ?? []), ...(reading.unpaid ?? [])];
  const all = newBaseline([...beginningsOf(next), ...beginningsOf(reading)], { unpaid });
  const { orders, ...as } = found;
  const others = pending?.found ?? [];
  // Join orders with the same arguments. Otherwise, adding and removing a rule again and again while no process polls would
  // fill the row.
  const same = others.find(({ orders: _, ...one }) => isDeepStrictEqual(one, as));
  const whole = { ...as, orders: [...new Map([...(same?.orders ?? []), ...orders])] };
  return {
    reading: reading.done ? next : { ...all, counted: reading.counted + next.counted },
    pending: { ...pending, found: [...others.filter((one) => one !== same), whole] },
  };
}

/**
 * Reads the baseline of one server: the orders that existed before alerts began, which are treated as already seen.
 * orders/baseline.ts has the rules; turn-on.ts, connect-store.ts and change-rules.ts begin a baseline; the poller
 * (polling/guild-poller.ts) calls `readOn`.
 * It owns the row of the server in `baselineTable`. Every method throws `StorageError`.
 */
export class BaselineReader {
  readonly server: ServerContext;
  private readonly table: Table<BaselineRow>;
  private known: { row?: Row<BaselineRow> } = {};
  private tries = 0;
  private rest = 0;

  constructor(server: ServerContext) {
    this.server = server;
    this.table = server.storage.table(baselineTable);
  }

  private async read(): Promise<Row<BaselineRow>> {
    const { guildId } = this.server;
    const [row = absent(guildId)] = await this.table.read([guildId]);
    return row;
  }

  /** Returns the row, after the first read from memory. If the memory is dropped during the read, the result is not remembered. */
  private async row(): Promise<Row<BaselineRow>> {
    const { known } = this;
    known.row ??= await this.read();
    return known.row;
  }

  /** Returns how far the baseline was read, or undefined if there is none or alerts are off. */
  async state({ alerts }: Pick<Guild, "alerts">): Promise<BaselineState | undefined> {
    return alerts && (await this.row()).value?.reading;
  }

  /**
   * Returns the ids of orders that are still to be treated as seen, and whether they belong to another store than the orders in
   * the ledger.
   */
  async pending(): Promise<{ readonly ids: ReadonlySet<string>; readonly isOtherStore: boolean }> {
    const { found = [], isOtherStore = false } = (await this.read()).value?.pending ?? {};
    return { ids: new Set(found.flatMap(({ orders }) => orders.map(([id]) => id))), isOtherStore };
  }

  /**
   * Returns steps that begin a baseline, to commit with the server's record. If an earlier baseline of the same store is not
   * done, its rest is included.
   */
  begin(next: BaselineState, found: Found, isOtherStore?: true): CommittedWith {
    return async ({ alerts }) => {
      if (!alerts) return [];
      const row = await this.read();
      const isAdded = row.value && !isOtherStore;
      const begun = { reading: next, pending: { found: [found], isOtherStore } };
      return [this.table.put(row, isAdded ? joined(row.value, next, found) : begun)];
    };
  }

  /** Returns steps that remove the baseline, to commit with the record that turns alerts off. */
  readonly end: CommittedWith = async () => [this.table.remove(whatever(this.server.guildId))];

  /** Replaces the row. Returns false if the row was changed since it was read. */
  private async advance(row: Row<BaselineRow>, reading: BaselineState): Promise<boolean> {
    try {
      return await this.server.commit([this.table.put(row, { reading })]);
    } finally {
      this.forgetMemory();
    }
  }

  /**
   * Treats the orders that commands found as already seen. If the server has another store, first forgets the former one.
   * Only the process that polls calls this, and before it reads anything: another process could undo what a poll has recorded.
   * If it is interrupted, the next poll repeats it.
   */
  async takePending(): Promise<void> {
    const row = await this.row();
    const { value } = row;
    if (!value?.pending) return;
    const { ledger } = this.server;
    const { found, isOtherStore } = value.pending;
    if (isOtherStore) await ledger.startOver();
    for (const { orders, all, ...triggers } of found) {
      const listed = orders.map(([id, status]) => ({ id, status }));
      await takeAsSeen(ledger, listed, triggers, all);
    }
    if (!(await this.advance(row, value.reading))) throw new ConflictError();
  }

  /**
   * Reads the next page. Returns a function that records the page. The caller runs it when no poll is running; it resolves to
   * whether there are more pages.
   * Returns undefined if no page is to be read now. Throws `StoreError`.
   *
   * @param of the server's record from which `store` was made
   */
  async readOn(store: Store, of: Guild): Promise<(() => Promise<boolean>) | undefined> {
    const { pace, signal, ledger } = this.server;
    const row = await this.row();
    if (!row.value || row.value.pending) return undefined;
    const from = row.value.reading;
    if (from.done || (isTail(from) && this.rest-- > 0)) return undefined;
    this.rest = tailRest;
    const lists = listsOf(from.statuses);
    const isSame = (from.lists ?? 1) === lists.length;
    const begun = isSame ? from : { ...newBaseline(beginningsOf(from), from), counted: from.counted };
    const statuses = lists[begun.list ?? 0] ?? from.statuses;
    try {
      await pace();
      const page = await store.listOrders(pageQuery(begun.page, statuses), signal);
      this.tries = 0;
      const state = { ...begun, lists: lists.length };
      return async () => {
        const next = await this.goOn(row, of, (guild) => {
          const polled = triggersOf(guild);
          return takeBaselinePage({ state, page, takeAsSeen: (orders) => takeAsSeen(ledger, orders, polled) });
        });
        return !next?.done;
      };
    } catch (error) {
      // If page 1 fails, the store has failed. Any other page may fail for ever, so it is left out after some attempts.
      if (!(error instanceof StoreError) || begun.page === 1 || ++this.tries < mostTries) throw error;
      this.tries = 0;
      return async () => {
        const next = await this.goOn(row, of, async () => skipBaselinePage(begun));
        return !next || !isTail(next);
      };
    }
  }

  /** Records the next state. Does nothing if a command changed the baseline or the store after the page was read. */
  private async goOn(
    from: Row<BaselineRow>,
    of: Guild,
    step: (guild: Guild) => Promise<BaselineState>,
  ): Promise<BaselineState | undefined> {
    const guild = await this.server.guild();
    const { version } = await this.read();
    if (version !== from.version || guild.token?.sealed !== of.token?.sealed) {
      this.forgetMemory();
      return undefined;
    }
    const next = await step(guild);
    return (await this.advance(from, next)) ? next : undefined;
  }

  /** Forgets the row in memory, because the storage may differ from it. */
  forgetMemory() {
    this.known = {};
  }

  async clear(): Promise<void> {
    await this.table.delete(this.server.guildId);
    this.forgetMemory();
  }
}
