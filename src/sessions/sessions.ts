import { randomBytes } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import { createKeyedMutex } from "../basics/mutex.ts";
import type { Vault } from "../guilds/vault.ts";
import { absent, type Row, type Step, type Storage, type TableShape } from "../storage/table.ts";
import { createTotal, type Held } from "../storage/total.ts";
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
  /** What it is sealed as, where that is not its name. */
  readonly sealedAs?: string;
  /** Fields that 0.1.0 kept beside what it sealed; of all others only what is sealed counts. */
  readonly beside?: readonly string[];
  /** Parses what was sealed; what does not fit is over. */
  readonly schema: z.ZodType<Session>;
  readonly bounds: Bounds;
  /** Whether it goes only when nothing else is left. */
  isDear?(session: Session): boolean;
}

/**
 * What stands behind the buttons of answers, by names of our own, in servers apart: each its person's alone, kept for a day.
 * Throws `StorageError`, and a `VaultError` for what no key opens.
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

/** Twelve characters that nobody guesses, and that fit into custom ids. */
const newName = () => randomBytes(9).toString("base64url");
const namePattern = /^[\w-]{12}$/;

/** As it is stored. Of a draft, 0.1.0 kept a part beside what it sealed. */
const storedSchema = z.looseObject({
  userId: z.string(),
  /** Epoch ms; 0.1.0 kept it for drafts only. */
  until: z.number().optional(),
  /** As a vault writes it: one byte a character. */
  sealed: z.string().optional(),
});
type Stored = z.infer<typeof storedSchema>;

/** As the list of what is kept is stored, which every change writes as a whole. */
const listedSchema = z.tuple([z.string(), z.string(), z.number(), z.number(), z.literal([0, 1])]);
type Listed = z.infer<typeof listedSchema>;

const listedOf = ({ name, userId, bytes, until, isDear }: Entry): Listed => [
  name,
  userId,
  bytes,
  until,
  isDear ? 1 : 0,
];
const entryOf = ([name, userId, bytes, until, isDear]: Listed): Entry => ({
  name,
  userId,
  bytes,
  until,
  isDear: isDear === 1,
});

/** The table of each server's sessions, by their names. What is malformed is over: whoever asked asks again. */
export const sessionsTable = (kind: string): TableShape<Stored | null> => ({
  name: kind,
  schema: storedSchema.nullable().catch(null),
  version: 1,
});

/** The lists of what is kept, by the ids of servers. Without its list, what is kept goes with its day. */
export const keptTable = (kind: string): TableShape<readonly Listed[]> => ({
  name: `kept:${kind}`,
  schema: z.array(listedSchema).catch([]),
  version: 1,
});

/** What one takes beside its own bytes: its name, its row in the list, and when it ends. In Redis 350 (measured), in the others less. */
const besideBytes = 350;
function heldInAll(entries: readonly Entry[]): Held {
  const { count, bytes } = heldBy(entries);
  return { count, bytes: bytes + count * besideBytes };
}

/** Without writing the long part down once more: it may have some MiB. */
const bytesOf = (value: Stored) =>
  Buffer.byteLength(JSON.stringify({ ...value, sealed: "" })) + (value.sealed ?? "").length;

/**
 * What is stored of one kind, within its bounds. A list of what is kept stands beside it, and both are committed together; what
 * 0.1.0 left, which has no name in the list, goes with its day.
 */
function createRecords(storage: Storage, kind: Pick<SessionKind<never>, "name" | "bounds">, now: () => number) {
  const shape = sessionsTable(kind.name);
  const lists = storage.table(keptTable(kind.name));
  const valid = (entries: readonly Entry[]) => entries.filter(({ until }) => until > now());
  const total = createTotal(storage, kind.name, { bound: kind.bounds.ofAll, keptMs });

  /** Undefined for what is not there any more, and for any text that no name of ours is. */
  async function read(guildId: string, name: string): Promise<(Row<Stored | null> & { value: Stored }) | undefined> {
    const [row] = namePattern.test(name) ? await storage.table(shape, guildId).read([name]) : [];
    const value = row?.value;
    return value && (value.until ?? Number.POSITIVE_INFINITY) > now() ? { ...row, value } : undefined;
  }

  /** Commits the list that `next` makes, with steps of values, until nobody else has changed it in between. */
  async function change(
    guildId: string,
    next: (listed: readonly Entry[]) => Promise<{ readonly kept: readonly Entry[]; readonly steps: readonly Step[] }>,
  ) {
    for (let isCommitted = false; !isCommitted; ) {
      const [list = absent(guildId)] = await lists.read([guildId]);
      const listed = (list.value ?? []).map(entryOf);
      const { kept, steps } = await next(listed);
      if (!(await total.admits(guildId, heldInAll(kept)))) throw new ProblemError({ code: "full" });
      const names = new Set([...kept.map(({ name }) => name), ...steps.map(({ key }) => key)]);
      // While they still have a name: what is unnamed counts for nothing.
      await storage.table(shape, guildId).deleteMany(listed.map(({ name }) => name).filter((name) => !names.has(name)));
      // Sealing some MiB takes milliseconds, and so does writing them: not both at a stretch.
      await othersTurn();
      isCommitted = await storage.commit([...steps, lists.put(list, kept.map(listedOf), { ttlMs: keptMs })]);
    }
  }

  return {
    async get(guildId: string, name: string): Promise<Stored | undefined> {
      return (await read(guildId, name))?.value;
    },
    /** Throws a `ProblemError`: "expired" where it is not new and what it was is gone, "full" where there is too much of all. */
    async put(guildId: string, name: string, sealed: string, entry: Pick<Entry, "userId" | "isDear">, isNew: boolean) {
      const until = now() + keptMs;
      const value = { userId: entry.userId, until, sealed };
      const bytes = bytesOf(value);
      if (bytes > kind.bounds.ofPerson.bytes) throw new RangeError(`${bytes} bytes are too many for ${kind.name}`);
      await change(guildId, async (listed) => {
        const row = isNew ? absent(name) : await read(guildId, name);
        if (!row) throw new ProblemError({ code: "expired" });
        const others = valid(listed).filter((other) => other.name !== name);
        const kept = withinBounds([...others, { ...entry, name, bytes, until }], kind.bounds);
        return { kept, steps: [storage.table(shape, guildId).put(row, value, { ttlMs: keptMs })] };
      });
    },
    /** Throws a `ProblemError`: "expired" where it is not there any more. */
    async delete(guildId: string, name: string): Promise<void> {
      await change(guildId, async (listed) => {
        const row = await read(guildId, name);
        if (!row) throw new ProblemError({ code: "expired" });
        const kept = valid(listed).filter((entry) => entry.name !== name);
        return { kept, steps: [storage.table(shape, guildId).remove(row)] };
      });
    },
    async clear(guildId: string) {
      await storage.table(shape, guildId).clear();
      await lists.delete(guildId);
      await total.forget(guildId);
    },
  };
}

/**
 * Kept in storage, so that buttons work after a restart; encrypted, for a filter may be a customer's e-mail address.
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
  const boundTo = (guildId: string, name: string) => `${guildId} ${kind.sealedAs ?? kind.name} ${name}`;

  async function getOwn(name: string, caller: Owner): Promise<Stored> {
    const found = await records.get(caller.guildId, name);
    if (!found) throw new ProblemError({ code: "expired" });
    if (found.userId !== caller.userId) throw new ProblemError({ code: "someone_elses" });
    return found;
  }

  function opened({ userId: _, until: __, sealed, ...beside }: Stored, name: string, { guildId }: Owner): Session {
    if (sealed === undefined && kind.beside === undefined) throw new ProblemError({ code: "expired" });
    const inside: unknown = sealed === undefined ? {} : JSON.parse(vault.open(sealed, boundTo(guildId, name)));
    const open = Object.entries(beside).filter(([field]) => kind.beside?.includes(field));
    const { success, data } = kind.schema.safeParse(Object.assign(Object.fromEntries(open), inside));
    if (!success) throw new ProblemError({ code: "expired" });
    return data;
  }

  const find = async (name: string, caller: Owner) => opened(await getOwn(name, caller), name, caller);

  function put(name: string, { guildId, userId }: Owner, session: Session, isNew: boolean): Promise<void> {
    const sealed = vault.seal(JSON.stringify(session), boundTo(guildId, name));
    return records.put(guildId, name, sealed, { userId, isDear: kind.isDear?.(session) ?? false }, isNew);
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
        const found = await getOwn(name, caller);
        await records.delete(caller.guildId, name);
        return opened(found, name, caller);
      }),
    forget: (guildId) => inTurnOfServer(guildId, () => records.clear(guildId)),
  };
}
