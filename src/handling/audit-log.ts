import { z } from "zod";
import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";
import { createKeyedMutex } from "../basics/mutex.ts";
import type { Guild } from "../guilds/guild.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import type { AuditAct, AuditEntryView } from "../views/settings/audit-log.ts";

/** An act of a person. `what` is an id or the new value of a setting, never a secret and nothing about a customer. */
export interface Deed {
  readonly did: AuditAct;
  readonly what?: string | undefined;
}

type AlertSettings = Guild["alerts"];

/** The act of a person who turned alerts on, or changed their channel, role or statuses; undefined if nothing changed. */
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
   * Records an act; undefined does nothing. Callers wait for it, so a person who sees that an act is done finds it in the log.
   * Never rejects, and takes no longer than 300 ms: a slow or failing storage delays no person, and is logged.
   */
  note(who: { readonly guildId: string; readonly userId: string }, deed: Deed | undefined): Promise<void>;
  /** A page of `size` entries, the newest first. For a page after the last one, returns the last one. */
  page(
    guildId: string,
    page: number,
    size: number,
  ): Promise<{ readonly entries: readonly AuditEntryView[]; readonly page: number; readonly hasMore: boolean }>;
  /** Deletes the audit log of a server. */
  forget(guildId: string): Promise<void>;
}

const dayMs = 24 * 60 * 60_000;
const keptDays = 90;
/**
 * Entries of one server and day, 120 stored bytes each. An act rewrites at most 60 kB, and a server with acts all day has 5.4 MB.
 * One entry for each person and kind of act is always kept: more than 500 need 28 people who do every kind.
 */
const maxOfDay = 500;
/** Days that are read at once. The first page rarely needs more. */
const daysAtOnce = 10;
const longestWaitMs = 300;
/** Acts that wait while the storage hangs. Further acts are not recorded. */
const maxWaiting = 1_000;

/** A stored entry: time (the last one), person, act, object; if there were several acts, also their number and the first time. */
const rowSchema = z.tuple([
  z.number(),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.number().optional(),
  z.number().optional(),
]);
type Row = z.infer<typeof rowSchema>;

/** The audit log of each server, a row for each day (its number since 1970). A malformed row is empty. */
export const auditLogTable: TableShape<readonly Row[]> = {
  name: "trail",
  schema: z.array(rowSchema).catch([]),
  version: 2,
};

const entryOf = ([at, by, did, what, times = 1, firstAt = at]: Row): AuditEntryView => {
  return { at, firstAt, times, by, did, what };
};

/** Two entries of one person and act as one entry. Its object is kept only if both have the same. */
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
 * Entries are in the order of their first times. If there are too many, the last two entries of the person who has most, and of
 * that person's most frequent act, become one. Earlier entries stay as they are.
 */
function withinDay(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= maxOfDay) return rows;
  const ofPerson = largestGroup(rows, ([, by]) => by);
  const [last, newest] = largestGroup(ofPerson, ([, , did]) => did).slice(-2);
  if (last === undefined || newest === undefined) return rows;
  return rows.filter((row) => row !== newest).map((row) => (row === last ? joined([last, newest]) : row));
}

/** Adds an act. Acts of the same person with the same object on one day share an entry. */
function withRow(rows: readonly Row[], row: Row): readonly Row[] {
  const at = rows.findIndex((other) => [1, 2, 3].every((part) => other[part] === row[part]));
  const same = rows[at];
  return same ? rows.with(at, joined([same, row])) : withinDay([...rows, row]);
}

/**
 * @param deps.mayKeep whether anything may be kept for a server: false once its data is being deleted
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
      // The commit is refused if another process wrote the row after it was read.
      isWritten = await storage.commit([table.put(day, rows, { ttlMs: (keptDays + 1) * dayMs })]);
    }
  }

  /** Entries of this many days before `until`, the newest first. */
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
      // The oldest moment that counts is in the day before the ninety days.
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
