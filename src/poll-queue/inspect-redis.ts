import { Redis } from "ioredis";

/** A Redis on which a queue is to rest. */
export interface RedisInspection {
  readonly version: string;
  /** Whether it throws entries away when its memory is full. */
  readonly evicts: boolean;
}

const deadlineMs = 5_000;

/** One connection, one command, nothing changed. Rejects with what hinders it. */
export async function inspectRedis(url: string): Promise<RedisInspection> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: deadlineMs,
    commandTimeout: deadlineMs,
    retryStrategy: () => null,
  });
  let failure: unknown;
  redis.on("error", (error: unknown) => {
    failure = error;
  });
  try {
    await redis.connect();
    const info = await redis.info();
    const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "unknown";
    return { version: field("redis_version"), evicts: field("maxmemory_policy") !== "noeviction" };
  } catch (error) {
    throw failure ?? error;
  } finally {
    redis.disconnect();
  }
}
