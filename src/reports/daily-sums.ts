import { z } from "zod";
import { createKeyedMutex } from "../basics/mutex.ts";
import { sumsSchema } from "../basics/stats.ts";
import { type CalendarDay, dayAfter, type Zone } from "../basics/zones.ts";
import type { Storage, TableShape } from "../storage/table.ts";

const keptSchema = z.object({
  /** Of which store, by the days of which zone. */
  of: z.string(),
  /** When its reading began, epoch ms. */
  readAt: z.number(),
  /** False where the store had orders that made no sense, or changed faster than it was read. */
  isWhole: z.boolean(),
  sums: sumsSchema,
});

/** One day of one store, as it was read. */
export type KeptDay = Readonly<z.infer<typeof keptSchema>>;

/** The sums of each server's days, by the day. What is malformed is read from the store again. */
export const dailySumsTable: TableShape<KeptDay | null> = {
  name: "daily-sums",
  schema: keptSchema.nullable().catch(null),
  version: 1,
};

/** What was read so lately is shown as it is, and says when that was. */
const freshMs = 10 * 60_000;
/**
 * So long after a day its orders hardly change any more: what is read of it then stays. Until then a payment or a refund may
 * still come, and the day is read again.
 */
const settledMs = 7 * 24 * 60 * 60_000;
/** A month and the one before it, and a week more; at 25 kB a day 1.7 MB at the very most, mostly 100 kB. */
const keptMs = 68 * 24 * 60 * 60_000;

/** What the sums of a server's days are of. */
export interface SumsOf {
  readonly guildId: string;
  /** Changes with the store. */
  readonly store: string;
  readonly zone: Zone;
}

/** Sums that were read before, without any customer. Every method throws `StorageError`. */
export interface DailySums {
  /** Those of these days that need not be read again, by the day. */
  find(of: SumsOf, days: readonly CalendarDay[]): Promise<ReadonlyMap<CalendarDay, KeptDay>>;
  keep(of: SumsOf, days: ReadonlyMap<CalendarDay, Omit<KeptDay, "of">>): Promise<void>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

/**
 * @param deps.mayKeep whether anything may be kept for a server: false as soon as it is being forgotten
 * @param deps.now epoch ms
 */
export function createDailySums(deps: {
  readonly storage: Storage;
  readonly mayKeep: (guildId: string) => Promise<boolean>;
  readonly now: () => number;
}): DailySums {
  const { storage, mayKeep, now } = deps;
  const inTurn = createKeyedMutex();
  const tableOf = (guildId: string) => storage.table(dailySumsTable, guildId);
  const nameOf = ({ store, zone }: SumsOf) => `${zone.name} ${store}`;

  function isGood({ readAt, isWhole }: KeptDay, day: CalendarDay, zone: Zone): boolean {
    const end = zone.startOf(dayAfter(day, 1));
    const at = now();
    // A clock that was fast when it was read does not keep it for longer.
    if (readAt > at) return false;
    if (isWhole && readAt >= end + settledMs) return true;
    // What was read before the day was over lacks the rest of it.
    return at - readAt < freshMs && (readAt >= end || at < end);
  }

  return {
    async find(of, days) {
      const kept = await tableOf(of.guildId).getMany(days);
      const name = nameOf(of);
      return new Map(
        days.flatMap((day, index) => {
          const one = kept[index];
          return one && one.of === name && isGood(one, day, of.zone) ? [[day, one] as const] : [];
        }),
      );
    },
    keep: (of, days) =>
      inTurn(of.guildId, async () => {
        if (!(await mayKeep(of.guildId))) return;
        const table = tableOf(of.guildId);
        for (const [day, kept] of days) {
          await table.set(day, { ...kept, of: nameOf(of) }, { ttlMs: keptMs });
        }
      }),
    forget: (guildId) => inTurn(guildId, () => tableOf(guildId).clear()),
  };
}
