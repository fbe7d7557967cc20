import { setImmediate } from "node:timers/promises";
import { createQueue } from "../basics/queue.ts";
import type { Storage, Table, TableShape } from "../storage/table.ts";
import { textsSchema } from "../storage/texts-schema.ts";
import { createIdList, type IdList } from "./id-list.ts";
import {
  type CustomerSeal,
  createEntryForm,
  type EntryForm,
  entriesTable,
  type LedgerEntry,
  type OwedEntry,
  type PostedEntry,
  type StoredEntry,
} from "./ledger-entry.ts";
import { Overtaken } from "./term.ts";

export type { LedgerEntry, OwedEntry, PostedEntry } from "./ledger-entry.ts";

/** Owed and posted ids of a server in one list: what 0.1.0 kept. What is malformed names nothing, as in an `IdList`. */
export const openOrdersTable: TableShape<readonly string[]> = {
  name: "open-orders",
  schema: textsSchema,
  version: 1,
};

/** By the ids of servers. Without them, the store is still known by its lists and by what is followed. */
export const witnessesTable: TableShape<readonly string[]> = {
  name: "witnesses",
  schema: textsSchema,
  version: 1,
};

const mostWitnesses = 5;
/** Entries read, written or deleted at a time: SQLite works on the event loop, which others wait for. */
const sliceSize = 100;

/** All of them in slices, between which the event loop turns. */
async function* inSlices<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < all.length; start += sliceSize) {
    if (start > 0) await setImmediate();
    yield all.slice(start, start + sliceSize);
  }
}

const idsOf = (kept: readonly (OwedEntry | PostedEntry)[]) => kept.map(({ order }) => order.id);
const without = (gone: readonly string[]) => {
  const removed = new Set(gone);
  return (ids: readonly string[]) => ids.filter((id) => !removed.has(id));
};

/**
 * What is known of one server's orders: one small entry per order, and two lists: what is owed, and what is followed.
 * Every method throws `StorageError`.
 *
 * An id is put on its list before its entry is written, and taken off after the entry says something else: a crash in
 * between leaves an id too many, which does no harm, and never an owed order that nothing points to.
 */
export class Ledger {
  private readonly guildId: string;
  private readonly storage: Storage;
  private readonly form: EntryForm;
  private readonly owedList: IdList;
  private readonly followedList: IdList;
  private readonly openList: Table<readonly string[]>;
  private readonly witnessTable: Table<readonly string[]>;
  /** Lists are read, changed and written: polls and the following of orders must not meet in that. */
  private readonly writes = createQueue();
  private owed: readonly string[] | undefined;
  private isAdopted = false;
  private isSealed = false;

  constructor(storage: Storage, guildId: string, seal: CustomerSeal) {
    this.guildId = guildId;
    this.form = createEntryForm(seal, guildId);
    this.storage = storage;
    this.owedList = createIdList(storage, `${guildId}:owed`);
    this.followedList = createIdList(storage, `${guildId}:followed`);
    this.openList = storage.table(openOrdersTable);
    this.witnessTable = storage.table(witnessesTable);
  }

  private get table(): Table<StoredEntry> {
    return this.storage.table(entriesTable, this.guildId);
  }

  /** The entries of those ids that have one. */
  async entries(ids: readonly string[]): Promise<Map<string, LedgerEntry>> {
    const known = new Map<string, LedgerEntry>();
    for await (const some of inSlices(ids)) {
      const found = await this.table.getMany(some);
      some.forEach((id, index) => {
        const stored = found[index];
        if (stored !== undefined) known.set(id, this.form.read(stored));
      });
    }
    return known;
  }

  /** Ids of owed orders, oldest first; from memory once they were read. An id may be there that is not owed any more. */
  async owedIds(): Promise<readonly string[]> {
    if (this.owed) return this.owed;
    return this.writes.run(async () => {
      const owed = await this.read(this.owedList, "owed");
      if (this.isAdopted) this.owed = owed;
      return owed;
    });
  }

  /** How many are owed, without a look at the storage; 0 where that is not known. */
  get owedInMemory(): number {
    return this.owed?.length ?? 0;
  }

  /** Ids of posted orders, oldest first, from storage. An id may be there that is not posted (any more). */
  followedIds(): Promise<readonly string[]> {
    return this.writes.run(() => this.read(this.followedList, "posted"));
  }

  /** Some of {@link followedIds}, in parts: the one before that of this number, or the last one. */
  followedBefore(part: number): ReturnType<IdList["before"]> {
    return this.writes.run(() => this.followedList.before(part));
  }

  /** A process that has no right to write looks at what it may not take over. */
  private async read(list: IdList, state: "owed" | "posted"): Promise<readonly string[]> {
    try {
      await this.adopt();
      return await list.read();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      const { those } = await this.listBefore();
      return [...new Set([...(await list.read()), ...those(state)])];
    }
  }

  /** What 0.1.0 kept in the place of the two lists. */
  private async listBefore() {
    const ids = (await this.openList.get(this.guildId)) ?? [];
    const known = await this.entries(ids);
    return { ids, those: (state: LedgerEntry["state"]) => ids.filter((id) => known.get(id)?.state === state) };
  }

  /** Takes over the list of 0.1.0, once in a term: until then a process of 0.1.0 may have gone on with it. */
  private async adopt() {
    if (this.isAdopted) return;
    const { ids, those } = await this.listBefore();
    if (ids.length > 0) {
      await this.owedList.add(those("owed"));
      await this.followedList.add(those("posted"));
      await this.openList.delete(this.guildId);
    }
    this.isAdopted = true;
  }

  /** One change of the lists and entries, and of the owed ids in memory: one that fails leaves in doubt what is kept. */
  private change(work: () => Promise<void>, next = (before: readonly string[]) => before): Promise<void> {
    return this.writes.run(async () => {
      await this.adopt();
      const before = this.owed;
      this.owed = undefined;
      await work();
      this.owed = before && next(before);
    });
  }

  private async put(kept: readonly LedgerEntry[], ids: readonly string[]) {
    const named = kept.map((entry, index) => [ids[index] ?? "", entry] as const);
    for await (const some of inSlices(named)) {
      await this.table.setMany(some.map(([id, entry]) => [id, this.form.write(entry)]));
    }
  }

  private see(ids: readonly string[], known: ReadonlyMap<string, LedgerEntry> = new Map()) {
    return this.put(
      ids.map((id) => ({ state: "seen" as const, ...(known.get(id)?.isFormer ? { isFormer: true as const } : {}) })),
      ids,
    );
  }

  private async remove(ids: readonly string[]) {
    for await (const some of inSlices(ids)) await this.table.deleteMany(some);
  }

  /** Ids of all entries, or of those that are in none of these states. May read the whole table. */
  private async ids(but: LedgerEntry["state"][] = []): Promise<string[]> {
    const found: string[] = [];
    let read = 0;
    for await (const [id, { state }] of this.table.entries()) {
      if (++read % sliceSize === 0) await setImmediate();
      if (!but.includes(state)) found.push(id);
    }
    return found;
  }

  /** The newest of what is recorded: a store that tidies up keeps those longest. */
  private async witness(ids: readonly string[]) {
    if (ids.length > 0) await this.witnessTable.set(this.guildId, ids.slice(-mostWitnesses));
  }

  markSeen(ids: readonly string[]): Promise<void> {
    return this.change(async () => {
      // Once they are seen, another attempt finds nothing to witness.
      await this.witness(ids);
      await this.see(ids);
    });
  }

  /** Durable when it resolves; only then may anything be sent. */
  owe(entries: readonly OwedEntry[]): Promise<void> {
    const ids = idsOf(entries);
    const work = async () => {
      await this.owedList.add(ids);
      await this.put(entries, ids);
      await this.witness(ids);
    };
    return this.change(work, (before) => [...new Set([...before, ...ids])]);
  }

  /** An owed order that two processes at once took off the list is put back. */
  async keepStrays(owed: readonly OwedEntry[]): Promise<void> {
    if (owed.length === 0) return;
    const listed = new Set(await this.owedIds());
    const strays = owed.filter(({ order }) => !listed.has(order.id));
    if (strays.length > 0) await this.owe(strays);
  }

  /** Owed as before, with more known of where they may stand. */
  keepOwed(entries: readonly OwedEntry[]): Promise<void> {
    return this.change(() => this.put(entries, idsOf(entries)));
  }

  /**
   * Seals anew, once in a term, customers of owed orders that 0.1.0 kept as they were, or that an older key sealed.
   *
   * @param assertMine throws where another process polls now, which may have sent what would be written as owed here
   */
  async sealOwed(assertMine: () => void): Promise<void> {
    if (this.isSealed) return;
    const ids = await this.owedIds();
    await this.change(async () => {
      for await (const some of inSlices(ids)) {
        const stored = await this.table.getMany(some);
        const open = stored.flatMap((entry) => (entry && this.form.toReseal(entry)) ?? []);
        assertMine();
        if (open.length > 0) await this.put(open, idsOf(open));
      }
    });
    this.isSealed = true;
  }

  posted(entries: readonly PostedEntry[]): Promise<void> {
    const ids = idsOf(entries);
    const work = async () => {
      await this.followedList.add(ids);
      await this.put(entries, ids);
      await this.owedList.remove(ids);
    };
    return this.change(work, without(ids));
  }

  /** Posted as before, with more known of them. */
  keepPosted(entries: readonly PostedEntry[]): Promise<void> {
    return this.change(() => this.put(entries, idsOf(entries)));
  }

  /**
   * No longer followed. An order's content is kept for as long as another one of its message may change, for that is made
   * again from all of them; then only the ids stay, for good: the store may show any order again, however old.
   */
  settle(entries: readonly PostedEntry[]): Promise<void> {
    return this.change(async () => {
      const ids = idsOf(entries);
      const now = new Set(ids);
      const others = [...new Set(entries.flatMap(({ batch }) => batch))].filter((id) => !now.has(id));
      const known = await this.entries(others);
      const isOpen = (id: string) => known.get(id)?.state === "posted";
      const [open, over]: [PostedEntry[], string[]] = [[], []];
      for (const entry of entries) {
        if (entry.batch.some(isOpen)) open.push(entry);
        else over.push(entry.order.id, ...entry.batch.filter((id) => known.get(id)?.state === "settled"));
      }
      const settled = open.map((entry) => ({ ...entry, state: "settled" as const }));
      await this.put(settled, idsOf(settled));
      await this.see(
        [...new Set(over)],
        new Map([...known, ...entries.map((entry) => [entry.order.id, entry] as const)]),
      );
      await this.followedList.remove(ids);
    });
  }

  /** Takes ids off both lists that have no owed or posted entry. */
  async unlist(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const known = await this.entries(ids);
    const but = (state: LedgerEntry["state"]) => ids.filter((id) => known.get(id)?.state !== state);
    const work = async () => {
      await this.owedList.remove(but("owed"));
      await this.followedList.remove(but("posted"));
    };
    return this.change(work, without(but("owed")));
  }

  /** Turns every owed order into a seen one: alerts were turned off. */
  dropOwed(): Promise<void> {
    const work = async () => {
      const known = await this.entries(await this.owedList.read());
      await this.see(
        [...known].flatMap(([id, { state }]) => (state === "owed" ? [id] : [])),
        known,
      );
      await this.owedList.clear();
    };
    return this.change(work, () => []);
  }

  /** No alert is followed any more. */
  async unfollow(): Promise<void> {
    const ids = await this.followedIds();
    for await (const some of inSlices(ids)) {
      const known = await this.entries(some);
      await this.settle([...known.values()].flatMap((entry) => (entry.state === "posted" ? [entry] : [])));
    }
    await this.unlist(ids);
  }

  /** Up to 5 orders that this server's store had when something was last recorded, to know the store again. */
  async witnesses(): Promise<readonly string[]> {
    return (await this.witnessTable.get(this.guildId)) ?? [];
  }

  /**
   * The store is another one, or may be: nothing but what is owed is of any use.
   *
   * @param waiting what is to be taken as seen in the new one: where it is already, it stays, for a process that is
   * suspended in here would delete it once another one has gone on
   * @param assertCurrent throws where another process polls now, or the store has changed once more
   */
  startOver(
    waiting: readonly string[] = [],
    assertCurrent: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    return this.change(async () => {
      await this.witnessTable.delete(this.guildId);
      await this.followedList.clear();
      const owed = await this.entries(await this.owedList.read());
      const former = [...owed].flatMap(([id, entry]) => (entry.state === "owed" ? [[id, entry] as const] : []));
      const isSeen = (entry: LedgerEntry) => entry.state === "seen" && !entry.isFormer;
      const stays = new Map([...(await this.entries(waiting))].filter(([, entry]) => isSeen(entry)));
      const gone = (await this.ids(["owed"])).filter((id) => !stays.has(id));
      await assertCurrent();
      await this.put(
        former.map(([, entry]) => ({ ...entry, isFormer: true as const })),
        former.map(([id]) => id),
      );
      await this.remove(gone);
    });
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.owed = undefined;
    this.isAdopted = false;
    this.isSealed = false;
  }

  clear(): Promise<void> {
    const work = async () => {
      await this.remove(await this.ids());
      await this.openList.delete(this.guildId);
      await this.witnessTable.delete(this.guildId);
      await this.owedList.clear();
      await this.followedList.clear();
    };
    return this.change(work, () => []);
  }
}
