import type { Table } from "../storage/table.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Page, type Store, StoreError } from "../store-api/store-api.ts";
import { type BacklogState, beginningsOf, isTail, newBacklog, skipBacklogPage, takeBacklogPage } from "./backlog.ts";
import { listsOf } from "./lists.ts";
import { polledOf, takeAsSeen } from "./polled.ts";
import { pageQuery } from "./scan.ts";
import type { Watch } from "./watch.ts";

/** Tries of one page, before it is left out for this pass. */
const mostTries = 3;
/** Polls between two tries where nothing but pages is left that cannot be read. */
const tailRest = 16;

/** Who reads: at its pace, while it has the right to poll. */
type Reader = Pick<Watch, "pace" | "assertCurrent" | "deps" | "ledger" | "routed" | "record">;

/** The reading of what was there before alerts began: how far it has come, kept in storage. Throws `StorageError`. */
export class FirstReading {
  private readonly guildId: string;
  private readonly table: Table<BacklogState>;
  private known: { readonly state: BacklogState | undefined } | undefined;
  private tries = 0;
  private rest = 0;

  constructor(guildId: string, table: Table<BacklogState>) {
    this.guildId = guildId;
    this.table = table;
  }

  /** undefined when there was none; from memory once it was read. */
  async state(): Promise<BacklogState | undefined> {
    this.known ??= { state: await this.table.get(this.guildId) };
    return this.known.state;
  }

  /** Begins this one, whatever is left of an earlier one. */
  async replace(next: BacklogState): Promise<void> {
    this.known = undefined;
    await this.table.set(this.guildId, next);
    this.known = { state: next };
  }

  /** What an earlier one still has to read is read with the new one: its orders ring from their own time on. */
  async begin(next: BacklogState): Promise<void> {
    this.forgetMemory();
    const before = await this.state();
    if (before === undefined || before.done) return this.replace(next);
    const counted = before.counted + next.counted;
    await this.replace({ ...newBacklog([...beginningsOf(next), ...beginningsOf(before)]), counted });
  }

  /**
   * Reads the next page, and gives what is to be done with it when nothing else is under way, which resolves to whether
   * there is more; undefined when there is none left for now. Throws `StoreError`.
   */
  async readOn(store: Store, reader: Reader): Promise<(() => Promise<boolean>) | undefined> {
    const from = await this.state();
    if (!from || from.done || (isTail(from) && this.rest-- > 0)) return undefined;
    this.rest = tailRest;
    const lists = listsOf(store, from.statuses);
    const isSame = (from.lists ?? 1) === lists.length;
    const begun = isSame ? from : { ...newBacklog(beginningsOf(from)), counted: from.counted };
    const statuses = lists[begun.list ?? 0] ?? from.statuses;
    try {
      await reader.pace();
      const page = await store.listOrders(pageQuery(begun.page, statuses), reader.deps.signal);
      this.tries = 0;
      return () => this.take(from, { ...begun, lists: lists.length }, page, reader);
    } catch (error) {
      // Page 1 says whether there is a store at all; any other page may be lost for good.
      if (!(error instanceof StoreError) || begun.page === 1 || ++this.tries < mostTries) throw error;
      this.tries = 0;
      return () => this.skip(from, begun, reader);
    }
  }

  /** Takes what the page showed as seen, unless the reading has become another one meanwhile. */
  private async take(from: BacklogState, state: BacklogState, page: Page<Order>, reader: Reader): Promise<boolean> {
    await reader.assertCurrent();
    if (!(await this.isStill(from))) return true;
    const polled = polledOf(await reader.record());
    const next = await takeBacklogPage({ state, page, takeAsSeen: (orders) => takeAsSeen(reader, orders, polled) });
    await this.replace(next);
    return !next.done;
  }

  /** Whether the reading is the one that it was: another process may have begun one since. */
  private async isStill(from: BacklogState): Promise<boolean> {
    if ((await this.state()) !== from) return false;
    this.forgetMemory();
    const stored = await this.state();
    return JSON.stringify(stored) === JSON.stringify(from);
  }

  private async skip(from: BacklogState, state: BacklogState, reader: Reader): Promise<boolean> {
    await reader.assertCurrent();
    if (!(await this.isStill(from))) return true;
    const next = skipBacklogPage(state);
    await this.replace(next);
    return !isTail(next);
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.known = undefined;
  }

  async clear(): Promise<void> {
    this.known = undefined;
    await this.table.delete(this.guildId);
    this.known = { state: undefined };
  }
}
