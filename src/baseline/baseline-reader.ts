import { isDeepStrictEqual } from "node:util";
import { Backoff } from "../basics/limits/backoff.ts";
import type { Guild } from "../guilds/guild.ts";
import type { CommittedWith } from "../guilds/guilds.ts";
import { ConflictError } from "../orders/guild-lease.ts";
import { pageQuery } from "../orders/read-list.ts";
import { takeAsSeen, triggersOf } from "../orders/triggers.ts";
import type { ServerContext } from "../outbox/context.ts";
import { absent, anyVersion, type Row, type Table } from "../storage/table.ts";
import { hasStatus } from "../store-api/order-status.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { type BaselineRow, baselineTable, type Found } from "./baseline-row.ts";
import { afterPage, type BaselineState, isOfBaseline, type ListBaseline, passOver } from "./baseline-rules.ts";

/** Adds a new baseline to a baseline that is still being read. */
function joined({ reading, pending }: BaselineRow, next: BaselineState, found: Found): BaselineRow {
  const isReplaced = ({ statuses }: ListBaseline) =>
    next.lists.some((list) => statuses.every((status) => hasStatus({ status }, list.statuses)));
  const unread = reading.lists.filter((list) => !list.done && !isReplaced(list));
  const withUnpaid = (known: readonly string[] = []) => [...new Set([...known, ...(next.unpaid ?? [])])];
  const { orders, ...as } = found;
  // These orders get no alert, not even when they are paid.
  const seen = new Set(orders.flatMap(([id, status]) => (hasStatus({ status }, found.alerting) ? [id] : [])));
  const others = pending?.found ?? [];
  // Entries that differ only in their orders are joined. Otherwise each rule that a person adds and removes would add an entry.
  const same = others.find(({ orders: _, ...one }) => isDeepStrictEqual(one, as));
  const whole = { ...as, orders: [...new Map([...(same?.orders ?? []), ...orders])] };
  return {
    reading: { lists: [...next.lists, ...unread], unpaid: withUnpaid(unread.length > 0 ? reading.unpaid : []) },
    pending: {
      ...pending,
      found: [...others.filter((one) => one !== same), whole],
      unpaid: withUnpaid(pending?.unpaid?.filter((id) => !seen.has(id))),
    },
  };
}

export class BaselineReader {
  readonly server: ServerContext;
  private readonly table: Table<BaselineRow>;
  private known: { row?: Row<BaselineRow> } = {};
  /** How long to wait after a failed read of a page. */
  private readonly wait: Backoff;

  constructor(server: ServerContext) {
    this.server = server;
    this.table = server.storage.table(baselineTable);
    this.wait = new Backoff(server);
  }

  private async read(): Promise<Row<BaselineRow>> {
    const { guildId } = this.server;
    const [row = absent(guildId)] = await this.table.read([guildId]);
    return row;
  }

  /** If `forgetMemory` is called during the read, the result is not remembered. */
  private async row(): Promise<Row<BaselineRow>> {
    const { known } = this;
    known.row ??= await this.read();
    return known.row;
  }

  /** Undefined if there is no baseline. */
  async state(): Promise<BaselineState | undefined> {
    return (await this.row()).value?.reading;
  }

  /**
   * Orders that commands found, and that no poll has treated as seen yet. `isOtherStore`: the ledger still has the orders of a
   * former store.
   */
  async pending(): Promise<{ readonly ids: ReadonlySet<string>; readonly isOtherStore: boolean }> {
    const { found = [], isOtherStore = false } = (await this.read()).value?.pending ?? {};
    return { ids: new Set(found.flatMap(({ orders }) => orders.map(([id]) => id))), isOtherStore };
  }

  /** Begins a baseline in the commit that changes the server's record. Unread lists of this store's earlier baseline stay. */
  begin(next: BaselineState, found: Found, isOtherStore?: true): CommittedWith {
    return async ({ alerts }) => {
      if (!alerts) return [];
      const row = await this.read();
      const isAdded = row.value && !isOtherStore;
      const begun = { reading: next, pending: { found: [found], unpaid: next.unpaid, isOtherStore } };
      return [this.table.put(row, isAdded ? joined(row.value, next, found) : begun)];
    };
  }

  /** Deletes the baseline in the commit that turns alerts off. */
  readonly end: CommittedWith = async () => [this.table.remove(anyVersion(this.server.guildId))];

  /**
   * Treats the pending orders as seen. If the server has another store now, first forgets the orders of the former store. Only
   * the process that polls may call this, because another process could undo what a poll has recorded. Must be called before a
   * poll reads the store: otherwise the poll would alert the pending orders.
   */
  async takePending(): Promise<void> {
    const row = await this.row();
    const { value } = row;
    if (!value?.pending) return;
    const { ledger } = this.server;
    const { found, unpaid = [], isOtherStore } = value.pending;
    if (isOtherStore) await ledger.startOver();
    for (const { orders, all, ...triggers } of found) {
      const listed = orders.map(([id, status]) => ({ id, status }));
      await takeAsSeen(ledger, listed, triggers, { all });
    }
    await ledger.write(unpaid, (rows) =>
      [...rows].map(([id, row]) => (row.state === "closed" ? { orders: [[id, { ...row, state: "noticed" }]] } : {})),
    );
    try {
      if (!(await this.server.commit([this.table.put(row, { reading: value.reading })]))) throw new ConflictError();
    } finally {
      this.forgetMemory();
    }
  }

  /**
   * Reads the next page. Returns a function that records it, or "stop" if no page is to be read now. The caller must run the
   * function while no poll is running, and only if the server's record is still `guild`.
   */
  async readNext(guild: Guild, store: Store): Promise<(() => Promise<void>) | "stop"> {
    const { throttle, lease, ledger, log, guildId } = this.server;
    const row = await this.row();
    if (!row.value || row.value.pending || this.wait.waitMs() > 0) return "stop";
    const state = passOver(row.value.reading, this.wait.failures);
    const list = state.lists.find(({ done }) => !done);
    if (list === undefined) return "stop";
    await throttle();
    const page = await store
      .listOrders(pageQuery(list.page, list.statuses), lease.untilOver())
      .catch((error: unknown) => {
        if (!(error instanceof StoreError)) throw error;
        // The next poll gets the same refusal, and tells people.
        if (error.code === "unauthorized") return undefined;
        this.wait.failed(error.retryAfterMs);
        log.warn({ err: error, guild: guildId }, "a page of earlier orders could not be read; trying again");
      });
    if (page === undefined) return "stop";
    this.wait.ok();
    return async () => {
      // The polls find the other orders of the page.
      const old = page.items.filter((order) => isOfBaseline(order, state));
      let last = row;
      const progress = (unknown: number, isWhole: boolean) => {
        const reading = afterPage(state, list, isWhole ? page.lastPage : undefined, unknown);
        const step = this.table.put(last, { reading });
        last = this.table.written(step);
        return step;
      };
      try {
        await takeAsSeen(ledger, old, triggersOf(guild), { progress });
      } finally {
        this.forgetMemory();
      }
    };
  }

  /** Milliseconds until a page that could not be read may be tried again. */
  waitMs(): number | undefined {
    return this.wait.waitMs() || undefined;
  }

  forgetMemory() {
    this.known = {};
  }
}
