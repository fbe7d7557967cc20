import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { budgets } from "../basics/budgets.ts";
import { createKeyedMutex } from "../basics/mutex.ts";
import { createSharedBound, type Held } from "../basics/shared-bound.ts";
import { absent, type Row, type Storage, type TableShape } from "../storage/table.ts";
import type { NewProduct } from "../store-api/schemas.ts";
import { ProblemError } from "../views/parts/problem.ts";

const recordSchema = z.discriminatedUnion("state", [
  /** The row was sent, and the result is unknown. `since` is the first time it was sent, `at` the last; epoch ms. */
  z.object({ state: z.literal("sent"), since: z.number(), at: z.number() }),
  /**
   * The product is in the store with this id. `store` identifies the token: it changes with every token, also for the
   * same store.
   */
  z.object({ state: z.literal("created"), id: z.string(), store: z.string(), at: z.number() }),
]);

/** The record of a row (of an imported file) that was sent to the store. */
export type ImportRecord = Readonly<z.infer<typeof recordSchema>>;

/**
 * Records by the keys of rows, for each server. A malformed row counts as sent with an unknown result, so the bot
 * searches the store for it.
 */
export const importedTable: TableShape<ImportRecord> = {
  name: "imported",
  schema: recordSchema.catch({ state: "sent", since: 0, at: 0 }),
  version: 1,
};

const importsSchema = z.object({
  /** How many rows of the server are remembered. */
  rows: z.number(),
  /**
   * The running import: its random name, and when it last recorded that it is alive (epoch ms). `isToStop` asks it to
   * end.
   */
  run: z.object({ name: z.string(), at: z.number(), isToStop: z.literal(true).optional() }).optional(),
});
type Imports = Readonly<z.infer<typeof importsSchema>>;

/** The imports of each server, by the server's id. A malformed row counts as having no running import. */
export const importsTable: TableShape<Imports> = {
  name: "imports",
  schema: importsSchema.catch({ rows: 0 }),
  version: 1,
};

const keptMs = 30 * 24 * 60 * 60_000;
/** Bytes of a remembered row: 450 in Redis (measured), less in the other storages. */
const rowBytes = 450;
const { ofServer: mostKept, ofAll, always } = budgets.importedRows;
/** An import that has not recorded for this long that it is alive counts as dead. */
const silentMs = 30_000;

/**
 * Makes a key for each row: a digest of everything that is sent for it, and of its number among equal rows of the file.
 * So the same file gives the same keys, and equal rows have different keys.
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

/**
 * The records of rows imported in each server within 30 days, and the running imports. Every method throws
 * `StorageError`.
 */
export interface ImportRecords {
  /** Returns the records of these rows; a row that was never sent has none. */
  of(guildId: string, keys: readonly string[]): Promise<ReadonlyMap<string, ImportRecord>>;
  /**
   * Begins an import of these rows. Throws a `ProblemError`: "import_running" if another import is running in this
   * server, "full" if too many rows of all servers are stored.
   */
  begin(guildId: string, store: string, keys: readonly string[]): Promise<ImportRun>;
  /** Asks an import to stop, also in another process. Returns false if it is over or dead. */
  stop(guildId: string, run: string): Promise<boolean>;
  /** Deletes everything about imports of a server. */
  forget(guildId: string): Promise<void>;
}

/** A running import. */
export interface ImportRun {
  readonly name: string;
  /** Identifies the store (its token) in the records. */
  readonly store: string;
  /**
   * Ids of products that other rows of this server created. Such a product is never taken for the product of a further
   * row.
   */
  readonly ids: Set<string>;
  /**
   * Returns whether the import may go on. Call it every few seconds, because it also records that the import is alive.
   */
  isWanted(): Promise<boolean>;
  /**
   * Stores the record of a row; undefined deletes it. Throws a `ProblemError` ("cancelled") if the data of the server
   * is being deleted.
   */
  note(key: string, record: ImportRecord | undefined): Promise<void>;
  end(): Promise<void>;
}

/**
 * Makes the records of imports.
 *
 * @param deps.mayKeep whether anything may be stored for a server: false once its data is being deleted
 * @param deps.now epoch ms
 */
export function createImportRecords(deps: {
  readonly storage: Storage;
  readonly mayKeep: (guildId: string) => Promise<boolean>;
  readonly now: () => number;
}): ImportRecords {
  const { storage, mayKeep, now } = deps;
  const inTurn = createKeyedMutex();
  const imports = storage.table(importsTable);
  const recordsOf = (guildId: string) => storage.table(importedTable, guildId);

  async function* heldByServers(): AsyncGenerator<readonly [guildId: string, held: Held]> {
    for await (const [guildId, { rows }] of imports.entries()) yield [guildId, held(rows)];
  }
  const bound = createSharedBound({ read: heldByServers, ofAll: held(ofAll), always: held(always) });
  const isAlive = ({ run }: Imports) => run !== undefined && Math.abs(now() - run.at) < silentMs;

  const put = (row: Row<Imports>, next: Imports) => storage.commit([imports.put(row, next, { ttlMs: keptMs })]);

  /**
   * Replaces the running import named `name`. Returns false, and changes nothing, if that import is not the running
   * one, or if `next` returns undefined.
   */
  async function changeRun(guildId: string, name: string, next: (row: Imports) => Imports | undefined) {
    for (;;) {
      const [row = absent(guildId)] = await imports.read([guildId]);
      const changed = row.value?.run?.name === name ? next(row.value) : undefined;
      if (changed === undefined) return false;
      if (await put(row, changed)) return true;
    }
  }

  async function known(guildId: string, keys: readonly string[]) {
    const found = await recordsOf(guildId).getMany(keys);
    return new Map(keys.flatMap((key, at) => (found[at] === undefined ? [] : [[key, found[at]] as const])));
  }

  /**
   * Splits the stored rows of a server into those that stay, and those that are deleted to make space for the new rows.
   */
  async function roomFor(guildId: string, keys: readonly string[]) {
    const stay = new Map<string, ImportRecord>();
    for await (const [key, record] of recordsOf(guildId).entries()) stay.set(key, record);
    const mine = new Set(keys);
    const others = [...stay].filter(([key]) => !mine.has(key)).sort(([, one], [, other]) => one.at - other.at);
    const gone = others.slice(0, Math.max(others.length + keys.length - mostKept, 0)).map(([key]) => key);
    for (const key of gone) stay.delete(key);
    return { stay, gone, rows: others.length - gone.length + keys.length };
  }

  function runOf(guildId: string, name: string, store: string, ids: Set<string>): ImportRun {
    return {
      name,
      store,
      ids,
      isWanted: () =>
        inTurn(guildId, () =>
          changeRun(guildId, name, ({ rows, run }) => (run?.isToStop ? undefined : { rows, run: { name, at: now() } })),
        ),
      note: (key, record) =>
        inTurn(guildId, async () => {
          if (!(await mayKeep(guildId))) throw new ProblemError({ code: "cancelled" });
          if (record === undefined) await recordsOf(guildId).delete(key);
          else await recordsOf(guildId).set(key, record, { ttlMs: keptMs });
        }),
      end: () => inTurn(guildId, async () => void (await changeRun(guildId, name, ({ rows }) => ({ rows })))),
    };
  }

  return {
    of: known,
    begin: (guildId, store, keys) =>
      inTurn(guildId, async () => {
        if (!(await mayKeep(guildId))) throw new ProblemError({ code: "not_connected" });
        const name = randomBytes(9).toString("base64url");
        for (;;) {
          const [row = absent(guildId)] = await imports.read([guildId]);
          if (row.value && isAlive(row.value)) throw new ProblemError({ code: "import_running" });
          const { stay, gone, rows } = await roomFor(guildId, keys);
          if (!(await bound.admits(guildId, held(rows)))) throw new ProblemError({ code: "full" });
          // This is done before the import is recorded as running. If it fails, no record of a running import is left
          // behind.
          await recordsOf(guildId).deleteMany(gone);
          if (!(await put(row, { rows, run: { name, at: now() } }))) continue;
          const ids = [...stay.values()].flatMap((one) => (one.state === "created" ? one.id : []));
          return runOf(guildId, name, store, new Set(ids));
        }
      }),
    stop: (guildId, name) =>
      changeRun(guildId, name, (row) =>
        row.run && isAlive(row) ? { ...row, run: { ...row.run, isToStop: true } } : undefined,
      ),
    forget: (guildId) =>
      inTurn(guildId, async () => {
        await imports.delete(guildId);
        await recordsOf(guildId).clear();
        bound.forget(guildId);
      }),
  };
}
