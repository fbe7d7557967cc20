import type { Guild } from "../guilds/guild.ts";
import type { Outbox } from "./ledger.ts";
import type { OutboxRow } from "./outbox-row.ts";

/** Lines of one feed that wait at a time: what a channel takes in 40 s, and with 25 feeds 25 MB at most. */
const mostLines = 1_000;

/** Alerts, with messages by rules to the staff, of one server. Its store is read no further then: 25 MB at most. */
const mostPlanned = 5_000;

/** Whether so much is planned that the store is read no further: what still waits there is found when it can be posted. */
export function isOutboxFull({ routes = [] }: Guild, outbox: Outbox): boolean {
  const isStaff = new Set(routes.flatMap(({ id, style }) => (style === "staff" ? [id] : [])));
  let planned = 0;
  for (const row of outbox.values()) {
    if (row.kind === "alert" || (row.kind === "rule" && isStaff.has(row.route))) planned++;
  }
  return planned >= mostPlanned;
}

/** Whether what is planned fits into the outbox, asked for one row after another: a feed that cannot be posted is left out. */
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
