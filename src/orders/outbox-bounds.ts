import type { Guild } from "../guilds/guild.ts";
import type { Outbox } from "./ledger.ts";
import type { OutboxRow } from "./outbox-row.ts";

/**
 * At most this many lines of a feed (a rule that posts public lines) may wait. A message has up to 10 lines, and a channel
 * takes 5 messages in 5 s, so 1,000 lines take 100 s. The lines of 25 feeds need at most 25 MB of memory.
 */
const mostLines = 1_000;

/** While this many alerts and messages by `staff` rules wait (25 MB of memory), polls read no list. */
const mostPlanned = 5_000;

/** If true, polls must not read the lists. They find new orders later, after some messages were sent. */
export function isOutboxFull({ routes = [] }: Guild, outbox: Outbox): boolean {
  const isStaff = new Set(routes.flatMap(({ id, style }) => (style === "staff" ? [id] : [])));
  let planned = 0;
  for (const row of outbox.values()) {
    if (row.kind === "alert" || (row.kind === "rule" && isStaff.has(row.route))) planned++;
  }
  return planned >= mostPlanned;
}

/** The returned function returns false for lines of a full feed. It counts the lines, so call it once for each row. */
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
