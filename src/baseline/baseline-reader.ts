import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Guild } from "../guilds/guild.ts";
import {
  type BaselineState,
  type Begun,
  baselineTable,
  beginningsOf,
  begunTable,
  isTail,
  newBaseline,
  type Reading,
  skipBaselinePage,
  takeBaselinePage,
} from "../orders/baseline.ts";
import { listsOf } from "../orders/lists.ts";
import { pageQuery } from "../orders/scan.ts";
import { takeAsSeen, triggersOf } from "../orders/triggers.ts";
import type { Storage, Table } from "../storage/table.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { NewStore } from "./new-store.ts";
import type { StoreReader } from "./store-reader.ts";

/** Tries of one page, before it is left out for this pass. */
const mostTries = 3;
/** Polls between two tries where nothing but pages is left that cannot be read. */
const tailRest = 16;

type Alerts = NonNullable<Guild["alerts"]>;
type Alerting = Pick<Guild, "alerts">;

/**
 * The reading of what was there before alerts began, kept in storage: what began, by the command that began it, and how far it has
 * come, by the process that polls. What says how far another beginning has come counts for nothing: it was written late. Throws
 * `StorageError`.
 */
export class BaselineReader {
  private readonly guildId: string;
  private readonly table: Table<Reading>;
  private readonly begun: Table<Begun>;
  private readonly newStore: NewStore;
  private known: { since?: number; reading?: Reading | undefined } = {};
  private tries = 0;
  private rest = 0;

  constructor(guildId: string, storage: Storage, newStore: NewStore) {
    this.guildId = guildId;
    this.table = storage.table(baselineTable);
    this.begun = storage.table(begunTable);
    this.newStore = newStore;
  }

  /** undefined when there was none, or alerts are off; from memory once it was read. */
  async state({ alerts }: Alerting): Promise<Reading | undefined> {
    if (!alerts) return undefined;
    // What is forgotten while it is read is not remembered after all.
    const { known } = this;
    if (known.since !== alerts.since) {
      known.reading = await this.read(alerts);
      known.since = alerts.since;
    }
    return known.reading;
  }

  private async read(alerts: Alerts): Promise<Reading | undefined> {
    const reading = await this.table.get(this.guildId);
    const begun = await this.begun.get(this.guildId);
    if (begun?.store === alerts.since) {
      return reading?.of === begun.id ? reading : { ...begun.state, of: begun.id };
    }
    const of = String(alerts.since);
    // What began with a store that was connected in place of another is kept by `NewStore`.
    if (!alerts.isUnread || reading?.of === of) return reading;
    return { ...(await this.newStore.waiting(alerts)).baseline, of };
  }

  /**
   * Begins this one. What an earlier one still has to read is read with it, unless alerts were off: its orders are alerted from
   * their own time on.
   *
   * @param guild the record until then
   */
  async begin(next: BaselineState, guild: Alerting): Promise<void> {
    this.forgetMemory();
    const before = await this.state(guild);
    let state = next;
    if (before && !before.done) {
      const counted = before.counted + next.counted;
      const unpaid = [...(next.unpaid ?? []), ...(before.unpaid ?? [])];
      state = { ...newBaseline([...beginningsOf(next), ...beginningsOf(before)], { unpaid }), counted };
    }
    const store = (guild.alerts ?? next).since;
    await this.begun.set(this.guildId, { id: randomUUID(), store, state });
    this.forgetMemory();
  }

  /** What was read so far is to be read again. Only for the process that polls. */
  async restart(): Promise<void> {
    await this.table.delete(this.guildId);
    this.forgetMemory();
  }

  /**
   * Reads the next page, and gives what is to be done with it when nothing else is under way, which resolves to whether
   * there is more; undefined when there is none left for now. Throws `StoreError`.
   *
   * @param of the record by which `store` was made
   */
  async readOn(store: Store, of: Guild, reader: StoreReader): Promise<(() => Promise<boolean>) | undefined> {
    const from = await this.state(of);
    if (!from || from.done || (isTail(from) && this.rest-- > 0)) return undefined;
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
        const next = await this.goOn(from, reader, (guild) => {
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
        const next = await this.goOn(from, reader, async () => skipBaselinePage(begun));
        return !next || !isTail(next);
      };
    }
  }

  /** Goes on, unless the reading has become another one meanwhile: another process may have begun one since. */
  private async goOn(
    from: Reading,
    reader: StoreReader,
    step: (guild: Guild) => Promise<BaselineState>,
  ): Promise<BaselineState | undefined> {
    await reader.assertCurrent();
    const guild = await reader.record();
    this.forgetMemory();
    if (!isDeepStrictEqual(await this.state(guild), from)) return undefined;
    const next = await step(guild);
    await this.table.set(this.guildId, { ...next, of: from.of });
    this.forgetMemory();
    return next;
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.known = {};
  }

  async clear(): Promise<void> {
    await this.table.delete(this.guildId);
    await this.begun.delete(this.guildId);
    this.forgetMemory();
  }
}
