import { randomBytes } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import { createKeyedMutex } from "../basics/mutex.ts";
import { createSharedBound, type Held } from "../basics/shared-bound.ts";
import type { Vault } from "../guilds/vault.ts";
import { absent, type Row, type Step, type Storage, type TableShape, whatever } from "../storage/table.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { type Bounds, type Entry, heldBy, withinBounds } from "./within-bounds.ts";

/** The server and the person that a session belongs to. */
export interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

/** One kind of session. */
export interface SessionKind<Session extends object> {
  /** The name of the table. */
  readonly name: string;
  /** Parses a decrypted session. One that does not fit has expired. */
  readonly schema: z.ZodType<Session>;
  readonly bounds: Bounds;
  /** Whether the session is deleted only if nothing else is left to delete. */
  isPinned?(session: Session): boolean;
}

/**
 * The state behind buttons and windows, by random names, for each server. A session belongs to one person and is kept for a day. A
 * session that no key decrypts has expired. Throws `StorageError`.
 */
export interface Sessions<Session> {
  /**
   * Keeps a session for a day, or until its person or server has too many newer ones. Returns its name for custom ids. Throws a
   * `ProblemError`: "not_connected" if nothing may be kept, or "full" if all servers together have too much; and a `RangeError` for
   * a session that is larger than a person may have.
   */
  keep(owner: Owner, session: Session): Promise<string>;
  /** Throws a `ProblemError`: "expired", or "someone_elses" for another person than the owner. */
  find(name: string, caller: Owner): Promise<Session>;
  /**
   * As `find`, to change the session: one `work` at a time runs for a session in this process. `keep` replaces the session for
   * another day. It throws a `ProblemError`: "expired" if the session was deleted in between (then it stays deleted), or "full".
   */
  use<T>(
    name: string,
    caller: Owner,
    work: (session: Session, keep: (next: Session) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** As `find`, and replaces the session with the result of `change` for another day. Changes happen one after another. */
  change(name: string, caller: Owner, change: (session: Session) => Session): Promise<Session>;
  /** As `find`, and deletes the session. For an answer that can be given once. */
  take(name: string, caller: Owner): Promise<Session>;
  /** Deletes all sessions of a server. */
  forget(guildId: string): Promise<void>;
}

/** How long a session is kept after its last change. */
const keptMs = 24 * 60 * 60_000;

/** Twelve random characters, which fit into custom ids. */
const newName = () => randomBytes(9).toString("base64url");
const namePattern = /^[\w-]{12}$/;

/** A stored session. */
const storedSchema = z.object({
  userId: z.string(),
  /** Epoch ms. 0.1.0 did not write it. */
  until: z.number().optional(),
  /** Encrypted by a vault; one byte a character. */
  sealed: z.string(),
});
type Stored = z.infer<typeof storedSchema>;

/** The sessions of a server, by their names. A malformed row has expired. */
export const sessionsTable = (kind: string): TableShape<Stored | null> => ({
  name: kind,
  schema: storedSchema.nullable().catch(null),
  version: 1,
});

const entrySchema = z.object({
  name: z.string(),
  userId: z.string(),
  bytes: z.number(),
  until: z.number(),
  isPinned: z.boolean(),
});

/** A list of the sessions of each server, by the ids of servers. Sessions whose list is lost expire after their day. */
export const keptTable = (kind: string): TableShape<readonly Entry[]> => ({
  name: `kept:${kind}`,
  schema: z.array(entrySchema).catch([]),
  version: 1,
});

/**
 * Bytes of a session besides its own: its name, its entry in the list, its expiry. About 400 in Redis, less in the other storages.
 */
const overheadBytes = 400;
function withOverhead(entries: readonly Entry[]): Held {
  const { count, bytes } = heldBy(entries);
  return { count, bytes: bytes + count * overheadBytes };
}

/** Entries that are counted before the event loop turns: some 2 ms. Redis may return 100,000 of them at once, which take 250. */
const entriesAtOnce = 500;

/** Does not write `sealed` into the JSON, because it may have some MiB. */
const bytesOf = (value: Stored) => Buffer.byteLength(JSON.stringify({ ...value, sealed: "" })) + value.sealed.length;

/**
 * The stored sessions of one kind, within its bounds. A session and the list change in one commit. Sessions of 0.1.0 are in no list
 * and expire after their day.
 */
function createRecords(storage: Storage, kind: Pick<SessionKind<never>, "name" | "bounds">, now: () => number) {
  const lists = storage.table(keptTable(kind.name));
  const tableOf = (guildId: string) => storage.table(sessionsTable(kind.name), guildId);
  const bound = createSharedBound({ ...kind.bounds, read: heldByServers });

  async function* heldByServers(): AsyncGenerator<readonly [guildId: string, held: Held]> {
    let counted = 0;
    for await (const [guildId, listed] of lists.entries()) {
      counted += listed.length;
      if (counted >= entriesAtOnce) {
        counted = 0;
        await othersTurn();
      }
      yield [guildId, withOverhead(listed.filter(({ until }) => until > now()))];
    }
  }

  /** Undefined if there is no valid session, or the name cannot be one. */
  async function read(guildId: string, name: string): Promise<(Row<Stored | null> & { value: Stored }) | undefined> {
    const [row] = namePattern.test(name) ? await tableOf(guildId).read([name]) : [];
    const value = row?.value;
    return value && (value.until ?? Number.POSITIVE_INFINITY) > now() ? { ...row, value } : undefined;
  }

  /**
   * Commits the step of `next` together with the list it returns. If another process changed one of them, calls `next` again.
   * Sessions that are not in the new list are deleted in the same commit.
   */
  async function change(
    guildId: string,
    next: (valid: readonly Entry[]) => Promise<{ readonly kept: readonly Entry[]; readonly step: Step }>,
  ) {
    const table = tableOf(guildId);
    for (let isCommitted = false; !isCommitted; ) {
      const [list = absent(guildId)] = await lists.read([guildId]);
      const listed = list.value ?? [];
      const { kept, step } = await next(listed.filter(({ until }) => until > now()));
      if (!(await bound.admits(guildId, withOverhead(kept)))) throw new ProblemError({ code: "full" });
      const names = new Set([...kept.map(({ name }) => name), step.key]);
      const gone = listed.filter(({ name }) => !names.has(name));
      // Encrypting some MiB takes milliseconds, and writing them too. They do not share a turn of the event loop.
      await othersTurn();
      const steps = [
        step,
        ...gone.map(({ name }) => table.remove(whatever(name))),
        lists.put(list, kept, { ttlMs: keptMs }),
      ];
      isCommitted = await storage.commit(steps);
    }
  }

  return {
    async get(guildId: string, name: string): Promise<Stored | undefined> {
      return (await read(guildId, name))?.value;
    },
    /** Throws a `ProblemError`: "expired" if the session is not new and is gone, "full" if all servers together have too much. */
    async put(
      guildId: string,
      name: string,
      sealed: string,
      entry: Pick<Entry, "userId" | "isPinned">,
      isNew: boolean,
    ) {
      const until = now() + keptMs;
      const value = { userId: entry.userId, until, sealed };
      const bytes = bytesOf(value);
      if (bytes > kind.bounds.ofPerson.bytes) throw new RangeError(`${bytes} bytes are too many for ${kind.name}`);
      await change(guildId, async (valid) => {
        const row = isNew ? absent(name) : await read(guildId, name);
        if (!row) throw new ProblemError({ code: "expired" });
        const others = valid.filter((other) => other.name !== name);
        const kept = withinBounds([...others, { ...entry, name, bytes, until }], kind.bounds);
        return { kept, step: tableOf(guildId).put(row, value, { ttlMs: keptMs }) };
      });
    },
    /** Throws a `ProblemError` ("expired") if the session is gone. */
    async delete(guildId: string, name: string): Promise<void> {
      await change(guildId, async (valid) => {
        const row = await read(guildId, name);
        if (!row) throw new ProblemError({ code: "expired" });
        return { kept: valid.filter((entry) => entry.name !== name), step: tableOf(guildId).remove(row) };
      });
    },
    async clear(guildId: string) {
      await tableOf(guildId).clear();
      await lists.delete(guildId);
      bound.forget(guildId);
    },
  };
}

/**
 * Sessions in the storage, so that buttons work after a restart. They are encrypted, because a filter may be a customer's e-mail
 * address.
 *
 * @param deps.mayKeep whether anything may be kept for a server. It must be false before `forget` is called, so that nothing is
 *   written after it
 * @param deps.now epoch ms
 */
export function createSessions<Session extends object>(
  deps: {
    storage: Storage;
    vault: Pick<Vault, "seal" | "open">;
    mayKeep?: (guildId: string) => Promise<boolean>;
    now?: () => number;
  },
  kind: SessionKind<Session>,
): Sessions<Session> {
  const { vault, mayKeep = async () => true, now = Date.now } = deps;
  const records = createRecords(deps.storage, kind, now);
  const inTurnOfServer = createKeyedMutex();
  const inTurnOfSession = createKeyedMutex();
  const boundTo = (guildId: string, name: string) => `${guildId} ${kind.name} ${name}`;

  function opened({ sealed }: Stored, name: string, { guildId }: Owner): Session {
    try {
      return kind.schema.parse(JSON.parse(vault.open(sealed, boundTo(guildId, name))));
    } catch {
      // The key is not in use any more, or another version wrote the session.
      throw new ProblemError({ code: "expired" });
    }
  }

  async function find(name: string, caller: Owner): Promise<Session> {
    const found = await records.get(caller.guildId, name);
    if (!found) throw new ProblemError({ code: "expired" });
    if (found.userId !== caller.userId) throw new ProblemError({ code: "someone_elses" });
    return opened(found, name, caller);
  }

  function put(name: string, { guildId, userId }: Owner, session: Session, isNew: boolean): Promise<void> {
    const sealed = vault.seal(JSON.stringify(session), boundTo(guildId, name));
    return records.put(guildId, name, sealed, { userId, isPinned: kind.isPinned?.(session) ?? false }, isNew);
  }

  const use: Sessions<Session>["use"] = (name, caller, work) =>
    inTurnOfSession(`${caller.guildId}:${name}`, async () =>
      work(await find(name, caller), (next) => inTurnOfServer(caller.guildId, () => put(name, caller, next, false))),
    );

  return {
    keep: (owner, session) =>
      inTurnOfServer(owner.guildId, async () => {
        if (!(await mayKeep(owner.guildId))) throw new ProblemError({ code: "not_connected" });
        const name = newName();
        await put(name, owner, session, true);
        return name;
      }),
    find,
    use,
    change: (name, caller, change) =>
      use(name, caller, async (session, keep) => {
        const changed = change(session);
        await keep(changed);
        return changed;
      }),
    take: (name, caller) =>
      inTurnOfServer(caller.guildId, async () => {
        const session = await find(name, caller);
        await records.delete(caller.guildId, name);
        return session;
      }),
    forget: (guildId) => inTurnOfServer(guildId, () => records.clear(guildId)),
  };
}
