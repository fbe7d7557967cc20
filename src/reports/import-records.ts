import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { budgets } from "../basics/budgets.ts";
import { createTurns } from "../basics/queue.ts";
import { createTotal } from "../basics/total.ts";
import type { Storage, Table, TableShape } from "../storage/table.ts";
import type { NewProduct } from "../store-api/schemas.ts";
import { ProblemError } from "../views/problem.ts";

const recordSchema = z.discriminatedUnion("state", [
  /** It was sent, and nobody knows what became of it: `since` the first time, `at` the last one, epoch ms. */
  z.object({ state: z.literal("sent"), since: z.number(), at: z.number() }),
  /** It is in the store, under this id. `store` changes with every token, of the same store or another one. */
  z.object({ state: z.literal("created"), id: z.string(), store: z.string(), at: z.number() }),
]);

/** What is known of a row of a file that was sent to the store. */
export type ImportRecord = Readonly<z.infer<typeof recordSchema>>;

/** By the keys of rows, in servers apart. Of a malformed one it is only known that there was one: the store has to be asked. */
export const importedTable: TableShape<ImportRecord> = {
  name: "imported",
  schema: recordSchema.catch({ state: "sent", since: 0, at: 0 }),
  version: 1,
};

const batchesSchema = z.array(z.object({ at: z.number(), keys: z.array(z.string()) }).readonly());

/** The keys of each server's imports, the newest last: every record has its key here before it is written. */
export const importBatchesTable: TableShape<z.infer<typeof batchesSchema>> = {
  name: "import-batches",
  schema: batchesSchema.catch([]),
  version: 1,
};

const claimSchema = z.object({ run: z.string(), at: z.number() });

/** Which import is under way in a server, and which one is to stop. A malformed one is over. */
export const importClaimsTable: TableShape<z.infer<typeof claimSchema> | null> = {
  name: "import-claims",
  schema: claimSchema.nullable().catch(null),
  version: 1,
};

const keptMs = 30 * 24 * 60 * 60_000;
/** Of one that is remembered. */
const rowBytes = 150;
const { ofServer: mostKept, ofAll } = budgets.importedRows;
/** An import that was not heard of for so long is dead. */
const silentMs = 30_000;
const stopOf = (guildId: string) => `${guildId}:stop`;

/**
 * A key for each row, by all that is sent of it and by how manieth such row of its file it is: the same file gives the same
 * keys, and rows that are the same have keys of their own.
 */
export function importKeys(products: readonly NewProduct[]): string[] {
  const counts = new Map<string, number>();
  return products.map(({ categoryId, info, pricing }) => {
    const { title, description = "", images = [] } = info;
    const content = [categoryId.toLowerCase(), title, description, images, pricing.price, pricing.comparation ?? ""];
    const same = JSON.stringify(content);
    const count = (counts.get(same) ?? 0) + 1;
    counts.set(same, count);
    return createHash("sha256").update(`${count} ${same}`).digest("base64url").slice(0, 22);
  });
}

const countOf = (lists: readonly { readonly keys: readonly string[] }[]) =>
  lists.reduce((sum, { keys }) => sum + keys.length, 0);
const held = (count: number) => ({ count, bytes: count * rowBytes });

const totalOf = (batches: Table<z.infer<typeof batchesSchema>>) =>
  createTotal(ofAll, async function* () {
    for await (const [, lists] of batches.entries()) yield held(countOf(lists));
  });

/** What was imported in each server within 30 days, and what is under way. Throws `StorageError`. */
export interface ImportRecords {
  /** What is known of these rows. */
  of(guildId: string, keys: readonly string[]): Promise<ReadonlyMap<string, ImportRecord>>;
  /**
   * Begins an import of these rows. Throws a `ProblemError`: "import_running" where one is under way in this server, "full"
   * where of all servers too many rows are remembered.
   */
  begin(guildId: string, store: string, keys: readonly string[]): Promise<ImportRun>;
  /** Has an import stop, in whichever process it runs; false where it is over already, or dead. */
  stop(guildId: string, run: string): Promise<boolean>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

/** An import under way. */
export interface ImportRun {
  readonly name: string;
  /** As its records name it. */
  readonly store: string;
  /** Ids of products that rows of this server became: no other row did. */
  readonly ids: Set<string>;
  /** Whether it is still this import's turn; to be asked every few seconds, which also says that it is alive. */
  isWanted(): Promise<boolean>;
  /** Notes what is known of a row, or that nothing is. Throws a `ProblemError` ("cancelled") where the server is being forgotten. */
  note(key: string, record: ImportRecord | undefined): Promise<void>;
  end(): Promise<void>;
}

/**
 * @param deps.mayKeep whether anything may be kept for a server: false as soon as it is being forgotten
 * @param deps.now epoch ms
 */
export function createImportRecords(deps: {
  readonly storage: Storage;
  readonly mayKeep: (guildId: string) => Promise<boolean>;
  readonly now: () => number;
}): ImportRecords {
  const { storage, mayKeep, now } = deps;
  const inTurn = createTurns();
  const claims = storage.table(importClaimsTable);
  const batches = storage.table(importBatchesTable);
  const recordsOf = (guildId: string) => storage.table(importedTable, guildId);

  const total = totalOf(batches);
  const isAlive = ({ at }: { readonly at: number }) => Math.abs(now() - at) < silentMs;

  async function known(guildId: string, keys: readonly string[]) {
    const found = await recordsOf(guildId).getMany(keys);
    return new Map(keys.flatMap((key, at) => (found[at] === undefined ? [] : [[key, found[at]] as const])));
  }

  /** Has these keys in the list before anything is written under them, and no more there than may be. */
  async function enlist(guildId: string, keys: readonly string[]): Promise<string[]> {
    const fresh = new Set(keys);
    const kept = (await batches.get(guildId)) ?? [];
    const before = kept
      .filter(({ at }) => at > now() - keptMs)
      .map(({ at, keys: older }) => ({ at, keys: older.filter((key) => !fresh.has(key)) }))
      .filter(({ keys: older }) => older.length > 0);
    const gone: string[] = [];
    let count = countOf(before) + keys.length;
    while (count > mostKept && before.length > 0) {
      const oldest = before.shift()?.keys ?? [];
      gone.push(...oldest);
      count -= oldest.length;
    }
    if (!(await total.admits(held(count - countOf(kept))))) throw new ProblemError({ code: "full" });
    await recordsOf(guildId).deleteMany(gone);
    const next = [...before, { at: now(), keys: [...keys] }];
    await batches.set(guildId, next, { ttlMs: keptMs });
    return next.flatMap((batch) => batch.keys);
  }

  async function claim(guildId: string, run: string): Promise<void> {
    const other = await claims.get(guildId);
    if (other && isAlive(other)) throw new ProblemError({ code: "import_running" });
    await claims.set(guildId, { run, at: now() }, { ttlMs: silentMs });
  }

  function runOf(guildId: string, name: string, store: string, ids: Set<string>): ImportRun {
    async function isWanted(): Promise<boolean> {
      const [mine, stopped] = await claims.getMany([guildId, stopOf(guildId)]);
      return mine?.run === name && stopped?.run !== name;
    }
    return {
      name,
      store,
      ids,
      isWanted: () =>
        inTurn(guildId, async () => {
          if (!(await isWanted())) return false;
          await claims.set(guildId, { run: name, at: now() }, { ttlMs: silentMs });
          return true;
        }),
      note: (key, record) =>
        inTurn(guildId, async () => {
          if (!(await mayKeep(guildId))) throw new ProblemError({ code: "cancelled" });
          if (record === undefined) await recordsOf(guildId).delete(key);
          else await recordsOf(guildId).set(key, record, { ttlMs: keptMs });
        }),
      end: () =>
        inTurn(guildId, async () => {
          if ((await claims.get(guildId))?.run === name) await claims.deleteMany([guildId, stopOf(guildId)]);
        }),
    };
  }

  return {
    of: known,
    begin: (guildId, store, keys) =>
      inTurn(guildId, async () => {
        if (!(await mayKeep(guildId))) throw new ProblemError({ code: "not_connected" });
        const run = randomBytes(9).toString("base64url");
        await claim(guildId, run);
        const all = await known(guildId, await enlist(guildId, keys));
        const ids = [...all.values()].flatMap((one) => (one.state === "created" ? one.id : []));
        return runOf(guildId, run, store, new Set(ids));
      }),
    async stop(guildId, run) {
      const mine = await claims.get(guildId);
      if (mine?.run !== run || !isAlive(mine)) return false;
      await claims.set(stopOf(guildId), { run, at: now() }, { ttlMs: silentMs });
      return true;
    },
    forget: (guildId) =>
      inTurn(guildId, async () => {
        await claims.deleteMany([guildId, stopOf(guildId)]);
        await batches.delete(guildId);
        await recordsOf(guildId).clear();
      }),
  };
}
