import type { Storage } from "../storage/table.ts";
import { type Guild, guildSchema, newGuild } from "./guild.ts";
import type { Vault } from "./vault.ts";

export type { Guild } from "./guild.ts";

/** How long a server that the bot does not find itself in is kept: an outage of Discord looks the same. */
const KEPT_MISSING_MS = 7 * 24 * 60 * 60 * 1_000;
const LAST_CHARACTERS = 4;

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
   * Compares with the servers that the bot is in: marks those that are missing, unmarks those that are back, and
   * returns the ids that have been missing for more than 7 days, and those of which alerts are on. Tokens that an older key
   * sealed are sealed again.
   */
  reconcile(present: ReadonlySet<string>): Promise<{ overdue: string[]; alerting: string[] }>;
}

/** Records of servers in the table `guilds`; `vault` seals their tokens, `now` gives epoch ms. */
export function createGuilds(deps: { storage: Storage; vault: Vault; now?: () => number }): Guilds {
  const { vault, now = Date.now } = deps;
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

  const reseal = (guild: Guild): Guild => {
    const { token } = guild;
    if (token === undefined || vault.isCurrent(token.sealed)) return guild;
    return { ...guild, token: { ...token, sealed: vault.seal(vault.open(token.sealed, guild.id), guild.id) } };
  };

  const canBeResealed = ({ id, token }: Guild): boolean => {
    if (token === undefined || vault.isCurrent(token.sealed)) return false;
    try {
      vault.open(token.sealed, id);
      return true;
    } catch {
      // No key opens it: `tokenOf` says so to whoever needs the token, and the settings stay readable.
      return false;
    }
  };

  const mark = async (guild: Guild, isPresent: boolean): Promise<Guild> => {
    if (isPresent === (guild.missingSince === undefined)) return guild;
    return update(guild.id, ({ missingSince, ...rest }) =>
      isPresent ? rest : { ...rest, missingSince: missingSince ?? now() },
    );
  };

  return {
    async get(id) {
      const guild = await read(id);
      return canBeResealed(guild) ? update(id, reseal) : guild;
    },
    update,
    connect: (id, token, change = (guild) => guild) =>
      update(id, (guild) => ({
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
    async reconcile(present) {
      const kept: Guild[] = [];
      for await (const [id, value] of table.entries()) {
        const { data } = guildSchema.safeParse(value);
        // A broken record stays for somebody to look at, and must not keep the others from being compared.
        if (data?.id === id) kept.push(data);
      }
      const overdue: string[] = [];
      for (const guild of kept) {
        if (canBeResealed(guild)) await update(guild.id, reseal);
        const { id, missingSince } = await mark(guild, present.has(guild.id));
        if (missingSince !== undefined && now() - missingSince > KEPT_MISSING_MS) overdue.push(id);
      }
      return { overdue, alerting: kept.flatMap(({ id, alerts }) => (alerts ? [id] : [])) };
    },
  };
}
