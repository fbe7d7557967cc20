import { sameStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { departures, type LedgerOfDepartures } from "./departures.ts";
import type { ListMemory } from "./list-memory.ts";
import { isAlerted } from "./order-row.ts";
import { type ScanInput, type ScanResult, scan } from "./scan.ts";

/** What one poll of a list has shown. */
export interface ListReading extends Pick<ScanResult, "fresh" | "entered" | "baseline" | "failures"> {
  /** Alerted orders, new ones among them, that a page showed with another status than their alert: no need to read them. */
  readonly changed: readonly Order[];
  /** Alerted orders that left the list, for all that is known, at most 5: to be read once each. */
  readonly missing: readonly string[];
  /** Rows left out because they were malformed. */
  readonly skipped: number;
  /** To be kept only when everything else was recorded. */
  readonly memory: ListMemory;
}

/**
 * Reads one list: what has come, what has changed, what has gone. Writes nothing, and where every page's bytes were those
 * of last time, it looks nothing up either. Rejects only with what the ledger rejects with.
 */
export async function readList(input: ScanInput & LedgerOfDepartures): Promise<ListReading> {
  const found = await scan(input);
  const { fresh, entered, baseline, failures, known } = found;
  if (!found.pages.has(1)) {
    return { fresh, entered, baseline, failures, changed: [], missing: [], skipped: 0, memory: input.memory };
  }
  const { missing, memory } = await departures(input.memory, found, input);
  // A new order may be paid, and move to another page, before that page is read.
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
