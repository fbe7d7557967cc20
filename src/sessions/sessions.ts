import { randomBytes } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import { createKeyedMutex } from "../basics/mutex.ts";
import { createTotal, type Held } from "../basics/total.ts";
import type { Vault } from "../guilds/vault.ts";
import { absent, type Row, type Step, type Storage, type TableShape, whatever } from "../storage/table.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { type Bounds, type Entry, heldBy, withinBounds } from "./within-bounds.ts";

/** Whose it is. */
export interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

/** One kind of what stands behind the buttons of answers. */
export interface SessionKind<Session extends object> {
  /** Names the table. */
  readonly name: string;
  /** Parses what was sealed; what does not fit is over. */
  readonly schema: z.ZodType<Session>;
  readonly bounds: Bounds;
  /** Whether it is deleted only when nothing else is left. */
  isPinned?(session: Session): boolean;
}

/**
 * What stands behind the buttons of answers, by names of our own, in servers apart: each its person's alone, kept for a day.
 * What no key opens any more has expired. Throws `StorageError`.
 */
export interface Sessions<Session> {
  /**
   * Keeps it for a day, or until its person or server has too many newer ones; returns its name for custom ids. Throws a
   * `ProblemError` ("not_connected") where nothing may be kept, or ("full") where all servers together have too much, and a
   * `RangeError` for what alone is more than a person may have.
   */
  keep(owner: Owner, session: Session): Promise<string>;
  /** Throws a `ProblemError`: "expired", or "someone_elses" for anybody but the one who asked. */
  find(name: string, caller: Owner): Promise<Session>;
  /**
   * As `find`, for changing it: of one session, one `work` runs at a time in this process. `keep` puts another one in its
   * place, for another day; it throws a `ProblemError`: "expired" where that went meanwhile, which then stays gone, or "full".
   */
  use<T>(
    name: string,
    caller: Owner,
    work: (session: Session, keep: (next: Session) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** As `find`, and keeps what `change` makes of it in its place, for another day; changes come one after another. */
  change(name: string, caller: Owner, change: (session: Session) => Session): Promise<Session>;
  /** As `find`, and deletes it: for an answer that can be given once. */
  take(name: string, caller: Owner): Promise<Session>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

/** How long something is kept after its last change. */
const keptMs = 24 * 60 * 60_000;

/** Twelve characters that cannot be guessed, and that fit into custom ids. */
const newName = () => randomBytes(9).toString("base64url");
const namePattern = /^[\w-]{12}$/;

/** As it is stored. */
const storedSchema = z.object({
  userId: z.string(),
  /** Epoch ms; 0.1.0 did not keep it. */
  until: z.number().optional(),
  /** As a vault writes it: one byte a character. */
  sealed: z.string(),
});
type Stored = z.infer<typeof storedSchema>;

/** The table of each server's sessions, by their names. What is malformed has expired. */
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

/** The lists of what is kept, by the ids of servers. Without its list, what is kept goes with its day. */
export const keptTable = (kind: string): TableShape<readonly Entry[]> => ({
  name: `kept:${kind}`,
  schema: z.array(entrySchema).catch([]),
  version: 1,
});

/** What a session takes besides its own bytes: its name, its entry in the list, and when it ends. In Redis some 400, in the others less. */
const overheadBytes = 400;
function withOverhead(entries: readonly Entry[]): Held {
  const { count, bytes } = heldBy(entries);
  return { count, bytes: bytes + count * overheadBytes };
}

/** Entries of lists that are counted before the event loop turns: some 2 ms. */
const entriesAtOnce = 500;

/** Without writing the long part down once more: it may have some MiB. */
const bytesOf = (value: Stored) => Buffer.byteLength(JSON.stringify({ ...value, sealed: "" })) + value.sealed.length;

/**
 * What is stored of one kind, within its bounds. A list of what is kept changes in the same commit; what
 * 0.1.0 left is in no list and goes with its day.
 */
function createRecords(storage: Storage, kind: Pick<SessionKind<never>, "name" | "bounds">, now: () => number) {
  const lists = storage.table(keptTable(kind.name));
  const tableOf = (guildId: string) => storage.table(sessionsTable(kind.name), guildId);
  const total = createTotal({ ...kind.bounds, read: heldByServers });

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

  /** Undefined for what is not there any more, and for any text that is no name of ours. */
  async function read(guildId: string, name: string): Promise<(Row<Stored | null> & { value: Stored }) | undefined> {
    const [row] = namePattern.test(name) ? await tableOf(guildId).read([name]) : [];
    const value = row?.value;
    return value && (value.until ?? Number.POSITIVE_INFINITY) > now() ? { ...row, value } : undefined;
  }

  /**
   * Commits what `next` makes of the list of sessions that are still valid, together with its step, until no other process has
   * changed them in between. What is in the list no longer is deleted in the same commit.
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
      if (!(await total.admits(guildId, withOverhead(kept)))) throw new ProblemError({ code: "full" });
      const names = new Set([...kept.map(({ name }) => name), step.key]);
      const gone = listed.filter(({ name }) => !names.has(name));
      // Sealing some MiB takes milliseconds, and so does writing them: not both in one turn of the event loop.
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
    /** Throws a `ProblemError`: "expired" where it is not new and what it was is gone, "full" where there is too much of all. */
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
    /** Throws a `ProblemError`: "expired" where it is not there any more. */
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
      total.forget(guildId);
    },
  };
}

/**
 * Kept in storage, so that buttons work after a restart; encrypted, because a filter may be a customer's e-mail address.
 *
 * @param deps.mayKeep whether anything may be kept for a server. False as soon as the server is being forgotten, and before
 *   `forget` is called: then nothing that comes late stays behind
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
      // The key that sealed it is no longer in use, or it was written by another version.
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
