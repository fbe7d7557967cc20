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
import type { Ledger } from "../orders/ledger.ts";
import { listsOf } from "../orders/lists.ts";
import { pageQuery } from "../orders/scan.ts";
import { takeAsSeen, triggersOf } from "../orders/triggers.ts";
import { absent, type Commit, type Row, type Table, whatever } from "../storage/table.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { BackgroundReadDeps } from "./background-read-deps.ts";
import type { BaselineRow, Found } from "./baseline-row.ts";

/** Most attempts at one page before this pass leaves it out. */
const mostTries = 3;
/** Polls between two attempts when only pages are left that could not be read. */
const tailRest = 16;

/** Joins a baseline under way with a new one. Orders are alerted from the beginning of their own status on. */
function joined({ reading, pending }: BaselineRow, next: BaselineState, found: Found): BaselineRow {
  const unpaid = [...(next.unpaid ?? []), ...(reading.unpaid ?? [])];
  const all = newBaseline([...beginningsOf(next), ...beginningsOf(reading)], { unpaid });
  const { orders, ...as } = found;
  const others = pending?.found ?? [];
  // Joined, so that adding and removing a rule while no process polls does not fill the row.
  const same = others.find(({ orders: _, ...one }) => isDeepStrictEqual(one, as));
  const whole = { ...as, orders: [...new Map([...(same?.orders ?? []), ...orders])] };
  return {
    reading: reading.done ? next : { ...all, counted: reading.counted + next.counted },
    pending: { ...pending, found: [...others.filter((one) => one !== same), whole] },
  };
}

/** The baseline of one server, with its row in `baselineTable`. Every method throws `StorageError`. */
export class BaselineReader {
  private readonly guildId: string;
  private readonly table: Table<BaselineRow>;
  private readonly commit: Commit;
  private known: { row?: Row<BaselineRow> } = {};
  private tries = 0;
  private rest = 0;

  constructor(guildId: string, table: Table<BaselineRow>, commit: Commit) {
    this.guildId = guildId;
    this.table = table;
    this.commit = commit;
  }

  private async read(): Promise<Row<BaselineRow>> {
    const [row = absent(this.guildId)] = await this.table.read([this.guildId]);
    return row;
  }

  /** The row, from memory once it was read. If the memory is dropped while the row is read, it is not kept. */
  private async row(): Promise<Row<BaselineRow>> {
    const { known } = this;
    known.row ??= await this.read();
    return known.row;
  }

  /** How far the reading has come; undefined if there was none, or alerts are off. */
  async state({ alerts }: Pick<Guild, "alerts">): Promise<BaselineState | undefined> {
    return alerts && (await this.row()).value?.reading;
  }

  /** Ids of the orders still to be treated as seen, and whether they are of another store than the orders in the ledger. */
  async pending(): Promise<{ readonly ids: ReadonlySet<string>; readonly isOtherStore: boolean }> {
    const { found = [], isOtherStore = false } = (await this.read()).value?.pending ?? {};
    return { ids: new Set(found.flatMap(({ orders }) => orders.map(([id]) => id))), isOtherStore };
  }

  /**
   * Steps that begin a baseline, to commit with the server's record. The rest of an earlier baseline is joined, unless that was of another
   * store.
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

  /** Steps that remove the baseline, to commit with the record that turns alerts off. */
  readonly end: CommittedWith = async () => [this.table.remove(whatever(this.guildId))];

  /** Replaces the row. Returns false if the row was changed since it was read. */
  private async advance(row: Row<BaselineRow>, reading: BaselineState): Promise<boolean> {
    try {
      return await this.commit([this.table.put(row, { reading })]);
    } finally {
      this.forgetMemory();
    }
  }

  /**
   * Treats the orders that commands found as already seen, and forgets the former store if there is a new one. Called only by the process
   * that polls, before it reads anything: another process could undo what a poll has recorded. If it is cut short, it is done again.
   */
  async takePending(ledger: Ledger): Promise<void> {
    const row = await this.row();
    const { value } = row;
    if (!value?.pending) return;
    const { found, isOtherStore } = value.pending;
    if (isOtherStore) await ledger.startOver();
    for (const { orders, all, ...triggers } of found) {
      const listed = orders.map(([id, status]) => ({ id, status }));
      await takeAsSeen(ledger, listed, triggers, all);
    }
    if (!(await this.advance(row, value.reading))) throw new ConflictError();
  }

  /**
   * Reads the next page. Returns a function that records it, to be called when no poll is under way; it resolves to whether there are more
   * pages. Returns undefined if there is no page to read for now. Throws `StoreError`.
   *
   * @param of the server's record from which `store` was made
   */
  async readOn(store: Store, of: Guild, reader: BackgroundReadDeps): Promise<(() => Promise<boolean>) | undefined> {
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
      await reader.pace();
      const page = await store.listOrders(pageQuery(begun.page, statuses), reader.deps.signal);
      this.tries = 0;
      const state = { ...begun, lists: lists.length };
      return async () => {
        const next = await this.goOn(row, of, reader, (guild) => {
          const polled = triggersOf(guild);
          return takeBaselinePage({ state, page, takeAsSeen: (orders) => takeAsSeen(reader.ledger, orders, polled) });
        });
        return !next?.done;
      };
    } catch (error) {
      // A failure of page 1 is one of the store. Any other page may fail for good, and is left out.
      if (!(error instanceof StoreError) || begun.page === 1 || ++this.tries < mostTries) throw error;
      this.tries = 0;
      return async () => {
        const next = await this.goOn(row, of, reader, async () => skipBaselinePage(begun));
        return !next || !isTail(next);
      };
    }
  }

  /** Records the next state, unless a command has changed the baseline or the store in between. */
  private async goOn(
    from: Row<BaselineRow>,
    of: Guild,
    reader: BackgroundReadDeps,
    step: (guild: Guild) => Promise<BaselineState>,
  ): Promise<BaselineState | undefined> {
    const guild = await reader.record();
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
    await this.table.delete(this.guildId);
    this.forgetMemory();
  }
}
