import { type WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import type { Health } from "../../basics/health.ts";
import type { Metrics } from "../../basics/metrics.ts";

/** What Discord has asked for since years. Another interval is learned when it is said. */
const usualHeartbeatMs = 41_250;
/** Of silence: a heartbeat, and another one where the first is not answered; then a moment for the line. */
const silentHeartbeats = 2;
const momentMs = 30_000;
/** The package tells the interval nowhere else but in what it says for debugging. */
const heartbeatSaid = /\b(?:waiting|beat every) (\d+)ms/;

interface Signs {
  /** Of whatever kind: heartbeats answered, events, attempts to connect. */
  beats: number;
  heartbeatMs: number;
  isConnected: boolean;
  /** When the connection was lost, monotonic ms. */
  lostAt: number;
}

/**
 * Hears the signs of life of a manager's shards. Every shard that was heard of once is expected to go on for ever; one
 * that has lost its connection counts as ready for two heartbeats, in which most of them resume.
 */
export function createShardSigns(
  manager: WebSocketManager,
  metrics: Metrics,
  monotonic = () => performance.now(),
): Health {
  const shards = new Map<number, Signs>();

  function of(shardId: number): Signs {
    const known = shards.get(shardId);
    if (known) return known;
    const signs = {
      beats: 0,
      heartbeatMs: usualHeartbeatMs,
      isConnected: false,
      lostAt: Number.NEGATIVE_INFINITY,
    };
    shards.set(shardId, signs);
    metrics.shardConnected(shardId, false);
    return signs;
  }

  function sign(shardId: number, isConnected?: boolean) {
    const signs = of(shardId);
    signs.beats++;
    if (isConnected === undefined || signs.isConnected === isConnected) return;
    signs.isConnected = isConnected;
    if (!isConnected) signs.lostAt = monotonic();
    metrics.shardConnected(shardId, isConnected);
  }

  manager.on(WebSocketShardEvents.Debug, (said, shardId) => {
    const heartbeatMs = Number(heartbeatSaid.exec(said)?.[1] ?? 0);
    sign(shardId);
    const signs = of(shardId);
    signs.heartbeatMs = Math.max(signs.heartbeatMs, heartbeatMs);
  });
  manager.on(WebSocketShardEvents.HeartbeatComplete, (_, shardId) => sign(shardId));
  manager.on(WebSocketShardEvents.Dispatch, (_, shardId) => sign(shardId));
  manager.on(WebSocketShardEvents.Ready, (_, shardId) => sign(shardId, true));
  manager.on(WebSocketShardEvents.Resumed, (shardId) => sign(shardId, true));
  manager.on(WebSocketShardEvents.Closed, (_, shardId) => sign(shardId, false));

  return {
    notReady() {
      const isLost = ({ isConnected, lostAt, heartbeatMs }: Signs) =>
        !isConnected && monotonic() - lostAt > silentHeartbeats * heartbeatMs;
      const lost = [...shards].flatMap(([id, signs]) => (isLost(signs) ? [id] : []));
      if (shards.size > 0 && lost.length === 0) return undefined;
      return lost.length > 0 ? `gateway: shard ${lost.join(", ")} is not connected` : "gateway: not connected";
    },
    heartbeats: () =>
      [...shards].map(([id, { beats, heartbeatMs }]) => ({
        name: `gateway shard ${id}`,
        beats,
        longestSilenceMs: silentHeartbeats * heartbeatMs + momentMs,
      })),
  };
}
