import type { GatewayGuildCreateDispatchData } from "@discordjs/core";

/** The servers of one shard, as far as this process knows them. */
interface ShardGuilds {
  /** All of them; undefined unless a session began in this process. */
  readonly present: Set<string> | undefined;
  /** Those that are no news. */
  readonly seen: Set<string>;
  /** Epoch ms. An earlier process heard of the servers that joined before. */
  readonly since: number;
}

/**
 * Clocks of Discord and of this machine may differ by so much. A server that is taken for a new one within it is not
 * greeted again, because the greeter remembers it.
 */
const marginMs = 60 * 60_000;

/** Tells servers that invited the bot just now from those that only came back into reach; keeps nothing but ids. */
export interface KnownGuilds {
  /** A session has begun with these servers. */
  began(shardId: number, ids: readonly string[]): void;
  /** A session of an earlier process is resumed, in which the last event came at `heardAt`, epoch ms. */
  resumed(shardId: number, heardAt: number): void;
  /** Whether the server invited the bot just now. */
  join(shardId: number, guild: Pick<GatewayGuildCreateDispatchData, "id" | "joined_at">): boolean;
  leave(shardId: number, guildId: string): void;
  /** All servers that the bot is in; undefined unless all of so many shards began their sessions in this process. */
  all(shardCount: number): ReadonlySet<string> | undefined;
}

export function createKnownGuilds(): KnownGuilds {
  const shards = new Map<number, ShardGuilds>();
  return {
    began(shardId, ids) {
      // Servers that joined since an earlier process or session are in these ids, too, and are new.
      const { seen = new Set(ids), since = Number.NEGATIVE_INFINITY } = shards.get(shardId) ?? {};
      shards.set(shardId, { present: new Set(ids), seen, since });
    },
    resumed(shardId, heardAt) {
      shards.set(shardId, { present: undefined, seen: new Set(), since: heardAt - marginMs });
    },
    join(shardId, { id, joined_at: joinedAt }) {
      const shard = shards.get(shardId);
      if (shard === undefined) return false;
      const isNew = !shard.seen.has(id) && !(Date.parse(joinedAt) < shard.since);
      shard.seen.add(id);
      shard.present?.add(id);
      return isNew;
    },
    leave(shardId, guildId) {
      shards.get(shardId)?.seen.delete(guildId);
      shards.get(shardId)?.present?.delete(guildId);
    },
    all(shardCount) {
      const whole = [...shards.values()].flatMap(({ present }) => (present === undefined ? [] : [present]));
      return whole.length < shardCount ? undefined : new Set(whole.flatMap((ids) => [...ids]));
    },
  };
}
