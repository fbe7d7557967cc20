import { type WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import type { Health } from "../../basics/health.ts";
import type { Metrics } from "../../basics/metrics.ts";

/** Discord's usual heartbeat interval. */
const heartbeatMs = 41_250;
/**
 * A shard may be silent for two heartbeats. If Discord does not answer the first heartbeat, the shard notices this at the
 * second heartbeat. Within this time, most lost connections are resumed.
 */
const silentMs = 2 * heartbeatMs;
/** The watchdog ends the process after this silence. It is long, because Discord may name a longer heartbeat interval. */
const longestSilenceMs = 5 * 60_000;

interface ShardState {
  /** Number of events of any kind: answered heartbeats, dispatches, attempts to connect. */
  beats: number;
  isConnected: boolean;
  /** Monotonic ms. */
  lostAt: number;
}

/** A shard that lost its connection still counts as ready for two heartbeats. */
export function createShardHealth(manager: WebSocketManager, metrics: Metrics): Health {
  const shards = new Map<number, ShardState>();

  function stateOf(shardId: number): ShardState {
    const known = shards.get(shardId);
    if (known) return known;
    const state = { beats: 0, isConnected: false, lostAt: Number.NEGATIVE_INFINITY };
    shards.set(shardId, state);
    metrics.shardConnected(shardId, false);
    return state;
  }

  function setConnected(shardId: number, isConnected: boolean) {
    const state = stateOf(shardId);
    if (state.isConnected === isConnected) return;
    state.isConnected = isConnected;
    if (!isConnected) state.lostAt = performance.now();
    metrics.shardConnected(shardId, isConnected);
  }

  for (const event of Object.values(WebSocketShardEvents)) {
    // The last argument of every event is the shard's id.
    manager.on(event, (...args: unknown[]) => {
      stateOf(Number(args.at(-1))).beats++;
    });
  }
  manager.on(WebSocketShardEvents.Ready, (_, shardId) => setConnected(shardId, true));
  manager.on(WebSocketShardEvents.Resumed, (shardId) => setConnected(shardId, true));
  manager.on(WebSocketShardEvents.Closed, (_, shardId) => setConnected(shardId, false));

  return {
    notReady() {
      const isLost = ({ isConnected, lostAt }: ShardState) => !isConnected && performance.now() - lostAt > silentMs;
      const lost = [...shards].flatMap(([id, state]) => (isLost(state) ? [id] : []));
      if (shards.size > 0 && lost.length === 0) return undefined;
      return lost.length > 0 ? `gateway: shard ${lost.join(", ")} is not connected` : "gateway: not connected";
    },
    heartbeats: () => [...shards].map(([id, { beats }]) => ({ name: `gateway shard ${id}`, beats, longestSilenceMs })),
  };
}
