import { z } from "zod";
import { sumsSchema } from "../basics/stats.ts";
import { type CalendarDay, dayAfter, type Zone } from "../basics/zones.ts";
import type { Guilds } from "../guilds/guilds.ts";
import { anyVersion, type Storage, type TableShape } from "../storage/table.ts";

const keptSchema = z.object({
  /** The time zone and the store for which the sums are valid. */
  of: z.string(),
  /** When the reading began, epoch ms. */
  readAt: z.number(),
  /** False if orders were malformed or had no time, or if orders may have been missed (`ReadRows.isCertain`). */
  isWhole: z.boolean(),
  sums: sumsSchema,
});

export type KeptDay = Readonly<z.infer<typeof keptSchema>>;

/** Keys are days. If a day's record is malformed, the orders of the day are read from the store again. */
export const storedSumsTable: TableShape<KeptDay | null> = {
  name: "daily-sums",
  schema: keptSchema.nullable().catch(null),
  version: 1,
};

/** Sums that are younger than this are shown without reading the orders again. */
const freshMs = 10 * 60_000;
/** The sums of a day stay valid if they were read this long after the day. Until then, its orders may be paid or refunded. */
const settledMs = 7 * 24 * 60 * 60_000;
/** Two months and a week. All days of a server take at most 1.7 MB (25 kB each), usually 100 kB. */
const keptMs = 68 * 24 * 60 * 60_000;

/** Whether the sums are complete, and were read so long after the day that they stay valid. */
export const isFinal = ({ readAt, isWhole }: Omit<KeptDay, "of">, day: CalendarDay, zone: Zone): boolean =>
  isWhole && zone.dayOf(readAt - settledMs) > day;

export interface SumsOf {
  readonly guildId: string;
  /** Changes when another token is connected. */
  readonly store: string;
  readonly zone: Zone;
}

/** The sums have no data of customers. */
export type StoredSums = ReturnType<typeof createStoredSums>;

/** Every method throws `StorageError`. */
export function createStoredSums({
  storage,
  mayKeep,
  now,
}: {
  readonly storage: Storage;
  readonly mayKeep: Guilds["mayKeep"];
  readonly now: () => number;
}) {
  const tableOf = (guildId: string) => storage.table(storedSumsTable, guildId);
  const nameOf = ({ store, zone }: SumsOf) => `${zone.name} ${store}`;

  function isGood(kept: KeptDay, day: CalendarDay, zone: Zone): boolean {
    const end = zone.startOf(dayAfter(day, 1));
    const at = now();
    const { readAt } = kept;
    // The clock was set back after the day was read, so the age of the sums is unknown.
    if (readAt > at) return false;
    if (isFinal(kept, day, zone)) return true;
    // Sums that were read before the end of their day lack the rest of the day. So they are not used after the day.
    return at - readAt < freshMs && (readAt >= end || at < end);
  }

  return {
    /** Days that must be read again are left out. */
    async find(of: SumsOf, days: readonly CalendarDay[]): Promise<ReadonlyMap<CalendarDay, KeptDay>> {
      const rows = await tableOf(of.guildId).read(days);
      const name = nameOf(of);
      return new Map(
        days.flatMap((day, index) => {
          const one = rows[index]?.value;
          return one && one.of === name && isGood(one, day, of.zone) ? [[day, one] as const] : [];
        }),
      );
    },
    /** Does nothing if no store is connected, or if the server's record changes meanwhile. */
    async keep(of: SumsOf, days: ReadonlyMap<CalendarDay, Omit<KeptDay, "of">>): Promise<void> {
      const kept = await mayKeep(of.guildId);
      if (kept === undefined) return;
      const table = tableOf(of.guildId);
      const put = ([day, sums]: readonly [CalendarDay, Omit<KeptDay, "of">]) =>
        table.put(anyVersion(day), { ...sums, of: nameOf(of) }, { ttlMs: keptMs });
      await storage.commit([...kept, ...[...days].map(put)]);
    },
  };
}
