import { Redis, type RedisOptions } from "ioredis";
import type { Log } from "../basics/log.ts";

/** A Redis that does not answer for so long is as good as gone. */
const commandMs = 5_000;
/** A host that died closes nothing. BullMQ itself waits up to 10 s for an answer. */
const silentMs = 15_000;

/** A connection whose commands fail where Redis does not answer, and which says once that it is gone and once that it is back. */
export function connectRedis(url: string, log: Log, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    connectTimeout: commandMs,
    socketTimeout: silentMs,
    maxRetriesPerRequest: 1,
    ...options,
  });
  let isGone = false;
  redis.on("error", (error: unknown) => {
    if (!isGone) log.warn({ err: error }, "the queue's Redis cannot be reached; it is tried again");
    isGone = true;
  });
  redis.on("ready", () => {
    if (isGone) log.info({}, "the queue's Redis answers again");
    isGone = false;
  });
  return redis;
}
