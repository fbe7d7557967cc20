import { StorageError } from "../storage/table.ts";
import type { NewProduct } from "../store-api/schemas.ts";
import { StoreError } from "../store-api/store-api.ts";
import { type Problem, ProblemError } from "../views/parts/problem.ts";
import type { ImportCounts, ImportEnd, ImportProgress } from "../views/reports/import.ts";
import type { ImportRecord, ImportRun } from "./import-records.ts";
import {
  createTaskSignal,
  defaultTiming,
  observeTask,
  retryDelayMs,
  type TaskObserver,
  TaskStopped,
  type TaskTiming,
  taskPause,
} from "./long-task.ts";

/** A row of a file, and the key by which it is known again. */
export interface ImportRow {
  readonly row: number;
  readonly key: string;
  readonly product: NewProduct;
}

/** What became of a row; of one that was not sent, nothing. */
export type RowOutcome =
  /** `isNew` where this import created it, or found it created. */
  | { readonly state: "created"; readonly id: string; readonly isNew: boolean }
  | { readonly state: "refused"; readonly problem: Problem }
  /** It was sent, the store did not confirm, and does not have it so far. */
  | { readonly state: "unclear" };

/** What became of an import. `outcomes` are by the keys of rows. */
export interface Imported {
  readonly end: ImportEnd;
  readonly outcomes: ReadonlyMap<string, RowOutcome>;
}

/**
 * By then a request whose answer never came is over in any store: the bot itself waits for 12 s. Sooner, a row that is not in
 * the store may still come.
 */
const settledMs = 60_000;
/** A store that does not confirm so many rows of one import is not to be sent any more. */
const mostUnconfirmed = 3;

/** What an import works with. */
interface ImportDeps {
  readonly run: ImportRun;
  /** What is known of the rows from imports before. */
  readonly records: ReadonlyMap<string, ImportRecord>;
  /** Throws a `StoreError`; only after one that is not `ambiguous` is it certain that nothing was created. */
  create(product: NewProduct): Promise<{ readonly id: string }>;
  /** A product like this one that the store has had since then, and that is none of these. Throws a `StoreError`. */
  find(product: NewProduct, since: number, not: ReadonlySet<string>): Promise<{ readonly id: string } | undefined>;
  /** 0 where a request may be made now, else after how many ms to ask again. */
  waitMs(): number;
  readonly watcher: Pick<TaskObserver<ImportProgress>, "show">;
  /** By `performance.now()`. */
  readonly until: number;
  readonly ending: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  readonly timing?: TaskTiming;
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

/** One product after the other; `signal` says when to stop between two of them. */
class Sending {
  readonly outcomes = new Map<string, RowOutcome>();
  /** When rows whose answer never came were sent first. */
  private readonly sentSince = new Map<string, number>();
  /** Rows of this import to which no clear answer came, and that were not found. */
  private unconfirmed = 0;
  private readonly deps: ImportDeps;
  private readonly signal: AbortSignal;

  constructor(deps: ImportDeps, signal: AbortSignal) {
    this.deps = deps;
    this.signal = signal;
  }

  /** Waits for the next request's turn, and throws where there is none any more. */
  private async turn(): Promise<void> {
    const { waitMs, run } = this.deps;
    this.signal.throwIfAborted();
    for (let late = waitMs(); late > 0; late = waitMs()) await taskPause(Math.ceil(late), this.signal);
    if (!(await run.isWanted())) throw new TaskStopped("cancelled");
    this.signal.throwIfAborted();
  }

  /** Notes a product that is in the store: with or without the storage, the person is told. */
  private async created({ key }: ImportRow, id: string): Promise<void> {
    const { run, now } = this.deps;
    this.outcomes.set(key, { state: "created", id, isNew: true });
    run.ids.add(id);
    await run.note(key, { state: "created", id, store: run.store, at: now() });
  }

  /** Whether a row that was sent is in the store; if so, it is noted. */
  private async isFound(row: ImportRow, since: number): Promise<boolean> {
    const { find, run } = this.deps;
    this.outcomes.set(row.key, { state: "unclear" });
    this.sentSince.set(row.key, since);
    const found = await find(row.product, since, run.ids);
    if (found !== undefined) await this.created(row, found.id);
    return found !== undefined;
  }

  /** Sends a row until it is known what became of it, or certain that it stays unknown. */
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
        // It was certainly not created now; what was not known before is not known still.
        await run.note(row.key, before);
        if (error.code === "invalid") {
          const problem = { code: error.code, detail: error.detail ?? "" } as const;
          return void this.outcomes.set(row.key, { state: "refused", problem });
        }
        const waitMs = retryDelayMs(error, tries, timing?.pauseMs);
        if (waitMs === undefined) throw error;
        await taskPause(waitMs, this.signal);
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
    // A store that was slow may have them by now.
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
 * Creates the products of a file one after another, each once. Before a row is sent, that is noted; where no clear answer
 * comes, it is looked for in the store, and what is not there is not sent again in this import. Rows that an import before
 * created are left out; those that it sent without an answer are looked for, and sent again a minute after that at the
 * earliest: for that, somebody pressed once more.
 *
 * Ends early where it is not wanted any more, its time is over, the process ends or the store gives out. Never aborts a
 * creation that is under way.
 */
export async function runImport(rows: readonly ImportRow[], deps: ImportDeps): Promise<Imported> {
  const { run, watcher, until, ending, timing = defaultTiming } = deps;
  const startedAt = performance.now();
  const stop = createTaskSignal(until, ending);
  const sending = new Sending(deps, stop.signal);

  function progress(): ImportProgress {
    const counts = countsOf(rows, sending.outcomes);
    const done = counts.created + counts.refused;
    const left = counts.all - done - counts.before;
    const each = done === 0 ? 0 : (performance.now() - startedAt) / done;
    return { ...counts, leftMs: left * each };
  }
  const watched = { show: watcher.show, isCancelled: async () => !(await run.isWanted()) };
  const endWatching = observeTask(watched, timing, progress, stop.cancel);

  try {
    const end = await sending.all(rows).catch((error: unknown): ImportEnd => {
      if (error instanceof TaskStopped) return error.end;
      if (error instanceof StoreError) return { code: error.code, retryAfterMs: error.retryAfterMs };
      if (error instanceof StorageError) return { code: "storage" };
      if (error instanceof ProblemError && error.code === "cancelled") return "cancelled";
      throw error;
    });
    return { end, outcomes: sending.outcomes };
  } finally {
    stop.clear();
    await endWatching();
  }
}
