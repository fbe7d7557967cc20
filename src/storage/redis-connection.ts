import { Redis, type RedisOptions } from "ioredis";
import type { Log } from "../basics/log.ts";
import { storageTimeoutMs } from "./backend.ts";

const maxReconnectMs = 2_000;
/** A host that died closes nothing. BullMQ itself waits up to 10 s for an answer. */
const queueTimeoutMs = 15_000;

/** Logs once that it is gone, and once that it is back. */
function reportOutages(redis: Redis, name: string, log: Pick<Log, "warn"> & Partial<Pick<Log, "info">>): void {
  let isGone = false;
  redis.on("error", (error: unknown) => {
    if (!isGone) log.warn({ err: error }, `${name} cannot be reached; it is tried again`);
    isGone = true;
  });
  redis.on("ready", () => {
    if (isGone) log.info?.({}, `${name} answers again`);
    isGone = false;
  });
}

/** The queue's connection, as BullMQ needs it: what is asked while Redis is away waits for it, or fails after one attempt. */
export function connectQueueRedis(url: string, log: Log, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    connectTimeout: storageTimeoutMs,
    socketTimeout: queueTimeoutMs,
    maxRetriesPerRequest: 1,
    ...options,
  });
  reportOutages(redis, "the queue's Redis", log);
  return redis;
}

/** A connection on which a command fails at once while Redis is away, and within 5 s where it does not answer. Rejects where it cannot be opened. */
export async function openRedis(url: string, log: Pick<Log, "warn">): Promise<Redis> {
  let isOpen = false;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: storageTimeoutMs,
    socketTimeout: storageTimeoutMs,
    enableOfflineQueue: false,
    // A command whose connection was lost may have been done: it fails, and is not sent again.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Some hosts allow no INFO.
    enableReadyCheck: false,
    retryStrategy: (attempt) => (isOpen ? Math.min(50 * 2 ** attempt, maxReconnectMs) : null),
  });
  let reason: unknown;
  redis.on("error", (error: unknown) => {
    reason = error;
  });
  try {
    await redis.connect();
  } catch (error) {
    // What connect() rejects with says only that the connection was closed.
    throw reason ?? error;
  }
  isOpen = true;
  reportOutages(redis, "the storage's Redis", log);
  return redis;
}

/** Ends a connection, after the commands that it waits for. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === "ready") await redis.quit();
  else redis.disconnect();
}

export interface RedisInspection {
  /** undefined where it does not say */
  readonly version: string | undefined;
  readonly isReplica: boolean;
  /** How it throws entries away when its memory is full (`maxmemory-policy`); undefined where it throws none away. */
  readonly evictionPolicy: string | undefined;
}

/** What a server says of itself. */
export function parseRedisInfo(info: string): RedisInspection {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const policy = field("maxmemory") === "0" ? "noeviction" : (field("maxmemory_policy") ?? "noeviction");
  return {
    version: field("redis_version"),
    isReplica: field("role") === "slave",
    evictionPolicy: policy === "noeviction" ? undefined : policy,
  };
}

/** One connection, one command, nothing changed. Rejects with the reason where the server cannot be used. */
export async function inspectRedis(url: string): Promise<RedisInspection> {
  const redis = await openRedis(url, { warn: () => undefined });
  try {
    return parseRedisInfo(await redis.info());
  } finally {
    redis.disconnect();
  }
}
