import { z } from "zod";
import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";
import { createKeyedMutex } from "../basics/mutex.ts";
import type { Guild } from "../guilds/guild.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import type { AuditAct, AuditEntryView } from "../views/settings/audit-log.ts";

/** Something that a person did. `what` is an id or a setting's new value, never a secret and nothing of a customer. */
export interface Deed {
  readonly did: AuditAct;
  readonly what?: string | undefined;
}

type AlertSettings = Guild["alerts"];

/** The deed of a person who turned alerts on, or changed their channel, role or statuses; undefined where nothing changed. */
export function alertsDeed(before: AlertSettings, after: AlertSettings): Deed | undefined {
  if (after === undefined) return undefined;
  const { channelId: what, roleId, statuses } = after;
  if (before === undefined) return { did: "alerts_on", what };
  if (before.channelId !== what) return { did: "alerts_moved", what };
  const isSame = before.roleId === roleId && before.statuses.join() === statuses.join();
  return isSame ? undefined : { did: "alerts_changed", what };
}

/** Who did what in each server, for 90 days. Reading throws `StorageError`. */
export interface AuditLog {
  /**
   * Notes what was done, if anything was. Callers wait for it, so that a person who sees that it is done is in the log. Never
   * rejects, and takes no longer than 300 ms: a storage that is slow or fails holds no person up, and is logged.
   */
  note(who: { readonly guildId: string; readonly userId: string }, deed: Deed | undefined): Promise<void>;
  /** A page of so many entries, the newest first; of the last page, where there are not that many. */
  page(
    guildId: string,
    page: number,
    size: number,
  ): Promise<{ readonly entries: readonly AuditEntryView[]; readonly page: number; readonly hasMore: boolean }>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

const dayMs = 24 * 60 * 60_000;
const keptDays = 90;
/**
 * Entries of one server and day, 120 bytes each as they are stored: a deed rewrites 60 kB at most, and a server that never
 * rests has 5.4 MB. An entry for each person and kind of deed stays in any case: more than 500 take 28 people who do everything.
 */
const maxOfDay = 500;
/** Days that are read at a time: the first page is mostly among them. */
const daysAtOnce = 10;
const longestWaitMs = 300;
/** While the storage hangs. Deeds beyond that are not noted. */
const maxWaiting = 1_000;

/** As it is stored: when (for the last time), who, did what, to what; if more than once, how often and when for the first time. */
const rowSchema = z.tuple([
  z.number(),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.number().optional(),
  z.number().optional(),
]);
type Row = z.infer<typeof rowSchema>;

/** The audit log of each server, a row for each day (number of the day since 1970). A malformed row is empty. */
export const auditLogTable: TableShape<readonly Row[]> = {
  name: "trail",
  schema: z.array(rowSchema).catch([]),
  version: 2,
};

const entryOf = ([at, by, did, what, times = 1, firstAt = at]: Row): AuditEntryView => {
  return { at, firstAt, times, by, did, what };
};

/** Two of one person and kind as one. What they were about is known only where it was the same. */
function joined(rows: readonly [Row, Row]): Row {
  const [one, other] = [entryOf(rows[0]), entryOf(rows[1])];
  const what = one.what === other.what ? one.what : null;
  const firstAt = Math.min(one.firstAt, other.firstAt);
  return [Math.max(one.at, other.at), one.by, one.did, what, one.times + other.times, firstAt];
}

function largestGroup(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[] {
  const [largest = []] = [...Map.groupBy(rows, keyOf).values()].sort((one, other) => other.length - one.length);
  return largest;
}

/**
 * Rows are in the sequence of their first times. Where there are too many, the two that came last become one, of the most frequent
 * deed of the person who has most. What was done first stays as it is, whatever the same person does after it.
 */
function withinDay(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= maxOfDay) return rows;
  const ofPerson = largestGroup(rows, ([, by]) => by);
  const [last, newest] = largestGroup(ofPerson, ([, , did]) => did).slice(-2);
  if (last === undefined || newest === undefined) return rows;
  return rows.filter((row) => row !== newest).map((row) => (row === last ? joined([last, newest]) : row));
}

/** With one deed more: what the same person did to the same thing that day is one row. */
function withRow(rows: readonly Row[], row: Row): readonly Row[] {
  const at = rows.findIndex((other) => [1, 2, 3].every((part) => other[part] === row[part]));
  const same = rows[at];
  return same ? rows.with(at, joined([same, row])) : withinDay([...rows, row]);
}

/**
 * @param deps.mayKeep whether anything may be kept for a server: false as soon as it is being forgotten
 * @param deps.now epoch ms
 */
export function createAuditLog(deps: {
  readonly storage: Storage;
  readonly mayKeep: (guildId: string) => Promise<boolean>;
  readonly log: Pick<Log, "warn">;
  readonly now: () => number;
}): AuditLog {
  const { storage, mayKeep, log, now } = deps;
  const inTurn = createKeyedMutex();
  let waiting = 0;
  const tableOf = (guildId: string) => storage.table(auditLogTable, guildId);
  const dayOf = (at: number) => Math.floor(at / dayMs);

  async function write(guildId: string, row: Row): Promise<void> {
    if (!(await mayKeep(guildId))) return;
    const table = tableOf(guildId);
    const key = String(dayOf(row[0]));
    let isWritten = false;
    while (!isWritten) {
      const [day = absent(key)] = await table.read([key]);
      const rows = withRow(day.value ?? [], row);
      // Refused where another process has written meanwhile.
      isWritten = await storage.commit([table.put(day, rows, { ttlMs: (keptDays + 1) * dayMs })]);
    }
  }

  /** Of so many days before `until`, the newest first. */
  async function read(guildId: string, until: number, days: number): Promise<AuditEntryView[]> {
    const keys = Array.from({ length: days }, (_, before) => String(until - before));
    const found = await tableOf(guildId).getMany(keys);
    const oldest = now() - keptDays * dayMs;
    return found
      .flatMap((rows) => (rows ?? []).map(entryOf).reverse())
      .filter(({ at }) => at > oldest)
      .sort((one, other) => other.at - one.at);
  }

  return {
    async note({ guildId, userId }, deed) {
      if (deed === undefined) return;
      const { did, what = "" } = deed;
      if (waiting >= maxWaiting)
        return log.warn({ guild: guildId, did }, "the storage is too slow to note who did this");
      waiting++;
      const row: Row = [now(), userId, did, what];
      const noted = inTurn(guildId, () => write(guildId, row))
        .catch((error: unknown) => log.warn({ err: error, guild: guildId, did }, "it could not be noted who did this"))
        .finally(() => waiting--);
      await withDeadline(noted, longestWaitMs, undefined);
    },
    async page(guildId, page, size) {
      const entries: AuditEntryView[] = [];
      const today = dayOf(now());
      // The oldest moment that counts lies within the day before the ninety days that have begun.
      for (let before = 0; before <= keptDays && entries.length <= page * size; before += daysAtOnce) {
        entries.push(...(await read(guildId, today - before, Math.min(daysAtOnce, keptDays + 1 - before))));
      }
      const last = Math.max(Math.ceil(entries.length / size), 1);
      const shown = Math.min(page, last);
      return {
        entries: entries.slice((shown - 1) * size, shown * size),
        page: shown,
        hasMore: entries.length > shown * size,
      };
    },
    forget: (guildId) => inTurn(guildId, () => tableOf(guildId).clear()),
  };
}
