import { sameStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { departures, type LedgerOfDepartures } from "./departures.ts";
import type { ListMemory } from "./list-memory.ts";
import { isAlerted } from "./order-row.ts";
import { type ScanInput, type ScanResult, scan } from "./scan.ts";

/** What one poll found in one list. */
export interface ListReading extends Pick<ScanResult, "fresh" | "entered" | "baseline" | "failures"> {
  /** Alerted orders, also new ones, that a page shows with a status that differs from their alert. They need not be read by id. */
  readonly changed: readonly Order[];
  /** Ids of alerted orders that seem to have left the list, at most 5. The caller reads each of them once by id. */
  readonly missing: readonly string[];
  /** Number of malformed rows that were left out. */
  readonly skipped: number;
  /** The memory for the next poll. The caller stores it only after everything else is recorded. */
  readonly memory: ListMemory;
}

/**
 * Reads one list, and finds the orders that are new, changed or gone. It combines scan.ts (what the pages show) and
 * departures.ts (what they no longer show). Writes nothing.
 * If every page has the same bytes as last time, the function does not read the ledger either. Rejects only with errors of the
 * ledger.
 */
export async function readList(input: ScanInput & LedgerOfDepartures): Promise<ListReading> {
  const found = await scan(input);
  const { fresh, entered, baseline, failures, known } = found;
  if (!found.pages.has(1)) {
    return { fresh, entered, baseline, failures, changed: [], missing: [], skipped: 0, memory: input.memory };
  }
  const { missing, memory } = await departures(input.memory, found, input);
  // A new order may be paid while the list is read. Then a later page shows it a second time, with the new status.
  const alerted = new Map(fresh.map(({ id, status }) => [id, status]));
  for (const [id, entry] of known) if (isAlerted(entry)) alerted.set(id, entry.facts.status);
  const changed = [...found.rows.values()].filter(({ id, status }) => {
    const before = alerted.get(id);
    return before !== undefined && !sameStatus(before, status);
  });
  const isGone = new Set(changed.map(({ id }) => id));
  const left = missing.filter((id) => !isGone.has(id));
  const skipped = [...found.pages.values()].reduce((sum, page) => sum + (page?.skipped ?? 0), 0);
  return { fresh, entered, baseline, failures, changed, missing: left, skipped, memory };
}
