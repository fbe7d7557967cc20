import { randomBytes } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import { createKeyedMutex } from "../basics/mutex.ts";
import { createSharedBound, type Held } from "../basics/shared-bound.ts";
import type { Vault } from "../guilds/vault.ts";
import { absent, type Row, type Step, type Storage, type TableShape, whatever } from "../storage/table.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { type Bounds, type Entry, heldBy, withinBounds } from "./within-bounds.ts";

/** The server and the person to whom a session belongs. */
export interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

/** What differs between the kinds of sessions (session-kinds.ts lists them). */
export interface SessionKind<Session extends object> {
  /** The name of the table. */
  readonly name: string;
  /** Parses a decrypted session. A session that does not match has expired. */
  readonly schema: z.ZodType<Session>;
  readonly bounds: Bounds;
  /** Whether the session is deleted last, when a limit is reached. */
  isPinned?(session: Session): boolean;
}

/**
 * Sessions: stored state of buttons and windows, by random names. Each belongs to one person in one server and is stored for a
 * day. A session that no key can decrypt has expired. Throws `StorageError`.
 */
export interface Sessions<Session> {
  /**
   * Stores a session for a day, or until its person or server has too many newer ones. Returns its name for custom ids.
   * Throws a `ProblemError`: "not_connected" if nothing may be stored for the server, or "full" if all servers together have
   * too much. Throws a `RangeError` if the session is larger than the limit of a person.
   */
  keep(owner: Owner, session: Session): Promise<string>;
  /** Returns a session. Throws a `ProblemError`: "expired", or "someone_elses" if the caller is not its owner. */
  find(name: string, caller: Owner): Promise<Session>;
  /**
   * Finds a session and runs `work` with it, which may change it. In this process, one `work` at a time runs for a session.
   * `keep` replaces the session and stores it for another day. It throws a `ProblemError`: "expired" if the session was deleted
   * in the meantime (it then stays deleted), or "full".
   */
  use<T>(
    name: string,
    caller: Owner,
    work: (session: Session, keep: (next: Session) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** Finds a session, and replaces it with the result of `change` for another day. Changes run one after another. */
  change(name: string, caller: Owner, change: (session: Session) => Session): Promise<Session>;
  /** Finds a session and deletes it. Use it for a question that can be answered only once. */
  take(name: string, caller: Owner): Promise<Session>;
  /** Deletes all sessions of a server. */
  forget(guildId: string): Promise<void>;
}

/** How long a session is stored after its last change. */
const keptMs = 24 * 60 * 60_000;

/** Returns twelve random characters, which fit into custom ids. */
const newName = () => randomBytes(9).toString("base64url");
const namePattern = /^[\w-]{12}$/;

/** A stored session. */
const storedSchema = z.object({
  userId: z.string(),
  /** Epoch ms. Version 0.1.0 did not write it. */
  until: z.number().optional(),
  /** The encrypted session. Each character is one byte. */
  sealed: z.string(),
});
type Stored = z.infer<typeof storedSchema>;

/** The sessions of a server, by their names. A malformed row reads as expired. */
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

/** The list of the sessions of each server, by server id. If a list is lost, its sessions still expire after their day. */
export const keptTable = (kind: string): TableShape<readonly Entry[]> => ({
  name: `kept:${kind}`,
  schema: z.array(entrySchema).catch([]),
  version: 1,
});

/**
 * Bytes of a session besides its content: its name, its entry in the list, its expiry. About 400 in Redis, less in the other
 * storages.
 */
const overheadBytes = 400;
function withOverhead(entries: readonly Entry[]): Held {
  const { count, bytes } = heldBy(entries);
  return { count, bytes: bytes + count * overheadBytes };
}

/**
 * Number of entries counted before other work of the process gets a turn: some 2 ms. Redis may return 100,000 entries at once,
 * which take 250 ms.
 */
const entriesAtOnce = 500;

/** Leaves `sealed` out of the JSON, because it may have some MiB. */
const bytesOf = (value: Stored) => Buffer.byteLength(JSON.stringify({ ...value, sealed: "" })) + value.sealed.length;

/**
 * Reads and writes the stored sessions of one kind, within their limits. A session and the list change in one commit. Sessions
 * of version 0.1.0 are in no list and expire after their day.
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

  /** Returns undefined if there is no valid session, or if the text cannot be a session's name. */
  async function read(guildId: string, name: string): Promise<(Row<Stored | null> & { value: Stored }) | undefined> {
    const [row] = namePattern.test(name) ? await tableOf(guildId).read([name]) : [];
    const value = row?.value;
    return value && (value.until ?? Number.POSITIVE_INFINITY) > now() ? { ...row, value } : undefined;
  }

  /**
   * Commits the step of `next` together with the list that it returns. If another process changed one of them, calls `next`
   * again. Sessions that are not in the new list are deleted in the same commit.
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
      // Encrypting some MiB takes milliseconds, and so does writing them. Other work gets a turn between the two.
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
    /** Throws a `ProblemError`: "expired" if an existing session is gone, "full" if all servers together have too much. */
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
 * Creates sessions in the storage, so that buttons work after a restart. They are encrypted, because a filter may be a
 * customer's e-mail address.
 *
 * @param deps.mayKeep returns whether data of a server may be stored. It must return false before `forget` is called, so that
 * nothing is written after that
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
      // The key is no longer configured, or another version wrote the session.
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
