import { z } from "zod";
import type { Member } from "../basics/discord-id.ts";
import { withDeadline } from "../basics/limits/deadline.ts";
import { logDays } from "../basics/limits/limits-in-texts.ts";
import { createKeyedMutex } from "../basics/limits/mutex.ts";
import type { Log } from "../basics/log.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import type { AuditAct, AuditEntryView } from "../views/settings/audit-log.ts";

/** `what` is an id, a name, a number or the new value of a setting, never a secret or data of a customer. */
export interface Deed {
  readonly did: AuditAct;
  readonly what?: string | undefined;
}

type AlertSettings = Guild["alerts"];

/** Undefined if nothing changed, or if alerts are off now. */
export function alertsDeed(before: AlertSettings, after: AlertSettings): Deed | undefined {
  if (after === undefined) return undefined;
  const { channelId: what, roleId, statuses } = after;
  if (before === undefined) return { did: "alerts_on", what };
  if (before.channelId !== what) return { did: "alerts_moved", what };
  const isSame = before.roleId === roleId && before.statuses.join() === statuses.join();
  return isSame ? undefined : { did: "alerts_changed", what };
}

const dayMs = 24 * 60 * 60_000;
/**
 * When a server has this many entries of one day, each further act is joined to the person's last entry of the same kind. But
 * the person's first entry of each kind stays as it is. An entry takes 120 bytes, so 90 such days take 5.4 MB.
 */
const manyOfDay = 500;
/** Days in one read. The first page rarely needs more. Reading 90 full days at once would block the process for 0.2 s. */
const daysAtOnce = 10;
const longestWaitMs = 300;
/** If the storage hangs, acts beyond this number are not recorded. */
const maxWaiting = 1_000;

/** Time of the last act; person; act; object; number of acts; time of the first act. A single act has only the first four. */
const rowSchema = z.tuple([
  z.number(),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.number().optional(),
  z.number().optional(),
]);
type Row = z.infer<typeof rowSchema>;

/** Keys are days (their numbers since 1970). A malformed row reads as empty. */
export const auditLogTable: TableShape<readonly Row[]> = {
  name: "trail",
  schema: z.array(rowSchema).catch([]),
  version: 2,
};

const entryOf = ([at, by, did, what, times = 1, firstAt = at]: Row): AuditEntryView => {
  return { at, firstAt, times, by, did, what };
};

function joined(rows: readonly [Row, Row]): Row {
  const [one, other] = [entryOf(rows[0]), entryOf(rows[1])];
  const what = one.what === other.what ? one.what : null;
  const firstAt = Math.min(one.firstAt, other.firstAt);
  return [Math.max(one.at, other.at), one.by, one.did, what, one.times + other.times, firstAt];
}

/** Equal acts of one person on one day share an entry. */
function withRow(rows: readonly Row[], row: Row): readonly Row[] {
  const isLike = (parts: readonly number[]) => (other: Row) => parts.every((part) => other[part] === row[part]);
  const equal = rows.findIndex(isLike([1, 2, 3]));
  const first = rows.findIndex(isLike([1, 2]));
  const last = rows.findLastIndex(isLike([1, 2]));
  const at = equal < 0 && rows.length >= manyOfDay && first < last ? last : equal;
  const same = rows[at];
  return same ? rows.with(at, joined([same, row])) : [...rows, row];
}

/** Stores who did what in each server, for 90 days. `page` throws `StorageError`. `now` is epoch ms. */
export function createAuditLog(deps: {
  readonly storage: Storage;
  readonly mayKeep: Guilds["mayKeep"];
  readonly log: Pick<Log, "warn">;
  readonly now: () => number;
}) {
  const { storage, mayKeep, log, now } = deps;
  const inTurn = createKeyedMutex();
  let waiting = 0;
  const tableOf = (guildId: string) => storage.table(auditLogTable, guildId);
  const dayOf = (at: number) => Math.floor(at / dayMs);

  async function write(guildId: string, row: Row): Promise<void> {
    const table = tableOf(guildId);
    const key = String(dayOf(row[0]));
    let isWritten = false;
    while (!isWritten) {
      const kept = await mayKeep(guildId);
      if (kept === undefined) return;
      const [day = absent(key)] = await table.read([key]);
      const rows = withRow(day.value ?? [], row);
      isWritten = await storage.commit([...kept, table.put(day, rows, { ttlMs: (logDays + 1) * dayMs })]);
    }
  }

  return {
    /**
     * Callers wait for the result before they answer, so that the log has the act when the person sees the answer. Resolves
     * after at most 300 ms, because a slow storage must not delay people; the writing goes on. Never rejects: a failure of the
     * storage is logged.
     */
    async note({ guildId, userId }: Member, deed: Deed | undefined): Promise<void> {
      if (deed === undefined) return;
      const { did, what = "" } = deed;
      if (waiting >= maxWaiting) return log.warn({ guild: guildId, did }, "the storage is too slow for the audit log");
      waiting++;
      const row: Row = [now(), userId, did, what];
      const noted = inTurn(guildId, () => write(guildId, row))
        .catch((error: unknown) => log.warn({ err: error, guild: guildId, did }, "could not write the audit log"))
        .finally(() => waiting--);
      await withDeadline(noted, longestWaitMs, undefined);
    },
    /**
     * Returns a page of entries, newest first, or the last page if there is no such page. `last` is the number of the last page
     * that was read. If there is a next page, `last` is greater than `page`.
     */
    async page(guildId: string, page: number, size: number) {
      const today = dayOf(now());
      const oldest = now() - logDays * dayMs;
      const entries: AuditEntryView[] = [];
      // The last 90 × 24 hours usually begin in the middle of a day, so they touch 91 days.
      for (let before = 0; before <= logDays && entries.length <= page * size; before += daysAtOnce) {
        const count = Math.min(daysAtOnce, logDays + 1 - before);
        const days = await tableOf(guildId).read(
          Array.from({ length: count }, (_, day) => String(today - before - day)),
        );
        const found = days.flatMap(({ value = [] }) => value.map(entryOf).reverse()).filter(({ at }) => at > oldest);
        entries.push(...found.sort((one, other) => other.at - one.at));
      }
      const last = Math.max(Math.ceil(entries.length / size), 1);
      const shown = Math.min(page, last);
      return { entries: entries.slice((shown - 1) * size, shown * size), page: shown, last };
    },
  };
}
