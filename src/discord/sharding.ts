import { SimpleShardingStrategy, type WebSocketManager, type WebSocketShard } from "@discordjs/ws";

/**
 * What a shard runs in the background, where nobody hears it throw. A heartbeat or an answer that meets a connection which
 * is not open yet throws ("WebSocket is not open: readyState 0"), so does a second attempt to connect while one is under
 * way ("Tried to connect a shard that wasn't idle"), an address that is none, and a message that is not what Discord sends.
 */
const inBackground = ["internalConnect", "onMessage", "onClose", "heartbeat", "destroy"] as const;

type Failed = (error: unknown, shardId: number) => void;

/** None of these faults is worth the process: the shard goes on, or falls silent, which the watchdog sees. */
function guard(shard: WebSocketShard, failed: Failed): void {
  for (const name of inBackground) {
    const run: unknown = Reflect.get(shard, name);
    if (typeof run !== "function") throw new Error(`@discordjs/ws has another shard: it has no ${name}`);
    Reflect.set(shard, name, async (...args: unknown[]) => {
      try {
        await Reflect.apply(run, shard, args);
      } catch (error) {
        failed(error, shard.id);
      }
    });
  }
}

/** Shards of this process, of which no fault in the background is unheard of. */
class GuardedSharding extends SimpleShardingStrategy {
  readonly #failed: Failed;

  constructor(manager: WebSocketManager, failed: Failed) {
    super(manager);
    this.#failed = failed;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    const shards: ReadonlyMap<number, WebSocketShard> = Reflect.get(this, "shards");
    for (const shard of shards.values()) guard(shard, this.#failed);
  }
}

/** For `buildStrategy` of a `WebSocketManager`. */
export const createSharding =
  (failed: Failed) =>
  (manager: WebSocketManager): SimpleShardingStrategy =>
    new GuardedSharding(manager, failed);
