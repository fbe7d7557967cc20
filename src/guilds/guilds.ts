import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { createKeyedMutex } from "../basics/mutex.ts";
import { absent, type Step, type Storage, type TableShape } from "../storage/table.ts";
import { type Guild, guildSchema, newGuild } from "./guild.ts";
import { type Vault, VaultError } from "./vault.ts";

export type { Guild } from "./guild.ts";

/** Committed with a change of a record, so that the process that polls the server hears of it. */
export interface Announcement {
  readonly steps: readonly Step[];
  /** To be called after the commit. */
  done(): void;
}

/** Gives what is committed with this record, which may be more than once: where the commit is refused, both are made again. */
export type CommittedWith = (next: Guild) => Promise<readonly Step[]>;

interface GuildsDeps {
  readonly storage: Storage;
  readonly vault: Vault;
  /** What is committed with each change of a server's record; nothing where no process polls it. */
  readonly announcementOf?: ((guildId: string) => Promise<Announcement>) | undefined;
  /** Epoch ms. */
  readonly now?: () => number;
}

/** How long a server that the bot does not find itself in is kept: an outage of Discord looks the same. */
const keptMissingMs = 7 * 24 * 60 * 60 * 1_000;
const lastCharacters = 4;
/** Records read before the event loop turns: 100 take about 2 ms. */
const sliceSize = 100;

/** A record, or why it is none: one that is malformed must not keep those of other servers from being read. */
type Kept = Guild | z.ZodError;
const keptSchema = z.unknown().transform((value): Kept => {
  const { success, data, error } = guildSchema.safeParse(value);
  return success ? data : error;
});

/** By the ids of servers. */
export const guildsTable: TableShape<Kept> = { name: "guilds", schema: keptSchema, version: 1 };

/** A record that is kept for a server is not what it must be. It is not replaced by defaults. */
export class GuildError extends Error {
  readonly code = "malformed";
  readonly guildId: string;

  constructor(guildId: string, cause: unknown) {
    super(`the record of server ${guildId} is malformed`, { cause });
    this.name = "GuildError";
    this.guildId = guildId;
  }
}

/** What became of the tokens that were not sealed with the first key. */
export interface Resealed {
  /** How many are now. */
  readonly renewed: number;
  /** Ids of servers whose token no key opens. */
  readonly lost: readonly string[];
  /** How many records are malformed, so that it is unknown what is in them. */
  readonly unread: number;
}

/**
 * What is kept for each Discord server. Every method throws a `StorageError` when the store fails and a
 * {@link GuildError} for a broken record.
 */
export interface Guilds {
  /** The defaults when nothing is kept. */
  get(id: string): Promise<Guild>;
  /** Undefined when nothing is kept. */
  find(id: string): Promise<Guild | undefined>;
  /** Keeps what `change` makes of the record and returns it. Changes of one server happen one after another. */
  update(id: string, change: (guild: Guild) => Guild, committedWith?: CommittedWith): Promise<Guild>;
  /** Keeps the API token, encrypted, in place of any other, and what `change` makes of the record with it. */
  connect(id: string, token: string, change?: (guild: Guild) => Guild, committedWith?: CommittedWith): Promise<Guild>;
  /** The API token. Throws a `VaultError` when no key opens it. */
  tokenOf(guild: Guild): string | undefined;
  /** Removes the API token, and the settings of alerts and digests, which need it. */
  disconnect(id: string, committedWith?: CommittedWith): Promise<Guild>;
  /** Deletes the record of a server without a token: one that has a token was connected again meanwhile, and stays. */
  remove(id: string): Promise<void>;
  /** Calls `listener` after each change of a record by this process. */
  onChange(listener: (id: string) => void): void;
  /**
   * Seals every token again that an older key sealed, one record at a time, so that the older keys can be removed
   * afterwards. Only for the process that polls: another one may have a first key that the one that polls does not know.
   */
  reseal(): Promise<Resealed>;
  /**
   * Compares with the servers that the bot is in: marks those that are missing, unmarks those that are back, and
   * returns the ids that have been missing for more than 7 days, and those of the others whose alerts or digests are on.
   */
  reconcile(present: ReadonlySet<string>): Promise<{ overdue: string[]; polled: string[] }>;
}

/** The records as they stand in the table, changed in turn. */
function createRecords({ storage, announcementOf }: GuildsDeps) {
  const table = storage.table(guildsTable);
  const inTurn = createKeyedMutex();
  const listeners: ((id: string) => void)[] = [];

  const notify = (id: string) => {
    for (const listener of listeners) listener(id);
  };

  /** Commits what `change` makes of the record: the same one is not written again, and undefined removes it. */
  async function commit(
    id: string,
    change: (kept: Kept | undefined) => Guild | undefined,
    committedWith?: CommittedWith,
  ): Promise<Guild | undefined> {
    for (;;) {
      const [row = absent(id)] = await table.read([id]);
      const changed = change(row.value);
      if (changed === row.value) return changed;
      const others = (changed && (await committedWith?.(changed))) ?? [];
      const announcement = await announcementOf?.(id);
      const step = changed === undefined ? table.remove(row) : table.put(row, changed);
      try {
        if (!(await storage.commit([step, ...others, ...(announcement?.steps ?? [])]))) continue;
      } catch (error) {
        // It may have happened all the same.
        notify(id);
        throw error;
      }
      announcement?.done();
      notify(id);
      return changed;
    }
  }

  const sound = (id: string, kept: Kept): Guild => {
    if (kept instanceof z.ZodError) throw new GuildError(id, kept);
    if (kept.id !== id) throw new GuildError(id, new Error("it is another server's"));
    return kept;
  };

  const find = async (id: string): Promise<Guild | undefined> => {
    const kept = await table.get(id);
    return kept && sound(id, kept);
  };

  const update = (id: string, change: (guild: Guild) => Guild, committedWith?: CommittedWith): Promise<Guild> =>
    inTurn(id, async () => {
      const make = (kept: Kept | undefined) =>
        sound(id, keptSchema.parse(change(kept ? sound(id, kept) : newGuild(id))));
      return (await commit(id, make, committedWith)) ?? newGuild(id);
    });

  /** As `update`, but a record that was removed is not made again, and one that does not change is not written. */
  const amend = (id: string, change: (guild: Guild) => Guild): Promise<Guild> =>
    inTurn(id, async () => (await commit(id, (kept) => kept && change(sound(id, kept)))) ?? newGuild(id));

  const remove = async (id: string): Promise<void> => {
    const withToken = (kept: Kept | undefined) => (kept && "token" in kept && kept.token ? kept : undefined);
    await inTurn(id, () => commit(id, withToken));
  };

  /** Every record that can be read, and undefined for each that cannot; the event loop turns now and then. */
  async function* all(): AsyncGenerator<Guild | undefined> {
    let read = 0;
    for await (const [id, kept] of table.entries()) {
      if (++read % sliceSize === 0) await setImmediate();
      yield kept instanceof z.ZodError || kept.id !== id ? undefined : kept;
    }
  }

  return {
    find,
    update,
    amend,
    remove,
    all,
    onChange: (listener: (id: string) => void) => void listeners.push(listener),
  };
}

/** Records of servers in the table `guilds`; `vault` seals their tokens. */
export function createGuilds(deps: GuildsDeps): Guilds {
  const { vault, now = Date.now } = deps;
  const { find, update, amend, remove, all, onChange } = createRecords(deps);

  /** The record with its token sealed with the first key; the same one where it is. Throws a `VaultError`. */
  const resealed = (guild: Guild): Guild => {
    const { token } = guild;
    if (token === undefined || vault.isCurrent(token.sealed)) return guild;
    return { ...guild, token: { ...token, sealed: vault.seal(vault.open(token.sealed, guild.id), guild.id) } };
  };

  const mark = async (guild: Guild, isPresent: boolean): Promise<Guild> => {
    const { missingSince: since } = guild;
    // A clock that was ahead when the server was first missed must not keep its data for as long.
    if (isPresent ? since === undefined : since !== undefined && since <= now()) return guild;
    return amend(guild.id, ({ missingSince, ...rest }) =>
      isPresent ? rest : { ...rest, missingSince: Math.min(missingSince ?? now(), now()) },
    );
  };

  return {
    get: async (id) => (await find(id)) ?? newGuild(id),
    find,
    update,
    connect: (id, token, change = (guild) => guild, committedWith) =>
      update(
        id,
        ({ missingSince: _, ...guild }) => ({
          ...change(guild),
          token: { sealed: vault.seal(token, id), last4: token.slice(-lastCharacters), since: now() },
        }),
        committedWith,
      ),
    tokenOf: ({ id, token }) => token && vault.open(token.sealed, id),
    disconnect: (id, committedWith) =>
      update(id, ({ token: _t, alerts: _a, digest: _d, ...rest }) => rest, committedWith),
    remove,
    onChange,
    async reseal() {
      const lost: string[] = [];
      let [renewed, unread] = [0, 0];
      for await (const guild of all()) {
        if (guild === undefined) unread++;
        if (guild?.token === undefined || vault.isCurrent(guild.token.sealed)) continue;
        await setImmediate();
        try {
          await amend(guild.id, resealed);
          renewed++;
        } catch (error) {
          if (!(error instanceof VaultError)) throw error;
          lost.push(guild.id);
        }
      }
      return { renewed, lost, unread };
    },
    async reconcile(present) {
      const overdue = new Set<string>();
      const polled = new Set<string>();
      for await (const guild of all()) {
        // A malformed record stays until a person looks at it, and must not keep the others from being compared.
        if (guild === undefined) continue;
        const { id, missingSince } = await mark(guild, present.has(guild.id));
        if (missingSince !== undefined && now() - missingSince > keptMissingMs) overdue.add(id);
        else if (guild.alerts || guild.digest?.plan) polled.add(id);
      }
      return { overdue: [...overdue], polled: [...polled] };
    },
  };
}
