import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { Member } from "../basics/discord-id.ts";
import { createKeyedMutex } from "../basics/limits/mutex.ts";
import { createSharedBound, type Held } from "../basics/limits/shared-bound.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { Vault } from "../guilds/vault.ts";
import {
  absent,
  anyVersion,
  type Row,
  type Step,
  type Storage,
  type Table,
  type TableShape,
} from "../storage/table.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { type Bounds, type Entry, entrySchema, heldBy, withinBounds } from "./within-bounds.ts";

export interface SessionKind<Session extends object> {
  readonly name: string;
  /** A session that does not match counts as expired. */
  readonly schema: z.ZodType<Session>;
  readonly bounds: Bounds;
  /** Whether the session is deleted last when a limit is reached. */
  isPinned?(session: Session): boolean;
}

/**
 * Stored state of buttons and windows, by random names. Each session belongs to one person in one server and is stored for a
 * day. A session that no key can decrypt counts as expired. Every method throws `StorageError`.
 */
export interface Sessions<Session> {
  /**
   * Stores a session for a day. The session is deleted earlier if the person or the server stores too much (within-bounds.ts).
   * Returns the session's name for custom ids.
   * Throws a `ProblemError`: "not_connected" if nothing may be stored for the server, or "full" if all servers together have
   * too much. Throws a `RangeError` if the session is larger than the limit of a person.
   */
  keep(owner: Member, session: Session): Promise<string>;
  /** Throws a `ProblemError`: "expired", or "someone_elses" if the caller is not the owner. */
  find(name: string, caller: Member): Promise<Session>;
  /**
   * In this process, one `work` at a time runs for a session. `keep` replaces the session and stores it for a day. It throws a
   * `ProblemError`: "expired" if the session was deleted meanwhile (it stays deleted), "not_connected" or "full".
   */
  use<T>(
    name: string,
    caller: Member,
    work: (session: Session, keep: (next: Session) => Promise<void>) => Promise<T>,
  ): Promise<T>;
  /** Finds a session and deletes it: for a question that can be answered only once. */
  take(name: string, caller: Member): Promise<Session>;
}

/** How long a session is stored after its last change. */
const keptMs = 24 * 60 * 60_000;

/** Twelve characters fit into custom ids. */
const newName = () => randomBytes(9).toString("base64url");
const namePattern = /^[\w-]{12}$/;

const storedSchema = z.object({ userId: z.string(), sealed: z.string() });
type Stored = z.infer<typeof storedSchema>;

/** Keys are the sessions' names. A malformed row counts as expired. */
export const sessionsTable = (kind: string): TableShape<Stored | null> => ({
  name: kind,
  schema: storedSchema.nullable().catch(null),
  version: 1,
});

/** Keys are server ids. If a list is lost, its sessions still expire after a day. */
export const keptTable = (kind: string): TableShape<readonly Entry[]> => ({
  name: `kept:${kind}`,
  schema: z.array(entrySchema).catch([]),
  version: 1,
});

/** In Redis, a stored session takes about this many bytes more than its encrypted text; in the other storages, fewer. */
const overheadBytes = 400;
function withOverhead(entries: readonly Entry[]): Held {
  const { count, bytes } = heldBy(entries);
  return { count, bytes: bytes + count * overheadBytes };
}

async function* heldByServers(
  lists: Table<readonly Entry[]>,
  now: () => number,
): AsyncGenerator<readonly [guildId: string, held: Held]> {
  for await (const { key: guildId, value: listed } of lists.rows()) {
    yield [guildId, withOverhead(listed.filter(({ until }) => until > now()))];
  }
}

async function read(table: Table<Stored | null>, name: string): Promise<Row<Stored | null> & { value: Stored }> {
  const [row] = namePattern.test(name) ? await table.read([name]) : [];
  if (!row?.value) throw new ProblemError({ code: "expired" });
  return { ...row, value: row.value };
}

/**
 * Sessions are stored, so that buttons work after a restart. They are encrypted, because a filter may be a customer's e-mail
 * address. A session and the list of its server change in one commit. So the limits of a person and a server are exact even
 * after a kill. `now` is epoch ms.
 */
export function createSessions<Session extends object>(
  deps: {
    storage: Storage;
    vault: Pick<Vault, "seal" | "open">;
    mayKeep: Guilds["mayKeep"];
    now?: () => number;
  },
  kind: SessionKind<Session>,
): Sessions<Session> {
  const { storage, vault, mayKeep, now = Date.now } = deps;
  const lists = storage.table(keptTable(kind.name));
  const tableOf = (guildId: string) => storage.table(sessionsTable(kind.name), guildId);
  const bound = createSharedBound({ ...kind.bounds, read: () => heldByServers(lists, now) });
  const inTurnOfServer = createKeyedMutex();
  const inTurnOfSession = createKeyedMutex();
  const boundTo = (guildId: string, name: string) => `${guildId} ${kind.name} ${name}`;

  async function find(name: string, caller: Member): Promise<Session> {
    const { value } = await read(tableOf(caller.guildId), name);
    if (value.userId !== caller.userId) throw new ProblemError({ code: "someone_elses" });
    try {
      return kind.schema.parse(JSON.parse(vault.open(value.sealed, boundTo(caller.guildId, name))));
    } catch {
      // The key is no longer configured, or another version wrote the session.
      throw new ProblemError({ code: "expired" });
    }
  }

  /** The steps that `next` returns write or delete the session `name`. */
  async function change(
    guildId: string,
    name: string,
    next: (valid: readonly Entry[]) => Promise<{ readonly kept: readonly Entry[]; readonly steps: readonly Step[] }>,
  ): Promise<void> {
    for (;;) {
      const [list = absent(guildId)] = await lists.read([guildId]);
      const listed = list.value ?? [];
      const { kept, steps } = await next(listed.filter(({ until }) => until > now()));
      if (!(await bound.admits(guildId, withOverhead(kept)))) throw new ProblemError({ code: "full" });
      const names = new Set([...kept.map((entry) => entry.name), name]);
      const gone = listed.filter((entry) => !names.has(entry.name));
      // Encrypting some MiB takes milliseconds, and so does the commit. Other work of the process runs between the two.
      await setImmediate();
      const removals = gone.map((entry) => tableOf(guildId).remove(anyVersion(entry.name)));
      if (await storage.commit([...steps, ...removals, lists.put(list, kept, { ttlMs: keptMs })])) return;
    }
  }

  async function put(name: string, { guildId, userId }: Member, session: Session, isNew: boolean): Promise<void> {
    const sealed = vault.seal(JSON.stringify(session), boundTo(guildId, name));
    // Each character of the encrypted text is one byte.
    const bytes = sealed.length;
    if (bytes > kind.bounds.ofPerson.bytes) throw new RangeError(`${bytes} bytes are too many for ${kind.name}`);
    await change(guildId, name, async (valid) => {
      const connected = await mayKeep(guildId);
      if (connected === undefined) throw new ProblemError({ code: "not_connected" });
      const row = isNew ? absent(name) : await read(tableOf(guildId), name);
      const others = valid.filter((other) => other.name !== name);
      const isPinned = kind.isPinned?.(session) ?? false;
      return {
        steps: [...connected, tableOf(guildId).put(row, { userId, sealed }, { ttlMs: keptMs })],
        kept: withinBounds([...others, { name, userId, bytes, until: now() + keptMs, isPinned }], kind.bounds),
      };
    });
  }

  return {
    keep: (owner, session) =>
      inTurnOfServer(owner.guildId, async () => {
        const name = newName();
        await put(name, owner, session, true);
        return name;
      }),
    find,
    use: (name, caller, work) =>
      inTurnOfSession(`${caller.guildId}:${name}`, async () =>
        work(await find(name, caller), (next) => inTurnOfServer(caller.guildId, () => put(name, caller, next, false))),
      ),
    take: (name, caller) =>
      inTurnOfServer(caller.guildId, async () => {
        const session = await find(name, caller);
        await change(caller.guildId, name, async (valid) => ({
          steps: [tableOf(caller.guildId).remove(await read(tableOf(caller.guildId), name))],
          kept: valid.filter((entry) => entry.name !== name),
        }));
        return session;
      }),
  };
}
