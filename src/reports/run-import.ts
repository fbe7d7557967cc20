import { sleep } from "../basics/limits/sleep.ts";
import { StorageError } from "../storage/table.ts";
import type { NewProduct } from "../store-api/schemas.ts";
import { StoreError } from "../store-api/store-api.ts";
import { type Problem, ProblemError } from "../views/parts/problem.ts";
import type { ImportCounts, ImportEnd, ImportProgress } from "../views/reports/import.ts";
import type { ImportRecord, ImportRun } from "./import-records.ts";
import { runTask, type TaskLimits, type TaskObserver, TaskStopped, taskTurn } from "./long-task.ts";
import { retryDelayMs } from "./retry-delay.ts";

/** `key` is the row's key in the records of imports. */
export interface ImportRow {
  readonly row: number;
  readonly key: string;
  readonly product: NewProduct;
}

/** A row that was not sent has no result. */
export type RowOutcome =
  /** `isNew`: this import created the product, or found it after an unclear answer. */
  | { readonly state: "created"; readonly id: string; readonly isNew: boolean }
  | { readonly state: "refused"; readonly problem: Problem }
  /** The store did not confirm the row, and no search has found its product so far. */
  | { readonly state: "unclear" };

/** If a request got no answer, its product may still appear within this time. */
const settledMs = 60_000;
/** After this many unconfirmed rows, an import sends no more rows. */
const mostUnconfirmed = 3;

interface ImportDeps extends TaskLimits {
  readonly run: ImportRun;
  /** Records of earlier imports, by the key of the row. */
  readonly records: ReadonlyMap<string, ImportRecord>;
  /** Throws a `StoreError`. If its code is not `ambiguous`, certainly nothing was created. */
  create(product: NewProduct): Promise<{ readonly id: string }>;
  /**
   * Finds a product with the same title, price and category that was created after `since` (epoch ms). Ignores products whose
   * ids are in `not`. Throws a `StoreError`.
   */
  find(product: NewProduct, since: number, not: ReadonlySet<string>): Promise<{ readonly id: string } | undefined>;
  /** See `taskTurn`. */
  waitMs(): number;
  readonly watcher: Pick<TaskObserver<ImportProgress>, "show">;
  readonly now: () => number;
}

export function countsOf(rows: readonly ImportRow[], outcomes: ReadonlyMap<string, RowOutcome>): ImportCounts {
  const states = rows.map(({ key }) => outcomes.get(key));
  const count = (is: (outcome: RowOutcome) => boolean) => states.filter((one) => one !== undefined && is(one)).length;
  return {
    all: rows.length,
    created: count((one) => one.state === "created" && one.isNew),
    before: count((one) => one.state === "created" && !one.isNew),
    refused: count(({ state }) => state === "refused"),
    unclear: count(({ state }) => state === "unclear"),
  };
}

class Sending {
  private readonly outcomes: Map<string, RowOutcome>;
  /** Rows without a clear answer, with the time when each was first sent (epoch ms). */
  private readonly sentSince = new Map<string, number>();
  private unconfirmed = 0;
  private readonly deps: ImportDeps;
  private readonly signal: AbortSignal;

  constructor(deps: ImportDeps, signal: AbortSignal, outcomes: Map<string, RowOutcome>) {
    this.deps = deps;
    this.signal = signal;
    this.outcomes = outcomes;
  }

  private async turn(): Promise<void> {
    const { waitMs, run } = this.deps;
    this.signal.throwIfAborted();
    await taskTurn(waitMs, this.signal);
    if (!(await run.isWanted())) throw new TaskStopped("cancelled");
    this.signal.throwIfAborted();
  }

  /** The outcome is set first, so the person sees it even if the storage fails. */
  private async created({ key }: ImportRow, id: string): Promise<void> {
    const { run, now } = this.deps;
    this.outcomes.set(key, { state: "created", id, isNew: true });
    run.ids.add(id);
    await run.note(key, { state: "created", id, store: run.store, at: now() });
  }

  /** Searches the store for the product of a row that was sent. If the product is found, records it and returns true. */
  private async isFound(row: ImportRow, since: number): Promise<boolean> {
    const { find, run } = this.deps;
    this.outcomes.set(row.key, { state: "unclear" });
    this.sentSince.set(row.key, since);
    const found = await find(row.product, since, run.ids);
    if (found !== undefined) await this.created(row, found.id);
    return found !== undefined;
  }

  /** Repeats a request only if it certainly created nothing. After an unclear answer, this import never sends the row again. */
  private async send(row: ImportRow, before: ImportRecord | undefined): Promise<void> {
    const { run, create, now, timing } = this.deps;
    const since = before?.state === "sent" ? before.since : now();
    for (let tries = 1; ; tries += 1) {
      await run.note(row.key, { state: "sent", since, at: now() });
      try {
        const { id } = await create(row.product);
        return await this.created(row, id);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (error.code === "ambiguous") {
          if (!(await this.isFound(row, since))) this.unconfirmed += 1;
          return;
        }
        // This attempt created nothing, but an earlier import may have created the product.
        await run.note(row.key, before);
        if (error.code === "invalid") {
          const problem = { code: error.code, detail: error.detail ?? "" } as const;
          return void this.outcomes.set(row.key, { state: "refused", problem });
        }
        const waitMs = retryDelayMs(error, tries, timing?.pauseMs);
        if (waitMs === undefined) throw error;
        await sleep(waitMs, this.signal);
        await this.turn();
      }
    }
  }

  async all(rows: readonly ImportRow[]): Promise<ImportEnd> {
    const { records, now } = this.deps;
    for (const { key } of rows) {
      const before = records.get(key);
      if (before?.state === "created") this.outcomes.set(key, { state: "created", id: before.id, isNew: false });
      if (before?.state === "sent") this.outcomes.set(key, { state: "unclear" });
    }
    for (const row of rows) {
      const before = records.get(row.key);
      if (before?.state === "created") continue;
      await this.turn();
      if (before?.state === "sent") {
        if ((await this.isFound(row, before.since)) || Math.abs(now() - before.at) < settledMs) continue;
        await this.turn();
      }
      await this.send(row, before);
      if (this.unconfirmed >= mostUnconfirmed) break;
    }
    // A slow store may have created the products of unclear rows in the meantime.
    for (const row of rows) {
      const since = this.sentSince.get(row.key);
      if (since === undefined || this.outcomes.get(row.key)?.state !== "unclear") continue;
      await this.turn();
      await this.isFound(row, since);
    }
    return this.outcomes.size === rows.length ? "whole" : "unclear";
  }
}

/**
 * Creates the products of a file one after another, each once. A row is recorded before it is sent. After an unclear answer,
 * the import searches the store for the product, and does not send the row again. If an earlier import got no clear answer for
 * a row, this import searches first. If it finds no product, and the row was last sent more than a minute ago, it sends the row
 * again.
 *
 * The import never aborts a creation that is under way. `outcomes` has the result of each row by the row's key.
 */
export async function runImport(rows: readonly ImportRow[], deps: ImportDeps) {
  const { run, watcher } = deps;
  const startedAt = performance.now();
  const outcomes = new Map<string, RowOutcome>();

  function progress(): ImportProgress {
    const counts = countsOf(rows, outcomes);
    const done = counts.created + counts.refused;
    const left = counts.all - done - counts.before;
    const each = done === 0 ? 0 : (performance.now() - startedAt) / done;
    return { ...counts, leftMs: left * each };
  }
  const observer = { show: watcher.show, isCancelled: async () => !(await run.isWanted()) };
  const send = (signal: AbortSignal) => new Sending(deps, signal, outcomes).all(rows);

  const end = await runTask(deps, observer, progress, send).catch((error: unknown): ImportEnd => {
    if (error instanceof TaskStopped) return error.end;
    if (error instanceof StoreError) return { failed: error.code };
    if (error instanceof StorageError) return { failed: "storage" };
    if (error instanceof ProblemError && error.code === "cancelled") return "cancelled";
    throw error;
  });
  return { end, outcomes };
}
