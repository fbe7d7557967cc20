import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { budgets } from "../basics/budgets.ts";
import { createKeyedMutex } from "../basics/mutex.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import { createTotal, type Held } from "../storage/total.ts";
import type { NewProduct } from "../store-api/schemas.ts";
import { ProblemError } from "../views/parts/problem.ts";

const recordSchema = z.discriminatedUnion("state", [
  /** It was sent, and it is unknown what became of it: `since` the first time, `at` the last one, epoch ms. */
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

const claimSchema = z.object({ run: z.string(), at: z.number(), isToStop: z.boolean().optional() });
type Claim = Readonly<z.infer<typeof claimSchema>>;

/** Which import is under way in a server. A malformed one is over. */
export const importClaimsTable: TableShape<Claim | null> = {
  name: "import-claims",
  schema: claimSchema.nullable().catch(null),
  version: 1,
};

const keptMs = 30 * 24 * 60 * 60_000;
/** Of one that is remembered: 450 in Redis (measured), less in the others. */
const rowBytes = 450;
const { ofServer: mostKept, ofAll, always } = budgets.importedRows;
/** An import that was not heard of for so long is dead. */
const silentMs = 30_000;

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

const held = (count: number): Held => ({ count, bytes: count * rowBytes });

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
  const inTurn = createKeyedMutex();
  const claims = storage.table(importClaimsTable);
  const recordsOf = (guildId: string) => storage.table(importedTable, guildId);

  const total = createTotal(storage, importedTable.name, { ofAll: held(ofAll), always: held(always), keptMs });
  const isAlive = ({ at }: { readonly at: number }) => Math.abs(now() - at) < silentMs;

  /** Puts what `next` makes of the claim in its place: null for none. False where that is undefined, and the claim stays. */
  async function changeClaim(guildId: string, next: (claim: Claim | undefined) => Claim | null | undefined) {
    for (;;) {
      const [row = absent(guildId)] = await claims.read([guildId]);
      const claim = next(row.value ?? undefined);
      if (claim === undefined) return false;
      const step = claim === null ? claims.remove(row) : claims.put(row, claim, { ttlMs: silentMs });
      if (await storage.commit([step])) return true;
    }
  }

  async function known(guildId: string, keys: readonly string[]) {
    const found = await recordsOf(guildId).getMany(keys);
    return new Map(keys.flatMap((key, at) => (found[at] === undefined ? [] : [[key, found[at]] as const])));
  }

  /** Has room for so many more records than what is there of these rows; gives what stays. */
  async function makeRoom(guildId: string, keys: readonly string[]): Promise<ReadonlyMap<string, ImportRecord>> {
    const records = new Map<string, ImportRecord>();
    for await (const [key, record] of recordsOf(guildId).entries()) records.set(key, record);
    const mine = new Set(keys);
    const others = [...records].filter(([key]) => !mine.has(key)).sort(([, one], [, other]) => one.at - other.at);
    const gone = others.slice(0, Math.max(others.length + keys.length - mostKept, 0));
    if (!(await total.admits(guildId, held(others.length - gone.length + keys.length))))
      throw new ProblemError({ code: "full" });
    await recordsOf(guildId).deleteMany(gone.map(([key]) => key));
    for (const [key] of gone) records.delete(key);
    return records;
  }

  function runOf(guildId: string, name: string, store: string, ids: Set<string>): ImportRun {
    return {
      name,
      store,
      ids,
      isWanted: () =>
        inTurn(guildId, () =>
          changeClaim(guildId, (claim) =>
            claim?.run === name && !claim.isToStop ? { run: name, at: now() } : undefined,
          ),
        ),
      note: (key, record) =>
        inTurn(guildId, async () => {
          if (!(await mayKeep(guildId))) throw new ProblemError({ code: "cancelled" });
          if (record === undefined) await recordsOf(guildId).delete(key);
          else await recordsOf(guildId).set(key, record, { ttlMs: keptMs });
        }),
      end: () =>
        inTurn(guildId, async () => {
          await changeClaim(guildId, (claim) => (claim?.run === name ? null : undefined));
        }),
    };
  }

  return {
    of: known,
    begin: (guildId, store, keys) =>
      inTurn(guildId, async () => {
        if (!(await mayKeep(guildId))) throw new ProblemError({ code: "not_connected" });
        const run = randomBytes(9).toString("base64url");
        const isMine = await changeClaim(guildId, (other) =>
          other && isAlive(other) ? undefined : { run, at: now() },
        );
        if (!isMine) throw new ProblemError({ code: "import_running" });
        const records = await makeRoom(guildId, keys).catch(async (error: unknown) => {
          await changeClaim(guildId, (claim) => (claim?.run === run ? null : undefined));
          throw error;
        });
        const ids = [...records.values()].flatMap((one) => (one.state === "created" ? one.id : []));
        return runOf(guildId, run, store, new Set(ids));
      }),
    stop: (guildId, run) =>
      changeClaim(guildId, (claim) =>
        claim?.run === run && isAlive(claim) ? { ...claim, isToStop: true } : undefined,
      ),
    forget: (guildId) =>
      inTurn(guildId, async () => {
        await claims.delete(guildId);
        // What earlier versions kept beside the records.
        await storage.table({ name: "import-batches", schema: z.unknown(), version: 1 }).delete(guildId);
        await recordsOf(guildId).clear();
        await total.forget(guildId);
      }),
  };
}
