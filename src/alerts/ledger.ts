import type { Storage } from "../storage/table.ts";
import type { AlertOrder } from "../views/alert.ts";

/** Why no alert is due for an order: it was there before alerts were turned on. */
export interface SeenEntry {
  readonly state: "seen";
}

/** An alert that has to be sent. Recorded before anything is sent. */
export interface OwedEntry {
  readonly state: "owed";
  readonly order: AlertOrder;
  /** Every channel to which it may have been sent: where a send that a crash cut short may have ended up. */
  readonly channelIds: readonly string[];
  /** Epoch ms. */
  readonly foundAt: number;
}

/** An alert that stands in a channel: followed while it is posted, left alone once it is settled. */
export interface PostedEntry {
  readonly state: "posted" | "settled";
  readonly order: AlertOrder;
  readonly channelId: string;
  readonly messageId: string;
  /** Ids of all orders in that message, in its order. */
  readonly batch: readonly string[];
  readonly foundAt: number;
}

export type LedgerEntry = SeenEntry | OwedEntry | PostedEntry;

/** What is known of a server's orders: one small entry per order, and the list of those that are not settled. */
export interface Ledger {
  /** The entries in the order of `ids`; undefined where there is none. */
  entries(ids: readonly string[]): Promise<(LedgerEntry | undefined)[]>;
  /** Owed and posted entries by order id, in the order in which they were found. */
  open(): Promise<Map<string, OwedEntry | PostedEntry>>;
  markSeen(ids: readonly string[]): Promise<void>;
  /** Durable when it resolves; only then may anything be sent. */
  owe(entries: readonly OwedEntry[]): Promise<void>;
  posted(entries: readonly PostedEntry[]): Promise<void>;
  /** Up to 5 orders that this server's store has, to know the store again. */
  witnesses(): Promise<readonly string[]>;
  /** The store is another one: the next orders are its witnesses. */
  forgetWitnesses(): Promise<void>;
  /** No longer followed. What no other order's message needs is forgotten but for the id. */
  settle(entries: readonly PostedEntry[]): Promise<void>;
  /** Turns every owed order into a seen one: alerts were turned off. */
  dropOwed(): Promise<void>;
  clear(): Promise<void>;
}

const mostWitnesses = 5;

/**
 * The ledger of one server.
 *
 * The list of open ids is written before an entry and shortened after it, so a crash in between leaves an id too many,
 * which does no harm, and never an owed order that nothing points to.
 */
export function createLedger(storage: Storage, guildId: string): Ledger {
  const table = storage.table<LedgerEntry>(`ledger:${guildId}`);
  const lists = storage.table<readonly string[]>("open-orders");
  const witnesses = storage.table<readonly string[]>("witnesses");
  let hasWitnesses = false;

  /**
   * The entries of the open ids as this process last wrote or read them, so that a poll does not read thousands. Dropped
   * before every write: one that fails leaves in doubt what is kept.
   */
  let cached: { readonly ids: readonly string[]; readonly entries: Map<string, OwedEntry | PostedEntry> } | undefined;
  const sameIds = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((id, index) => id === other[index]);

  async function put(entries: readonly (OwedEntry | PostedEntry)[]) {
    const before = cached;
    cached = undefined;
    await table.setMany(entries.map((entry) => [entry.order.id, entry] as const));
    for (const entry of entries) if (before?.entries.has(entry.order.id)) before.entries.set(entry.order.id, entry);
    cached = before;
  }

  async function witness(ids: readonly string[]) {
    if (hasWitnesses || ids.length === 0) return;
    const before = (await witnesses.get(guildId)) ?? [];
    if (before.length === 0) await witnesses.set(guildId, ids.slice(0, mostWitnesses));
    hasWitnesses = true;
  }

  const listed = async () => (await lists.get(guildId)) ?? [];

  async function list(ids: readonly string[]) {
    cached = undefined;
    const before = await listed();
    const added = ids.filter((id) => !before.includes(id));
    if (added.length > 0) await lists.set(guildId, [...before, ...added]);
  }

  async function unlist(ids: readonly string[]) {
    cached = undefined;
    const gone = new Set(ids);
    const before = await listed();
    await lists.set(
      guildId,
      before.filter((id) => !gone.has(id)),
    );
  }

  async function open() {
    const ids = await listed();
    const known = cached && sameIds(cached.ids, ids) ? cached.entries : new Map<string, OwedEntry | PostedEntry>();
    if (cached?.entries !== known && ids.length > 0) {
      const entries = await table.getMany(ids);
      ids.forEach((id, index) => {
        const entry = entries[index];
        if (entry && (entry.state === "owed" || entry.state === "posted")) known.set(id, entry);
      });
    }
    cached = { ids, entries: known };
    return new Map(known);
  }

  return {
    open,
    entries: (ids) => (ids.length > 0 ? table.getMany(ids) : Promise.resolve([])),
    async markSeen(ids) {
      await witness(ids);
      await table.setMany(ids.map((id) => [id, { state: "seen" }] as const));
    },
    async owe(entries) {
      const ids = entries.map(({ order }) => order.id);
      await witness(ids);
      await list(ids);
      await put(entries);
    },
    witnesses: async () => (await witnesses.get(guildId)) ?? [],
    async forgetWitnesses() {
      await witnesses.delete(guildId);
      hasWitnesses = false;
    },
    posted: put,
    async settle(entries) {
      cached = undefined;
      await table.setMany(
        entries.map((entry) => [
          entry.order.id,
          entry.batch.length > 1 ? { ...entry, state: "settled" as const } : { state: "seen" as const },
        ]),
      );
      await unlist(entries.map(({ order }) => order.id));
    },
    async dropOwed() {
      const owed = [...(await open()).values()].filter(({ state }) => state === "owed").map(({ order }) => order.id);
      if (owed.length === 0) return;
      await table.setMany(owed.map((id) => [id, { state: "seen" }] as const));
      await unlist(owed);
    },
    async clear() {
      cached = undefined;
      await table.clear();
      await lists.delete(guildId);
      await witnesses.delete(guildId);
    },
  };
}
