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
import type { BaselineRow, Found } from "./baseline-row.ts";
import type { StoreReader } from "./store-reader.ts";

/** Tries of one page, before it is left out for this pass. */
const mostTries = 3;
/** Polls between two tries where nothing but pages is left that cannot be read. */
const tailRest = 16;

/** What is still to be read, or to be taken as seen, of both. Orders are alerted from their own beginning on. */
function joined({ reading, pending }: BaselineRow, next: BaselineState, found: Found): BaselineRow {
  const unpaid = [...(next.unpaid ?? []), ...(reading.unpaid ?? [])];
  const all = newBaseline([...beginningsOf(next), ...beginningsOf(reading)], { unpaid });
  const { orders, ...as } = found;
  const others = pending?.found ?? [];
  // A person who adds and removes a rule while no process polls does not fill the row.
  const same = others.find(({ orders: _, ...one }) => isDeepStrictEqual(one, as));
  const whole = { ...as, orders: [...new Map([...(same?.orders ?? []), ...orders])] };
  return {
    reading: reading.done ? next : { ...all, counted: reading.counted + next.counted },
    pending: { ...pending, found: [...others.filter((one) => one !== same), whole] },
  };
}

/** What was there before alerts began in one server, as it is kept: see `baselineTable`. Throws `StorageError`. */
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

  /** From memory once it was read. What is forgotten while it is read is not remembered after all. */
  private async row(): Promise<Row<BaselineRow>> {
    const { known } = this;
    known.row ??= await this.read();
    return known.row;
  }

  /** How far the reading has come; undefined where there was none, or alerts are off. */
  async state({ alerts }: Pick<Guild, "alerts">): Promise<BaselineState | undefined> {
    return alerts && (await this.row()).value?.reading;
  }

  /** What is still to be taken as seen: the ids of orders, and whether they are another store's than the orders in the ledger. */
  async pending(): Promise<{ readonly ids: ReadonlySet<string>; readonly isOtherStore: boolean }> {
    const { found = [], isOtherStore = false } = (await this.read()).value?.pending ?? {};
    return { ids: new Set(found.flatMap(({ orders }) => orders.map(([id]) => id))), isOtherStore };
  }

  /**
   * To be committed with the record by which it begins. What an earlier one still has to read is read with it, unless that was of
   * another store.
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

  /** To be committed with the record that says that alerts are off. */
  readonly end: CommittedWith = async () => [this.table.remove(whatever(this.guildId))];

  /** Puts another one in the place of a row. False where it was changed since it was read. */
  private async advance(row: Row<BaselineRow>, reading: BaselineState): Promise<boolean> {
    try {
      return await this.commit([this.table.put(row, { reading })]);
    } finally {
      this.forgetMemory();
    }
  }

  /**
   * Takes as seen what commands found, and forgets the store before where it is another one now. Only for the process that polls, and
   * before it reads anything: another process could undo what a poll has recorded. What was cut short is done again.
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
   * Reads the next page, and gives what is to be done with it when nothing else is under way, which resolves to whether
   * there is more; undefined when there is none left for now. Throws `StoreError`.
   *
   * @param of the record by which `store` was made
   */
  async readOn(store: Store, of: Guild, reader: StoreReader): Promise<(() => Promise<boolean>) | undefined> {
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
      // Page 1 says whether there is a store at all; any other page may be lost for good.
      if (!(error instanceof StoreError) || begun.page === 1 || ++this.tries < mostTries) throw error;
      this.tries = 0;
      return async () => {
        const next = await this.goOn(row, of, reader, async () => skipBaselinePage(begun));
        return !next || !isTail(next);
      };
    }
  }

  /** Goes on, unless a command has begun something or connected a store meanwhile. */
  private async goOn(
    from: Row<BaselineRow>,
    of: Guild,
    reader: StoreReader,
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

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.known = {};
  }

  async clear(): Promise<void> {
    await this.table.delete(this.guildId);
    this.forgetMemory();
  }
}
