import { Redis, type RedisOptions } from "ioredis";
import type { Log } from "../basics/log.ts";
import { storageTimeoutMs } from "./backend.ts";

const maxReconnectMs = 2_000;
/** The wait for an answer. A host that died does not close its connections. BullMQ itself waits up to 10 s for an answer. */
const queueTimeoutMs = 15_000;

/** Logs one line when Redis is lost, and one when it answers again. */
function reportOutages(redis: Redis, name: string, log: Pick<Log, "warn"> & Partial<Pick<Log, "info">>): void {
  let isGone = false;
  redis.on("error", (error: unknown) => {
    if (!isGone) log.warn({ err: error }, `${name} cannot be reached; trying again`);
    isGone = true;
  });
  redis.on("ready", () => {
    if (isGone) log.info?.({}, `${name} answers again`);
    isGone = false;
  });
}

/** Opens the connection of the queue. While Redis is away, a command waits, or fails after one attempt, as `options` say. */
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

/**
 * Opens a connection for the storage. Its commands fail at once while Redis is away, and within 5 s if Redis does not answer.
 * Rejects if the connection cannot be opened.
 */
export async function openRedis(url: string, log: Pick<Log, "warn">): Promise<Redis> {
  let isOpen = false;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: storageTimeoutMs,
    socketTimeout: storageTimeoutMs,
    enableOfflineQueue: false,
    // If the connection is lost, the command may have been executed. So it fails and is not sent again.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Some hosts do not allow INFO.
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
    // The error of `connect()` only says that the connection was closed. `reason` says why.
    throw reason ?? error;
  }
  isOpen = true;
  reportOutages(redis, "the storage's Redis", log);
  return redis;
}

/** Closes a connection after its pending commands. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === "ready") await redis.quit();
  else redis.disconnect();
}

export interface RedisInspection {
  /** Undefined if the server does not report it. */
  readonly version: string | undefined;
  readonly isReplica: boolean;
  /** How the server deletes entries when its memory is full (`maxmemory-policy`). Undefined if it deletes none. */
  readonly evictionPolicy: string | undefined;
}

export function parseRedisInfo(info: string): RedisInspection {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const policy = field("maxmemory") === "0" ? "noeviction" : (field("maxmemory_policy") ?? "noeviction");
  return {
    version: field("redis_version"),
    isReplica: field("role") === "slave",
    evictionPolicy: policy === "noeviction" ? undefined : policy,
  };
}

/** Inspects a Redis with one connection and one command, and changes nothing. Rejects with the reason if the server cannot be used. */
export async function inspectRedis(url: string): Promise<RedisInspection> {
  const redis = await openRedis(url, { warn: () => undefined });
  try {
    return parseRedisInfo(await redis.info());
  } finally {
    redis.disconnect();
  }
}
