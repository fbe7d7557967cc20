import type { Guild } from "../guilds/guild.ts";
import type { Outbox } from "./ledger.ts";
import type { OutboxRow } from "./outbox-row.ts";

/**
 * Maximum number of waiting lines per feed (a rule that posts public lines). A channel takes that many in 40 s; 25 feeds hold
 * at most 25 MB.
 */
const mostLines = 1_000;

/** Maximum number of waiting alerts and messages to the staff per server, at most 25 MB. When it is reached, the store is not read. */
const mostPlanned = 5_000;

/** Whether too many messages wait, so the store is not read. Polls find further orders after these messages were posted. */
export function isOutboxFull({ routes = [] }: Guild, outbox: Outbox): boolean {
  const isStaff = new Set(routes.flatMap(({ id, style }) => (style === "staff" ? [id] : [])));
  let planned = 0;
  for (const row of outbox.values()) {
    if (row.kind === "alert" || (row.kind === "rule" && isStaff.has(row.route))) planned++;
  }
  return planned >= mostPlanned;
}

/**
 * Returns a function that is called row by row and returns whether the row may be added to the outbox. Lines of a full feed may
 * not.
 */
export function feedBound({ routes = [] }: Guild, outbox: Outbox): (row: OutboxRow) => boolean {
  const lines = new Map<string, number>(
    routes.flatMap(({ id, style }) => (style === "feed" ? [[id, 0] as const] : [])),
  );
  const fits = (row: OutboxRow) => {
    const before = row.kind === "rule" ? lines.get(row.route) : undefined;
    if (row.kind !== "rule" || before === undefined) return true;
    lines.set(row.route, before + 1);
    return before < mostLines;
  };
  if (lines.size > 0) for (const row of outbox.values()) fits(row);
  return fits;
}
