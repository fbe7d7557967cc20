import { setImmediate } from "node:timers/promises";
import type { Storage } from "../storage/table.ts";
import { type Guild, guildSchema, newGuild } from "./guild.ts";
import { type Vault, VaultError } from "./vault.ts";

export type { Guild } from "./guild.ts";

/** How long a server that the bot does not find itself in is kept: an outage of Discord looks the same. */
const KEPT_MISSING_MS = 7 * 24 * 60 * 60 * 1_000;
const LAST_CHARACTERS = 4;
/** Records looked at before the event loop turns: 100 take about 2 ms. */
const SLICE_SIZE = 100;

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
  /** How many records are not what they must be, so that nobody knows what is in them. */
  readonly unread: number;
}

/**
 * What is kept for each Discord server. Every method throws a `StorageError` when the store fails and a
 * {@link GuildError} for a broken record.
 */
export interface Guilds {
  /** The defaults when nothing is kept. A token that an older key sealed is sealed again with the first key. */
  get(id: string): Promise<Guild>;
  /** Keeps what `change` makes of the record and returns it. Changes of one server happen one after another. */
  update(id: string, change: (guild: Guild) => Guild): Promise<Guild>;
  /** Keeps the API token, encrypted, in place of any other, and what `change` makes of the record with it. */
  connect(id: string, token: string, change?: (guild: Guild) => Guild): Promise<Guild>;
  /** The API token. Throws a `VaultError` when no key opens it. */
  tokenOf(guild: Guild): string | undefined;
  /** Forgets the API token, and the alerts, which cannot work without it. */
  disconnect(id: string): Promise<Guild>;
  /** Every server of which something is kept. */
  ids(): Promise<string[]>;
  remove(id: string): Promise<void>;
  /** Calls `listener` after each change of a record by this process. */
  onChange(listener: (id: string) => void): void;
  /**
   * Seals every token anew that an older key sealed, one record at a time, between which the event loop turns: what was
   * sealed with the older keys can be thrown away with them afterwards.
   */
  reseal(): Promise<Resealed>;
  /**
   * Compares with the servers that the bot is in: marks those that are missing, unmarks those that are back, and
   * returns the ids that have been missing for more than 7 days, and those of which alerts are on.
   */
  reconcile(present: ReadonlySet<string>): Promise<{ overdue: string[]; alerting: string[] }>;
}

/**
 * Records of servers in the table `guilds`; `vault` seals their tokens, `now` gives epoch ms.
 *
 * @param deps `mayReseal` false: another process polls, which may not have the first key yet
 */
export function createGuilds(deps: {
  storage: Storage;
  vault: Vault;
  mayReseal?: () => boolean;
  now?: () => number;
}): Guilds {
  const { vault, mayReseal = () => true, now = Date.now } = deps;
  const table = deps.storage.table<unknown>("guilds");
  const turns = new Map<string, Promise<unknown>>();
  const listeners: ((id: string) => void)[] = [];
  const tell = (id: string) => {
    for (const listener of listeners) listener(id);
  };

  const inTurn = <Result>(id: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = (turns.get(id) ?? Promise.resolve()).then(work, work);
    turns.set(id, turn);
    const leave = () => {
      if (turns.get(id) === turn) turns.delete(id);
    };
    turn.then(leave, leave);
    return turn;
  };

  const validate = (id: string, value: unknown): Guild => {
    const { success, data, error } = guildSchema.safeParse(value);
    if (!success) throw new GuildError(id, error);
    if (data.id !== id) throw new GuildError(id, new Error("it is another server's"));
    return data;
  };

  const read = async (id: string): Promise<Guild> => {
    const value = await table.get(id);
    return value === undefined ? newGuild(id) : validate(id, value);
  };

  const update = (id: string, change: (guild: Guild) => Guild): Promise<Guild> =>
    inTurn(id, async () => {
      const changed = validate(id, change(await read(id)));
      await table.set(id, changed);
      tell(id);
      return changed;
    });

  /** As `update`, but what is not kept any more is not made again, and what does not change is not written. */
  const amend = (id: string, change: (guild: Guild) => Guild): Promise<Guild> =>
    inTurn(id, async () => {
      const value = await table.get(id);
      if (value === undefined) return newGuild(id);
      const before = validate(id, value);
      const changed = change(before);
      if (changed === before) return before;
      await table.set(id, changed);
      tell(id);
      return changed;
    });

  /** The record with its token sealed with the first key; the same one where it is. Throws a `VaultError`. */
  const resealed = (guild: Guild): Guild => {
    const { token } = guild;
    if (token === undefined || vault.isCurrent(token.sealed)) return guild;
    return { ...guild, token: { ...token, sealed: vault.seal(vault.open(token.sealed, guild.id), guild.id) } };
  };

  /** The record, sealed with the first key if it was not; undefined where no key opens its token. */
  const renew = async (guild: Guild): Promise<Guild | undefined> => {
    try {
      return resealed(guild) === guild ? guild : await amend(guild.id, resealed);
    } catch (error) {
      if (error instanceof VaultError) return undefined;
      throw error;
    }
  };

  /** Every record that can be read, and undefined for each that cannot; the event loop turns now and then. */
  async function* all(): AsyncGenerator<Guild | undefined> {
    let read = 0;
    for await (const [id, value] of table.entries()) {
      if (++read % SLICE_SIZE === 0) await setImmediate();
      const { data } = guildSchema.safeParse(value);
      yield data?.id === id ? data : undefined;
    }
  }

  const mark = async (guild: Guild, isPresent: boolean): Promise<Guild> => {
    const { missingSince: since } = guild;
    // A clock that was ahead when the server was first missed must not keep its data for as long.
    if (isPresent ? since === undefined : since !== undefined && since <= now()) return guild;
    return amend(guild.id, ({ missingSince, ...rest }) =>
      isPresent ? rest : { ...rest, missingSince: Math.min(missingSince ?? now(), now()) },
    );
  };

  return {
    async get(id) {
      const guild = await read(id);
      if (!mayReseal()) return guild;
      // Where no key opens the token, the settings stay readable: `tokenOf` tells whoever needs the token.
      return (await renew(guild)) ?? guild;
    },
    update,
    connect: (id, token, change = (guild) => guild) =>
      update(id, ({ missingSince: _, ...guild }) => ({
        ...change(guild),
        token: { sealed: vault.seal(token, id), last4: token.slice(-LAST_CHARACTERS), since: now() },
      })),
    tokenOf: ({ id, token }) => token && vault.open(token.sealed, id),
    disconnect: (id) => update(id, ({ token: _token, alerts: _alerts, ...rest }) => rest),
    async ids() {
      const found: string[] = [];
      for await (const [id] of table.entries()) found.push(id);
      return found;
    },
    remove: (id) =>
      inTurn(id, async () => {
        await table.delete(id);
        tell(id);
      }),
    onChange: (listener) => void listeners.push(listener),
    async reseal() {
      const older: Guild[] = [];
      let unread = 0;
      for await (const guild of all()) {
        if (guild === undefined) unread++;
        else if (guild.token !== undefined && !vault.isCurrent(guild.token.sealed)) older.push(guild);
      }
      const lost: string[] = [];
      for (const guild of older) {
        await setImmediate();
        if ((await renew(guild)) === undefined) lost.push(guild.id);
      }
      return { renewed: older.length - lost.length, lost, unread };
    },
    async reconcile(present) {
      const kept: Guild[] = [];
      // A broken record stays for somebody to look at, and must not keep the others from being compared.
      for await (const guild of all()) if (guild !== undefined) kept.push(guild);
      const overdue: string[] = [];
      for (const [index, guild] of kept.entries()) {
        if (index % SLICE_SIZE === SLICE_SIZE - 1) await setImmediate();
        const { id, missingSince } = await mark(guild, present.has(guild.id));
        if (missingSince !== undefined && now() - missingSince > KEPT_MISSING_MS) overdue.push(id);
      }
      return { overdue, alerting: kept.flatMap(({ id, alerts }) => (alerts ? [id] : [])) };
    },
  };
}
