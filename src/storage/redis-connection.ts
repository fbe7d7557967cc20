import { Redis, type RedisOptions } from "ioredis";
import type { Log } from "../basics/log.ts";
import { storageTimeoutMs } from "./backend.ts";

const maxReconnectMs = 2_000;
/** A command of BullMQ may let Redis wait for 10 s. */
const queueTimeoutMs = 15_000;

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

/**
 * After a failover, an open connection may lead to the former primary. A new connection leads to the new primary. Before Redis
 * 7.0, READONLY may be in the middle of an error message.
 */
const reconnectOnError = ({ message }: Error) => message.includes("READONLY");

/** If the connection is lost, a command fails after one attempt to connect again. `options` can change this. */
export function connectQueueRedis(url: string, log: Log, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    connectTimeout: storageTimeoutMs,
    socketTimeout: queueTimeoutMs,
    maxRetriesPerRequest: 1,
    reconnectOnError,
    ...options,
  });
  reportOutages(redis, "the queue's Redis", log);
  return redis;
}

/** Without a connection, commands fail immediately; without an answer, within 5 s. Rejects if it cannot connect. */
export async function openRedis(url: string, log: Pick<Log, "warn">): Promise<Redis> {
  let isOpen = false;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: storageTimeoutMs,
    socketTimeout: storageTimeoutMs,
    enableOfflineQueue: false,
    // If the connection is lost during a command, Redis may have executed it. So the command fails, and is not sent again.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    reconnectOnError,
    // The ready check uses INFO, which some hosts do not allow.
    enableReadyCheck: false,
    retryStrategy: (attempt) => (isOpen ? Math.min(50 * 2 ** attempt, maxReconnectMs) : null),
  });
  let reason: unknown;
  redis.on("error", (error: unknown) => {
    reason = error;
  });
  try {
    await redis.connect();
    // If Redis refuses the number of the database, `connect()` does not fail, and the client works with database 0.
    if (redis.options.db) await redis.select(redis.options.db);
  } catch (error) {
    redis.disconnect();
    // The error of `connect()` only says that the connection was closed.
    throw reason ?? error;
  }
  isOpen = true;
  reportOutages(redis, "the storage's Redis", log);
  return redis;
}

export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === "ready") await redis.quit();
  else redis.disconnect();
}

/** While Redis cannot write a snapshot or its log, it refuses writes and PING (MISCONF). */
const isUnsaved = (redis: Redis) =>
  redis.ping().then(
    () => false,
    (error: unknown) => String(error).includes("MISCONF"),
  );

/**
 * @param info what INFO says; empty if the host does not allow it
 * @returns `evictionPolicy`: how Redis chooses entries to delete when its memory is full; undefined if it deletes none
 */
export async function inspectRedis(redis: Redis, info: string) {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const policy = field("maxmemory") === "0" ? "noeviction" : (field("maxmemory_policy") ?? "noeviction");
  return {
    version: field("redis_version"),
    isReplica: field("role") === "slave",
    /** Whether a crash of Redis loses what was written since the last snapshot. */
    isForgetful: field("aof_enabled") === "0",
    isUnsaved: await isUnsaved(redis),
    isFull: Number(field("maxmemory")) > 0 && Number(field("used_memory")) >= Number(field("maxmemory")),
    evictionPolicy: policy === "noeviction" ? undefined : policy,
  };
}

/** Returns why the bot should not use this Redis, with the remedy: `reason; remedy`. */
export function redisProblem(
  { isReplica, isUnsaved, evictionPolicy, isFull }: Awaited<ReturnType<typeof inspectRedis>>,
  variable: "STORAGE_URL" | "QUEUE_URL",
): string | undefined {
  if (isReplica) return `this Redis is a replica, which takes no writes; name its primary in ${variable}`;
  if (isUnsaved) {
    return "this Redis could not save its data, so it takes no writes; see its log: its disk may be full, or it may lack memory for a snapshot";
  }
  if (evictionPolicy !== undefined) {
    return `this Redis throws entries away when its memory is full; set maxmemory-policy to noeviction there, in place of ${evictionPolicy}`;
  }
  return isFull ? "the memory of this Redis is full, so it takes no writes; raise maxmemory there" : undefined;
}

/** Rejects with the reason if this Redis cannot be used. */
export async function inspectRedisAt(url: string) {
  const redis = await openRedis(url, { warn: () => undefined });
  try {
    return await inspectRedis(redis, await redis.info());
  } finally {
    redis.disconnect();
  }
}
