import { SimpleShardingStrategy, type WebSocketManager, type WebSocketShard } from "@discordjs/ws";

/**
 * Methods that a shard of `@discordjs/ws` 2.0.4 calls without handling their rejections. They reject in four cases: a
 * message is malformed, the gateway's address is invalid, a heartbeat comes before the connection is open, or a session
 * is over. In the last case the shard closes twice and connects twice ("Tried to connect a shard that wasn't idle").
 */
const inBackground = ["internalConnect", "onMessage", "onClose", "heartbeat", "destroy"] as const;

/** The shards of this process. A rejection in the background is passed to `failed` instead of ending the process. */
export class GuardedSharding extends SimpleShardingStrategy {
  private readonly failed: (error: unknown, shardId: number) => void;

  constructor(manager: WebSocketManager, failed: (error: unknown, shardId: number) => void) {
    super(manager);
    this.failed = failed;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    const shards: ReadonlyMap<number, WebSocketShard> = Reflect.get(this, "shards");
    for (const shard of shards.values()) this.guard(shard);
  }

  private guard(shard: WebSocketShard): void {
    for (const name of inBackground) {
      const run: unknown = Reflect.get(shard, name);
      if (typeof run !== "function") throw new Error(`@discordjs/ws has another shard: it has no ${name}`);
      Reflect.set(shard, name, async (...args: unknown[]) => {
        try {
          await Reflect.apply(run, shard, args);
        } catch (error) {
          this.failed(error, shard.id);
        }
      });
    }
  }
}
