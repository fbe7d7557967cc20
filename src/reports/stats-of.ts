import { setImmediate } from "node:timers/promises";
import type { Span, Stats } from "../basics/stats.ts";
import { type CalendarDay, daysFrom } from "../basics/zones.ts";
import type { Order } from "../store-api/schemas.ts";
import { spanBefore } from "./days.ts";
import { readWholeList, type TaskRead } from "./long-task.ts";
import { isFinal, type KeptDay, type StoredSums, type SumsOf } from "./stored-sums.ts";
import { createSumsOfOrders, together } from "./sums-of-orders.ts";
import { createYoungestLeft } from "./whole-list.ts";

/** After this many orders (up to 8 ms), other work of the process runs. */
const addedAtOnce = 1_000;

interface StatsDeps {
  readonly storedSums: StoredSums;
  readonly now: () => number;
  /** Called only if the sums of some days must be read from the store. */
  run<T>(reading: (signal: AbortSignal) => Promise<T>): Promise<T>;
  readonly read: TaskRead<Order>;
  /** See `taskTurn`. */
  waitMs(): number;
  /** `about` is an estimate of the rows in the list. */
  note?(progress: { readonly read: number; readonly about: number }): void;
}

async function readDays(
  of: SumsOf,
  days: readonly CalendarDay[],
  { storedSums, now, read, waitMs, note }: StatsDeps,
  signal: AbortSignal,
): Promise<ReadonlyMap<CalendarDay, Omit<KeptDay, "of">>> {
  const readAt = now();
  const [first = ""] = days;
  const youngestLeft = createYoungestLeft();
  const adding = createSumsOfOrders(days, of.zone);
  let isWhole = true;
  for await (const { fresh, skipped, at, about, isCertain } of readWholeList(read, { waitMs, signal })) {
    signal.throwIfAborted();
    for (let start = 0; start < fresh.length; start += addedAtOnce) {
      adding.add(fresh.slice(start, start + addedAtOnce));
      await setImmediate();
    }
    isWhole &&= isCertain && skipped === 0 && fresh.every(({ createdAt }) => createdAt !== undefined);
    note?.({ read: at, about });
    if (youngestLeft(fresh) < of.zone.startOf(first)) break;
  }
  const sums = [...adding.whole()];
  const known = new Map(sums.map(([day, one]) => [day, { readAt, isWhole, sums: one }] as const));
  await storedSums.keep(of, known);
  return known;
}

/**
 * Lists usually begin with the newest orders. So if the sums of a day are not stored, or no longer valid, the orders of all
 * later days are read, too. Rejects with a `StoreError`, a `StorageError`, or the reason of the signal.
 */
export async function statsOf(of: SumsOf, span: Span, deps: StatsDeps): Promise<Stats> {
  const { storedSums } = deps;
  const before = spanBefore(span);
  const days = daysFrom(before.from, span.to);
  const kept = await storedSums.find(of, days);
  const missing = days.findIndex((day) => !kept.has(day));
  const read = missing < 0 ? [] : await deps.run((signal) => readDays(of, days.slice(missing), deps, signal));
  const known = [...new Map([...kept, ...read])].sort(([one], [other]) => (one < other ? -1 : 1));
  const part = ({ from, to }: Span) =>
    known.filter(([day]) => day >= from && day <= to).map(([day, { sums }]) => [day, sums] as const);
  const [here, there] = [part(span), part(before)];
  // The age of final sums does not count, because they do not change any more.
  const open = known.filter(([day, sums]) => !isFinal(sums, day, of.zone));
  const unfinished = known.find(([day, { readAt }]) => day >= span.from && of.zone.dayOf(readAt) <= day);
  return {
    span,
    before,
    openDay: unfinished?.[0],
    sums: together(here.map(([, sums]) => sums)),
    sumsBefore: together(there.map(([, sums]) => sums)),
    days: here,
    daysBefore: there,
    readAt: Math.min(...(open.length > 0 ? open : known).map(([, { readAt }]) => readAt)),
    isWhole: known.every(([, { isWhole }]) => isWhole),
    zone: of.zone.name,
  };
}
