import { StoreError } from "../store-api/store-api.ts";
import type { ExportProgress } from "../views/reports/export.ts";
import type { Cell } from "./csv.ts";
import { createCsvParts } from "./csv-parts.ts";
import { readWholeList, runTask, type TaskLimits, type TaskObserver, type TaskRead, TaskStopped } from "./long-task.ts";
import { workBudgets } from "./work-limits.ts";

export interface ExportFormat<Row extends { readonly id: string }> {
  readonly columns: readonly string[];
  cells(row: Row): readonly Cell[];
  /** `undated`: the person chose days, but this row has no time. */
  sort(row: Row): "wanted" | "unwanted" | "undated";
  /** Receives the new rows of each read. If it returns true, no wanted row can follow, and the reading stops. */
  isPast(fresh: readonly Row[]): boolean;
}

type ExportEnd = "whole" | "cancelled" | "late" | "ending" | StoreError;

interface ExportObserver extends TaskObserver<ExportProgress> {
  /** Receives each full part of the file and its number, from 1. */
  send(part: Buffer, number: number, progress: ExportProgress): Promise<void>;
}

/** An estimate of new rows per read. A page has up to 100 rows, and the previous read had some of them. */
const rowsOfRead = 85;

/**
 * For each row that was read, 40 bytes of memory are used until the end, to find rows that are read again. `end` says whether
 * the export was stopped or failed. If so, the file has the rows that were read until then. `sent` is the number of full parts,
 * and `rest` is the last part, if it has rows. For `waitMs`, see `taskTurn`. Rejects if `send` rejects.
 */
export async function runExport<Row extends { readonly id: string }>(
  plan: ExportFormat<Row>,
  read: TaskRead<Row>,
  deps: TaskLimits & {
    readonly fileBytes: number;
    readonly watcher: ExportObserver;
    waitMs(): number;
  },
) {
  const { fileBytes, watcher, until, waitMs } = deps;
  const startedAt = performance.now();
  const counts = { read: 0, about: 0, written: 0, skipped: 0, undated: 0, isCertain: true };

  function progress(): ExportProgress {
    const { read: at, about, written } = counts;
    const now = performance.now();
    const measured = at === 0 ? 0 : ((now - startedAt) / at) * (about - at);
    const allowed = ((about - at) / rowsOfRead) * (1_000 / workBudgets.exports.requests.perSecond);
    const leftMs = Math.max(measured, allowed, 0);
    return { read: at, about, written, leftMs, isTooMuch: now + leftMs > until };
  }
  const { columns } = plan;
  const full = (part: Buffer, number: number) => watcher.send(part, number, progress());
  const parts = createCsvParts({ columns, bytes: fileBytes, full });

  async function readAll(signal: AbortSignal): Promise<ExportEnd> {
    const pauseMs = deps.timing?.pauseMs;
    for await (const { fresh, skipped, at, about, isCertain } of readWholeList(read, { waitMs, signal, pauseMs })) {
      const sorted = Map.groupBy(fresh, (row) => plan.sort(row));
      counts.read = at;
      counts.about = about;
      counts.skipped += skipped;
      counts.undated += sorted.get("undated")?.length ?? 0;
      counts.isCertain = isCertain;
      await parts.add(sorted.get("wanted") ?? [], (row) => {
        signal.throwIfAborted();
        counts.written += 1;
        return plan.cells(row);
      });
      signal.throwIfAborted();
      if (plan.isPast(fresh)) break;
    }
    return "whole";
  }

  const end = await runTask(deps, watcher, progress, readAll).catch((error: unknown): ExportEnd => {
    if (error instanceof TaskStopped) return error.end;
    if (error instanceof StoreError) return error;
    throw error;
  });
  return { ...counts, end, sent: parts.given(), rest: parts.rest() };
}
