import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { type Announcement, announcementOf } from "../storage/polled-servers.ts";
import { absent, type Step, type Storage, type TableShape } from "../storage/table.ts";
import { type Guild, guildSchema, isPolled, newGuild } from "./guild.ts";
import { keyIdIn, type Vault, VaultError } from "./vault.ts";

/** Makes steps to commit together with the new record (`next`). Called once for each attempt to commit. */
export type CommittedWith = (next: Guild) => Promise<readonly Step[]>;

/** Whether a change is announced to other processes (storage/polled-servers.ts). */
interface Announcing {
  readonly announces: boolean;
}

interface GuildsDeps {
  readonly storage: Storage;
  readonly vault: Vault;
  readonly onAnnounced?: (announcement: Announcement) => void;
  /** Epoch ms. */
  readonly now?: () => number;
}

const lastCharacters = 4;

/** A malformed record is read as a `ZodError`. If the error were thrown, nobody could read the records of the other servers. */
type Kept = Guild | z.ZodError;
const keptSchema = z.unknown().transform((value): Kept => {
  const { success, data, error } = guildSchema.safeParse(value);
  return success ? data : error;
});

export const guildsTable: TableShape<Kept> = { name: "guilds", schema: keptSchema, version: 1 };

/** A malformed record is never replaced by defaults. */
export class GuildError extends Error {
  override readonly name = "GuildError";

  constructor(guildId: string, cause: unknown) {
    super(`the record of server ${guildId} is malformed`, { cause });
  }
}

function createRecords({ storage, onAnnounced }: GuildsDeps) {
  const table = storage.table(guildsTable);
  const listeners: ((id: string) => void)[] = [];

  const notify = (id: string) => {
    for (const listener of listeners) listener(id);
  };

  async function commit<Next extends Guild | undefined>(
    id: string,
    change: (kept: Kept | undefined) => Next,
    committedWith?: CommittedWith,
    { announces }: Announcing = { announces: true },
  ): Promise<Next> {
    for (;;) {
      const [row = absent(id)] = await table.read([id]);
      const changed = change(row.value);
      if (changed === row.value) return changed;
      const others = (changed && (await committedWith?.(changed))) ?? [];
      const announcement = announces ? await announcementOf(storage, id, isPolled(changed)) : undefined;
      const step = changed === undefined ? table.remove(row) : table.put(row, changed);
      try {
        if (!(await storage.commit([step, ...others, ...(announcement?.steps ?? [])]))) continue;
      } catch (error) {
        // A commit that throws may still have been written.
        notify(id);
        throw error;
      }
      if (announcement) onAnnounced?.(announcement);
      notify(id);
      return changed;
    }
  }

  const sound = (id: string, kept: Kept): Guild => {
    if (kept instanceof z.ZodError) throw new GuildError(id, kept);
    if (kept.id !== id) throw new GuildError(id, new Error("it is another server's"));
    return kept;
  };

  async function find(id: string): Promise<Guild | undefined> {
    const kept = await table.get(id);
    return kept && sound(id, kept);
  }

  /** If the record was changed before the commit, `change` is called again with the changed record. */
  const update = (id: string, change: (guild: Guild) => Guild, committedWith?: CommittedWith): Promise<Guild> => {
    const make = (kept: Kept | undefined) => sound(id, keptSchema.parse(change(kept ? sound(id, kept) : newGuild(id))));
    return commit(id, make, committedWith);
  };

  /**
   * Works like `update`, but does not write an unchanged record. Never creates a record, because the server's data may have
   * been deleted since the caller read it.
   */
  const amend = (
    id: string,
    change: (guild: Guild) => Guild,
    committedWith?: CommittedWith,
    how?: Announcing,
  ): Promise<Guild | undefined> => commit(id, (kept) => kept && change(sound(id, kept)), committedWith, how);

  /** Undefined for a malformed record. */
  async function* all(): AsyncGenerator<Guild | undefined> {
    for await (const { key: id, value: kept } of table.rows()) {
      yield kept instanceof z.ZodError || kept.id !== id ? undefined : kept;
    }
  }

  return {
    find,
    update,
    amend,
    all,
    /** If the record has a token, somebody has connected a store after the deletion began. Then the record stays. */
    async remove(id: string): Promise<void> {
      const withToken = (kept: Kept | undefined) => (kept && "token" in kept && kept.token ? kept : undefined);
      await commit(id, withToken);
    },
    /**
     * Steps to add to a commit of any data of a server. Undefined if no store is connected: then nothing may be stored. If any
     * process changes the record before the commit, the commit is refused, so nothing is stored after the token was removed.
     */
    async mayKeep(id: string): Promise<readonly Step[] | undefined> {
      const [row = absent(id)] = await table.read([id]);
      return row.value && sound(id, row.value).token && [table.expect(row)];
    },
    /** Announces to all processes that data of the server was changed or will be changed. */
    async touch(id: string): Promise<void> {
      for (;;) {
        const announcement = await announcementOf(storage, id);
        if (await storage.commit(announcement.steps)) return onAnnounced?.(announcement);
      }
    },
    /** Listeners are told only of changes by this process. */
    onChange: (listener: (id: string) => void) => void listeners.push(listener),
  };
}

export type Guilds = ReturnType<typeof createGuilds>;

/**
 * The functions throw a `StorageError` if the storage fails. If a record is malformed, the functions that read or change it
 * (except `remove`) throw a {@link GuildError}.
 */
export function createGuilds(deps: GuildsDeps) {
  const { vault, now = Date.now } = deps;
  const { all, ...records } = createRecords(deps);
  const { amend } = records;

  const reencrypted = (guild: Guild): Guild => {
    const { token } = guild;
    if (token === undefined || vault.isCurrent(token.sealed)) return guild;
    return { ...guild, token: { ...token, sealed: vault.seal(vault.open(token.sealed, guild.id), guild.id) } };
  };

  const mark = async (guild: Guild, isPresent: boolean): Promise<Guild | undefined> => {
    const { missingSince: since } = guild;
    // A fast clock may have recorded a future time. Such a time is corrected. Otherwise the data would be stored too long.
    if (isPresent ? since === undefined : since !== undefined && since <= now()) return guild;
    return amend(guild.id, ({ missingSince, ...rest }) =>
      isPresent ? rest : { ...rest, missingSince: Math.min(missingSince ?? now(), now()) },
    );
  };

  return {
    ...records,
    /** Returns the defaults if nothing is stored. */
    get: async (id: string): Promise<Guild> => (await records.find(id)) ?? newGuild(id),
    /** Any former token is replaced. */
    connect: (
      id: string,
      token: string,
      change: (guild: Guild) => Guild = (guild) => guild,
      committedWith?: CommittedWith,
    ): Promise<Guild> =>
      records.update(
        id,
        ({ missingSince: _, ...guild }) => ({
          ...change(guild),
          token: { sealed: vault.seal(token, id), last4: token.slice(-lastCharacters), since: now() },
        }),
        committedWith,
      ),
    /** Undefined if there is no token. Throws a `VaultError` if no key decrypts it. */
    tokenOf: ({ id, token }: Guild): string | undefined => token && vault.open(token.sealed, id),
    /** Also removes the settings of alerts and digests, because they need a token. */
    disconnect: (id: string, committedWith?: CommittedWith): Promise<Guild> =>
      records.update(id, ({ token: _t, alerts: _a, digest: _d, ...rest }) => rest, committedWith),
    /**
     * Finds the tokens that an older key encrypted, and encrypts them with the first key. The changes are not announced, so
     * that a process without this key can go on with the records that it has read. Only a process that polls may call this,
     * because other processes may not have the newest key. `lost` has the servers whose token no key can decrypt, each with the
     * id of the key that the token needs. `unread` is the number of malformed records.
     */
    async reencrypt() {
      const lost = new Map<string, string>();
      let [renewed, unread] = [0, 0];
      for await (const guild of all()) {
        if (guild === undefined) unread++;
        if (guild?.token === undefined || vault.isCurrent(guild.token.sealed)) continue;
        await setImmediate();
        try {
          await amend(guild.id, reencrypted, undefined, { announces: false });
          renewed++;
        } catch (error) {
          if (!(error instanceof VaultError)) throw error;
          lost.set(guild.id, keyIdIn(guild.token.sealed));
        }
      }
      return { renewed, lost, unread };
    },
    /**
     * Records when a server was first missing, and forgets that time when the server is back. Returns the servers that have
     * been missing for more than `keptMs`.
     */
    async reconcile(present: ReadonlySet<string>, keptMs: number): Promise<string[]> {
      const overdue = new Set<string>();
      for await (const guild of all()) {
        if (guild === undefined) continue;
        const marked = await mark(guild, present.has(guild.id));
        if (marked?.missingSince !== undefined && now() - marked.missingSince > keptMs) overdue.add(guild.id);
      }
      return [...overdue];
    },
  };
}
