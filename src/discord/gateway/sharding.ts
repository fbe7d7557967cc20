import { SimpleShardingStrategy, type WebSocketManager, type WebSocketShard } from "@discordjs/ws";

/**
 * What a shard runs in the background, where nobody hears it throw. A heartbeat or an answer that meets a connection which
 * is not open yet throws ("WebSocket is not open: readyState 0"), so does a second attempt to connect while one is under
 * way ("Tried to connect a shard that wasn't idle"), an address that is none, and a message that is not what Discord sends.
 */
const inBackground = ["internalConnect", "onMessage", "onClose", "heartbeat", "destroy"] as const;

interface Hooks {
  failed(error: unknown, shardId: number): void;
  /** Awaited before each attempt to connect. Must not reject. */
  beforeConnect(shardId: number): Promise<void>;
}

/**
 * A session that is over makes a shard close twice, so it comes to connect twice, half a second later: two attempts that
 * pass each other would leave two connections. One attempt at a time gets as far as to say that it is under way.
 */
function oneAtATime(shard: WebSocketShard, { beforeConnect }: Hooks): () => Promise<boolean> {
  let isOpening = false;
  return async () => {
    if (isOpening) return false;
    isOpening = true;
    try {
      await beforeConnect(shard.id);
      return true;
    } finally {
      isOpening = false;
    }
  };
}

/** None of these faults is worth the process: the shard goes on, or falls silent, which the watchdog sees. */
function guard(shard: WebSocketShard, hooks: Hooks): void {
  const mayConnect = oneAtATime(shard, hooks);
  for (const name of inBackground) {
    const run: unknown = Reflect.get(shard, name);
    if (typeof run !== "function") throw new Error(`@discordjs/ws has another shard: it has no ${name}`);
    Reflect.set(shard, name, async (...args: unknown[]) => {
      try {
        if (name === "internalConnect" && !(await mayConnect())) return;
        await Reflect.apply(run, shard, args);
      } catch (error) {
        hooks.failed(error, shard.id);
      }
    });
  }
}

/** Shards of this process, of which no fault in the background is unheard of. */
class GuardedSharding extends SimpleShardingStrategy {
  readonly #hooks: Hooks;

  constructor(manager: WebSocketManager, hooks: Hooks) {
    super(manager);
    this.#hooks = hooks;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    const shards: ReadonlyMap<number, WebSocketShard> = Reflect.get(this, "shards");
    for (const shard of shards.values()) guard(shard, this.#hooks);
  }
}

/** For `buildStrategy` of a `WebSocketManager`. */
export const createSharding =
  (hooks: Hooks) =>
  (manager: WebSocketManager): SimpleShardingStrategy =>
    new GuardedSharding(manager, hooks);
