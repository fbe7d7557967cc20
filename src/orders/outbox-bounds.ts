import type { Guild } from "../guilds/guild.ts";
import type { Outbox } from "./ledger.ts";
import type { OutboxRow } from "./outbox-row.ts";

/** Most waiting lines of one feed. A channel takes them in 40 s; 25 feeds hold at most 25 MB. */
const mostLines = 1_000;

/** Most waiting alerts and messages to the staff of one server, at most 25 MB. Its store is not read while there are as many. */
const mostPlanned = 5_000;

/** Whether so many messages wait that the store is not read. Further orders are found when these were posted. */
export function isOutboxFull({ routes = [] }: Guild, outbox: Outbox): boolean {
  const isStaff = new Set(routes.flatMap(({ id, style }) => (style === "staff" ? [id] : [])));
  let planned = 0;
  for (const row of outbox.values()) {
    if (row.kind === "alert" || (row.kind === "rule" && isStaff.has(row.route))) planned++;
  }
  return planned >= mostPlanned;
}

/** Returns a function that says, row after row, whether the outbox has room for it. Lines of a full feed are left out. */
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
