import { Mutex } from "../basics/limits/mutex.ts";
import {
  absent,
  anyVersion,
  type Commit,
  maxCommitSteps,
  type Row,
  type Step,
  type Storage,
  type Table,
  type TableShape,
} from "../storage/table.ts";
import { textsSchema } from "../storage/texts-schema.ts";
import { ConflictError } from "./guild-lease.ts";
import { closed, isPosted, type OrderRow, openOrdersTable, ordersTable } from "./order-row.ts";
import { alertKey, keyOf, type OutboxRow, outboxTable } from "./outbox-row.ts";

/**
 * Keys are server ids. Values are the ids of the orders that got a row last (at most 5). No other store has these orders, so
 * they identify the server's store.
 */
export const witnessesTable: TableShape<readonly string[]> = { name: "witnesses", schema: textsSchema, version: 1 };

const mostWitnesses = 5;
/** Leaves room for the steps of `GuildLease.fence`. */
const mostChanged = maxCommitSteps - 10;
/** SQLite blocks the event loop during a read, so one read must be short. */
const sliceSize = 100;

/** Committed as a whole. */
export interface Change {
  /** `undefined` removes the row. */
  readonly orders?: readonly (readonly [id: string, row: OrderRow | undefined])[];
  readonly put?: readonly OutboxRow[];
  /** Keys of rows to remove from the outbox. */
  readonly drop?: readonly string[];
  readonly other?: Step;
}

export type Orders = ReadonlyMap<string, OrderRow>;
export type Outbox = ReadonlyMap<string, OutboxRow>;

/** Malformed rows are only in `rows`: they must not be sent, but new rows can replace them. */
interface Loaded {
  readonly rows: Map<string, Row<OutboxRow>>;
  readonly view: Map<string, OutboxRow>;
}

/** The stored orders and the outbox of one server. After a read, the outbox stays in memory until `forgetMemory`. */
export class Ledger {
  private readonly guildId: string;
  private readonly storage: Pick<Storage, "table">;
  private readonly commit: Commit;
  private readonly writes = new Mutex();
  private memory: { loaded?: Loaded } = {};

  constructor(storage: Pick<Storage, "table" | "commit">, guildId: string, commit: Commit = storage.commit) {
    this.guildId = guildId;
    this.storage = storage;
    this.commit = commit;
  }

  // A process may have thousands of ledgers, most of them with nothing to send. So a ledger keeps no table objects.
  private get orders(): Table<OrderRow> {
    return this.storage.table(ordersTable, this.guildId);
  }

  private get open(): Table<number> {
    return this.storage.table(openOrdersTable, this.guildId);
  }

  private get rows(): Table<OutboxRow | null> {
    return this.storage.table(outboxTable, this.guildId);
  }

  private get witnessed(): Table<readonly string[]> {
    return this.storage.table(witnessesTable);
  }

  /** Orders without a row are left out. */
  async entries(ids: readonly string[]): Promise<Map<string, OrderRow>> {
    const known = new Map<string, OrderRow>();
    for (let start = 0; start < ids.length; start += sliceSize) {
      const some = ids.slice(start, start + sliceSize);
      for (const { key: id, value: row } of await this.orders.read(some)) if (row) known.set(id, row);
    }
    return known;
  }

  async outbox(): Promise<Outbox> {
    return (this.memory.loaded ?? (await this.writes.run(() => this.load()))).view;
  }

  /** Empty if the outbox was not read yet. */
  get outboxInMemory(): Outbox {
    return this.memory.loaded?.view ?? new Map();
  }

  /** If `forgetMemory` is called during the read, the result is not remembered. */
  private async load(): Promise<Loaded> {
    const { memory } = this;
    if (memory.loaded) return memory.loaded;
    const rows = new Map<string, Row<OutboxRow>>();
    for await (const row of this.rows.rows()) rows.set(row.key, { ...row, value: row.value ?? undefined });
    const view = new Map([...rows].flatMap(([key, { value }]) => (value ? [[key, value] as const] : [])));
    memory.loaded = { rows, view };
    return memory.loaded;
  }

  /** The open orders, oldest first, with the time when each was found (epoch ms). */
  async openOrders(): Promise<(readonly [id: string, foundAt: number])[]> {
    const found: (readonly [string, number])[] = [];
    for await (const { key, value } of this.open.rows()) found.push([key, value]);
    return found.sort(([, one], [, other]) => one - other);
  }

  async openIds(): Promise<readonly string[]> {
    return (await this.openOrders()).map(([id]) => id);
  }

  /** Open orders, and orders whose alert is in the outbox. */
  async alertedIds(): Promise<readonly string[]> {
    const planned = [...(await this.outbox()).values()].flatMap((row) => (row.kind === "alert" ? [row.orderId] : []));
    return [...planned, ...(await this.openIds())];
  }

  /**
   * Commits the changes that `make` returns. If `ids` is empty, `make` is called once, without orders. Throws `ConflictError`
   * if a commit is refused; earlier commits of the same call stay.
   *
   * @param make called with at most 100 of the `ids` at a time, and with their rows. May change only these orders
   * @param commit `commitHappened` (outbox/context.ts) for what has already happened
   */
  write(
    ids: readonly string[],
    make: (orders: Orders, outbox: Outbox, some: readonly string[]) => readonly Change[],
    commit = this.commit,
  ): Promise<void> {
    return this.writes.run(async () => {
      for (let start = 0; start < Math.max(ids.length, 1); start += sliceSize) {
        // `forgetMemory` may be called during the write. The slice is then still written with the rows that were loaded for it.
        const loaded = await this.load();
        const some = ids.slice(start, start + sliceSize);
        const stored = await this.orders.read(some);
        const rows = new Map(stored.map((row) => [row.key, row]));
        const known = new Map(stored.flatMap(({ key, value }) => (value ? [[key, value] as const] : [])));
        const changes = make(known, loaded.view, some);
        let steps = this.witnessSteps(changes, known);
        for (const change of changes) {
          const more = this.stepsOf(change, rows, loaded);
          if (steps.size + more.size > mostChanged) {
            await this.record(steps, loaded, commit);
            steps = new Map();
          }
          for (const [name, step] of more) steps.set(name, step);
        }
        await this.record(steps, loaded, commit);
      }
    });
  }

  private witnessSteps(changes: readonly Change[], known: Orders): Map<string, Step> {
    const fresh = changes.flatMap(({ orders = [] }) => orders.filter(([id, row]) => row && !known.has(id)));
    if (fresh.length === 0) return new Map();
    const ids = fresh.slice(-mostWitnesses).map(([id]) => id);
    return new Map([[witnessesTable.name, this.witnessed.put(anyVersion(this.guildId), ids)]]);
  }

  /** If a row has two steps, the last one counts. */
  private stepsOf(
    { orders = [], put = [], drop = [], other }: Change,
    rows: ReadonlyMap<string, Row<OrderRow>>,
    outbox: Loaded,
  ) {
    const steps = new Map<string, Step>();
    const add = (step: Step) => steps.set(`${step.table} ${step.key}`, step);
    for (const [id, row] of orders) {
      const before = rows.get(id) ?? absent(id);
      if (row) add(this.orders.put(before, row));
      else if (before.value) add(this.orders.remove(before));
      // The index has exactly the orders with an open row, so it is enough to check the version of the order's row.
      const wasOpen = before.value?.state === "open";
      if (row?.state === "open" && !wasOpen) add(this.open.put(anyVersion(id), row.foundAt));
      else if (row?.state !== "open" && wasOpen) add(this.open.remove(anyVersion(id)));
    }
    for (const row of put) add(this.rows.put(outbox.rows.get(keyOf(row)) ?? absent(keyOf(row)), row));
    for (const key of drop) {
      const row = outbox.rows.get(key);
      if (row) add(this.rows.remove(row));
    }
    if (other) add(other);
    return steps;
  }

  private async record(steps: ReadonlyMap<string, Step>, { rows, view }: Loaded, commit: Commit) {
    if (steps.size === 0) return;
    const isCommitted = await commit([...steps.values()]).catch((error: unknown) => {
      this.forgetMemory();
      throw error;
    });
    if (!isCommitted) {
      this.forgetMemory();
      throw new ConflictError();
    }
    for (const step of steps.values()) {
      if (step.table !== this.rowsName) continue;
      const row = this.rows.written(step);
      if (row.value) {
        rows.set(row.key, { ...row, value: row.value });
        view.set(row.key, row.value);
      } else {
        rows.delete(row.key);
        view.delete(row.key);
      }
    }
  }

  private get rowsName() {
    return `${outboxTable.name}:${this.guildId}`;
  }

  /** The witnesses of the server (see `witnessesTable`). */
  async ordersOfStore(): Promise<readonly string[]> {
    return (await this.witnessed.get(this.guildId)) ?? [];
  }

  /**
   * Called after alerts were turned off. Removes all messages except digests. Closes all planned, open and kept orders. Starts
   * over after each conflict. Only commands may call it, because a poll that has lost its lease would start over for ever.
   */
  async end(): Promise<void> {
    for (;;) {
      try {
        return await this.endOnce();
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  private async endOnce(): Promise<void> {
    const outbox = await this.outbox();
    const isLeft = ({ kind }: OutboxRow) => kind === "alert" || kind === "digest";
    const drop = [...outbox].flatMap(([key, row]) => (isLeft(row) ? [] : [{ drop: [key] }]));
    if (drop.length > 0) await this.write([], () => drop);
    const alerted = new Set(await this.alertedIds());
    const rows = [...(await this.entries([...alerted])).values()];
    const kept = rows.flatMap((row) => (isPosted(row) ? row.stand.members.filter((id) => !alerted.has(id)) : []));
    // The kept orders are closed first. After a kill, they can be found only through an open order of their message.
    await this.write([...new Set([...kept, ...alerted])], (orders) =>
      [...orders].map(([id, row]) => ({ orders: [[id, closed(row)]], drop: [alertKey(id)] })),
    );
  }

  /**
   * Called if the server may have another store. Removes the witnesses, every order whose alert does not wait in the outbox,
   * and the waiting edits of these orders.
   */
  async startOver(): Promise<void> {
    const ids: string[] = [];
    for await (const { key: id } of this.orders.rows()) ids.push(id);
    if (!(await this.commit([this.witnessed.remove(anyVersion(this.guildId))]))) throw new ConflictError();
    await this.write(ids, (orders, outbox) =>
      [...orders].map(([id, row]): Change => {
        if (row.state === "planned" && outbox.has(alertKey(id))) return { orders: [[id, { ...row, isFormer: true }]] };
        return { orders: [[id, undefined]], ...(isPosted(row) ? { drop: [`edit/${row.stand.messageId}`] } : {}) };
      }),
    );
  }

  /** Call it if the storage may differ from the outbox in memory. */
  forgetMemory() {
    this.memory = {};
  }
}
