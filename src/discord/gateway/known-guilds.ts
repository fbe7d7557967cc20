import type { GatewayGuildCreateDispatchData } from "@discordjs/core";

interface ShardGuilds {
  /**
   * All servers of the shard. Undefined if the session was resumed: then this process never received the whole list.
   */
  readonly present: Set<string> | undefined;
  /** Servers that this bot has seen before. */
  readonly seen: Set<string>;
  /** Epoch ms. Servers that joined before this time were announced to an earlier process. */
  readonly since: number;
}

/**
 * Tolerance for the difference between Discord's clock and this machine's. Because of it, a known server may count as
 * new. It is not greeted again, because the greeter remembers the servers it greeted.
 */
const marginMs = 60 * 60_000;

/** Distinguishes servers that just invited the bot from servers that became available again. Keeps only ids. */
export interface KnownGuilds {
  /** A new session began; `ids` are all servers of the shard. */
  began(shardId: number, ids: readonly string[]): void;
  /** A session of an earlier process was resumed. Its last event came at `heardAt`, epoch ms. */
  resumed(shardId: number, heardAt: number): void;
  /** Adds a server. Returns whether the server has just invited the bot. */
  join(shardId: number, guild: Pick<GatewayGuildCreateDispatchData, "id" | "joined_at">): boolean;
  leave(shardId: number, guildId: string): void;
  /** All servers that the bot is in; undefined unless all `shardCount` shards began their sessions in this process. */
  all(shardCount: number): ReadonlySet<string> | undefined;
}

/** Makes a memory of the servers of all shards in this process. */
export function createKnownGuilds(): KnownGuilds {
  const shards = new Map<number, ShardGuilds>();
  return {
    began(shardId, ids) {
      // `ids` also has the servers that joined since the last session. Those are new.
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
