import type { Span, Stats } from "../basics/stats.ts";
import { type CalendarDay, dayAfter, daysFrom } from "../basics/zones.ts";
import type { Order } from "../store-api/schemas.ts";
import { createDailyAdding, together } from "./daily-adding.ts";
import type { DailySums, KeptDay, SumsOf } from "./daily-sums.ts";
import { spanBefore } from "./days.ts";
import { retryingReads } from "./long-task.ts";
import { createYoungestLeft, type ReadPage, wholeList } from "./whole-list.ts";

/** Progress of a reading: rows read, and about how many the list has. */
export interface StatsProgress {
  readonly read: number;
  readonly about: number;
}

/** How the orders of days without stored sums are read. */
export interface StatsReading {
  readonly read: ReadPage<Order>;
  /** Returns 0 if a request may be made now; otherwise the ms after which to call it again. */
  waitMs(): number;
  /** Cancels the reading: the promise then rejects with its reason. */
  readonly signal: AbortSignal;
  note?(progress: StatsProgress): void;
}

/**
 * Adds up the days whose sums are not stored, and all days after them, because the list begins with the newest orders.
 * If the reading ends early, `keep` receives the days that were read completely.
 */
async function readDays(
  of: SumsOf,
  days: readonly CalendarDay[],
  how: StatsReading & { now(): number; keep(days: ReadonlyMap<CalendarDay, Omit<KeptDay, "of">>): Promise<void> },
) {
  const { zone } = of;
  const readAt = how.now();
  const [first = ""] = days;
  const youngestLeft = createYoungestLeft();
  const after = zone.startOf(dayAfter(days.at(-1) ?? first, 1));
  const adding = createDailyAdding(days, zone);
  const { waitMs, signal } = how;
  const counts = { read: 0, about: 0 };
  let isWhole = true;
  let youngest = Number.POSITIVE_INFINITY;
  const daysFromThen = (then: CalendarDay) =>
    new Map(
      [...adding.whole()].flatMap(([day, sums]) => (day < then ? [] : [[day, { readAt, isWhole, sums }] as const])),
    );
  try {
    for await (const read of wholeList(retryingReads(how.read, { waitMs, signal }))) {
      signal.throwIfAborted();
      const { fresh, skipped, at, about, isCertain } = read;
      adding.add(fresh, after);
      isWhole &&= isCertain && skipped === 0 && fresh.every(({ createdAt }) => createdAt !== undefined);
      counts.read = Math.max(counts.read, at);
      counts.about = Math.max(about, counts.read);
      how.note?.(counts);
      youngest = youngestLeft(fresh);
      if (youngest < zone.startOf(first)) break;
    }
  } catch (error) {
    const complete = days.find((day) => youngest < zone.startOf(day));
    if (complete !== undefined) await how.keep(daysFromThen(complete)).catch(() => undefined);
    throw error;
  }
  return daysFromThen(first);
}

/**
 * Returns the sums of the days. It uses stored sums, and reads the store's orders for the other days. `reading` is
 * called only if there are such days.
 *
 * Rejects with a `StoreError`, a `StorageError`, or the reason of the signal. Days that were read completely are stored
 * even then.
 */
export async function statsOf(
  of: SumsOf,
  span: Span,
  deps: { readonly dailySums: DailySums; readonly now: () => number; reading(): Promise<StatsReading> | StatsReading },
): Promise<Stats> {
  const { dailySums, now } = deps;
  const before = spanBefore(span);
  const days = daysFrom(before.from, span.to);
  const known = new Map<CalendarDay, Omit<KeptDay, "of">>(await dailySums.find(of, days));
  const missing = days.findIndex((day) => !known.has(day));
  if (missing >= 0) {
    const keep = (read: ReadonlyMap<CalendarDay, Omit<KeptDay, "of">>) => dailySums.keep(of, read);
    const read = await readDays(of, days.slice(missing), { ...(await deps.reading()), now, keep });
    await keep(read);
    for (const [day, kept] of read) known.set(day, kept);
  }
  const all = days.flatMap((day) => {
    const kept = known.get(day);
    return kept ? [[day, kept] as const] : [];
  });
  const part = (from: CalendarDay, to: CalendarDay) =>
    all.filter(([day]) => day >= from && day <= to).map(([day, { sums }]) => [day, sums] as const);
  const [here, there] = [part(span.from, span.to), part(before.from, before.to)];
  const today = of.zone.dayOf(now());
  return {
    span,
    before,
    openDay: today >= span.from && today <= span.to ? today : undefined,
    sums: together(here.map(([, sums]) => sums)),
    sumsBefore: together(there.map(([, sums]) => sums)),
    days: here,
    daysBefore: there,
    readAt: Math.min(...all.map(([, { readAt }]) => readAt)),
    isWhole: all.every(([, { isWhole }]) => isWhole),
    zone: of.zone.name,
  };
}
