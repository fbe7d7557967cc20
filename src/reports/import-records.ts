import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { budgets } from "../basics/limits/budgets.ts";
import { importDays } from "../basics/limits/limits-in-texts.ts";
import { createSharedBound, type Held, type SharedBound } from "../basics/limits/shared-bound.ts";
import type { Guilds } from "../guilds/guilds.ts";
import { absent, anyVersion, type Storage, type Table, type TableShape } from "../storage/table.ts";
import type { NewProduct } from "../store-api/schemas.ts";
import { ProblemError } from "../views/parts/problem.ts";

/**
 * Call the returned function for the rows of a file, in their sequence. It returns the row's key: a hash of the row's content
 * and of its number among equal rows. So a file has the same keys each time, and equal rows become separate products.
 */
export function createImportKeys(): (product: NewProduct) => string {
  const counts = new Map<string, number>();
  return ({ categoryId, info, pricing }) => {
    const { title, description = "", images = [] } = info;
    const content = [categoryId.toLowerCase(), title, description, images, pricing.price, pricing.comparation ?? ""];
    const same = JSON.stringify(content);
    const count = (counts.get(same) ?? 0) + 1;
    counts.set(same, count);
    return createHash("sha256").update(`${count} ${same}`).digest("base64url").slice(0, 22);
  };
}

const recordSchema = z.discriminatedUnion("state", [
  /** The result is unknown. The row was first sent at `since`, and last at `at` (epoch ms). */
  z.object({ state: z.literal("sent"), since: z.number(), at: z.number() }),
  /** `store` identifies the token with which the product was created or found. */
  z.object({ state: z.literal("created"), id: z.string(), store: z.string(), at: z.number() }),
]);

export type ImportRecord = Readonly<z.infer<typeof recordSchema>>;

/** Keys are those of `createImportKeys`. A malformed record counts as sent, with an unknown result. */
export const importedTable: TableShape<ImportRecord> = {
  name: "imported",
  schema: recordSchema.catch({ state: "sent", since: 0, at: 0 }),
  version: 1,
};

const importsSchema = z.object({
  rows: z.number(),
  /** The running import. `name` is random. `at` is when the import last recorded that it is alive (epoch ms). */
  run: z.object({ name: z.string(), at: z.number(), isToStop: z.literal(true).optional() }).optional(),
});
type Imports = Readonly<z.infer<typeof importsSchema>>;

/** Keys are server ids. A malformed value counts as no records and no running import. */
export const importsTable: TableShape<Imports> = {
  name: "imports",
  schema: importsSchema.catch({ rows: 0 }),
  version: 1,
};

const keptMs = importDays * 24 * 60 * 60_000;
/** A record takes this many bytes in Redis (measured), and less in the other storages. */
const rowBytes = 450;
const { ofServer: mostKept, ofAll, always } = budgets.importedRows;
/** A running import records every few seconds that it is alive. After this silence it counts as over. */
const silentMs = 30_000;

const held = (count: number): Held => ({ count, bytes: count * rowBytes });

interface ImportRecordsDeps {
  readonly storage: Storage;
  readonly mayKeep: Guilds["mayKeep"];
  readonly now: () => number;
}

export type ImportRun = Awaited<ReturnType<ImportRecords["begin"]>>;

/** For each server, stores the running import, and the newest imported rows for 30 days. Every method throws `StorageError`. */
export class ImportRecords {
  private readonly deps: ImportRecordsDeps;
  private readonly imports: Table<Imports>;
  private readonly bound: SharedBound;

  constructor(deps: ImportRecordsDeps) {
    this.deps = deps;
    const imports = deps.storage.table(importsTable);
    async function* read(): AsyncGenerator<readonly [guildId: string, held: Held]> {
      for await (const { key, value } of imports.rows()) yield [key, held(value.rows)];
    }
    this.imports = imports;
    this.bound = createSharedBound({ read, ofAll: held(ofAll), always: held(always) });
  }

  /** A row that was never sent has no record. */
  async of(guildId: string, keys: readonly string[]): Promise<ReadonlyMap<string, ImportRecord>> {
    const rows = await this.recordsOf(guildId).read(keys);
    return new Map(rows.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const])));
  }

  /**
   * `store` identifies the store (its token) in the records. Throws a `ProblemError`: "not_connected" if no store is connected,
   * "import_running" if another import runs in this server, "full" if too many rows of all servers are stored.
   */
  async begin(guildId: string, store: string, keys: readonly string[]) {
    const { storage, now } = this.deps;
    const name = randomBytes(9).toString("base64url");
    for (;;) {
      const kept = await this.deps.mayKeep(guildId);
      if (kept === undefined) throw new ProblemError({ code: "not_connected" });
      const [row = absent(guildId)] = await this.imports.read([guildId]);
      if (row.value && this.isAlive(row.value)) throw new ProblemError({ code: "import_running" });
      const { stay, gone, rows } = await this.roomFor(guildId, keys);
      if (!(await this.bound.admits(guildId, held(rows)))) throw new ProblemError({ code: "full" });
      // Deleted before the commit. If the deletion fails, no import is recorded as running.
      await this.recordsOf(guildId).deleteMany(gone);
      const begun = this.imports.put(row, { rows, run: { name, at: now() } }, { ttlMs: keptMs });
      if (!(await storage.commit([...kept, begun]))) continue;
      const created = [...stay.values()].flatMap((one) => (one.state === "created" ? one.id : []));
      return {
        name,
        store,
        /** Products that imports of this server created. A search for the product of another row must not return them. */
        ids: new Set(created),
        /** Whether the import may go on. Must be called every few seconds: each call records that the import is alive. */
        isWanted: () =>
          this.changeRun(guildId, name, (last) =>
            last.run?.isToStop ? undefined : { rows: last.rows, run: { name, at: now() } },
          ),
        /** Deletes the record if `record` is undefined. Throws a `ProblemError` ("cancelled") if no store is connected. */
        note: (key: string, record: ImportRecord | undefined) => this.note(guildId, key, record),
        end: (): Promise<unknown> => this.changeRun(guildId, name, (last) => ({ rows: last.rows })),
      };
    }
  }

  /** Asks an import, perhaps in another process, to stop. False if the import is over or no longer alive. */
  stop(guildId: string, run: string): Promise<boolean> {
    return this.changeRun(guildId, run, (row) =>
      row.run && this.isAlive(row) ? { ...row, run: { ...row.run, isToStop: true } } : undefined,
    );
  }

  private recordsOf(guildId: string) {
    return this.deps.storage.table(importedTable, guildId);
  }

  private isAlive({ run }: Imports): boolean {
    return run !== undefined && Math.abs(this.deps.now() - run.at) < silentMs;
  }

  private async changeRun(
    guildId: string,
    name: string,
    next: (row: Imports) => Imports | undefined,
  ): Promise<boolean> {
    for (;;) {
      const [row = absent(guildId)] = await this.imports.read([guildId]);
      const changed = row.value?.run?.name === name ? next(row.value) : undefined;
      if (changed === undefined) return false;
      if (await this.deps.storage.commit([this.imports.put(row, changed, { ttlMs: keptMs })])) return true;
    }
  }

  private async note(guildId: string, key: string, record: ImportRecord | undefined): Promise<void> {
    const table = this.recordsOf(guildId);
    const row = anyVersion(key);
    const step = record === undefined ? table.remove(row) : table.put(row, record, { ttlMs: keptMs });
    for (let isDone = false; !isDone; ) {
      const kept = await this.deps.mayKeep(guildId);
      if (kept === undefined) throw new ProblemError({ code: "cancelled" });
      isDone = await this.deps.storage.commit([...kept, step]);
    }
  }

  private async roomFor(guildId: string, keys: readonly string[]) {
    const stay = new Map<string, ImportRecord>();
    for await (const { key, value: record } of this.recordsOf(guildId).rows()) stay.set(key, record);
    const mine = new Set(keys);
    const others = [...stay].filter(([key]) => !mine.has(key)).sort(([, one], [, other]) => one.at - other.at);
    const gone = others.slice(0, Math.max(others.length + keys.length - mostKept, 0)).map(([key]) => key);
    for (const key of gone) stay.delete(key);
    return { stay, gone, rows: others.length - gone.length + keys.length };
  }
}
