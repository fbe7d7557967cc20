import type { Log } from "../basics/log.ts";
import type { Backend } from "./backend.ts";
import { closeRedis, openRedis, parseRedisInfo } from "./redis-connection.ts";
import { allEntries, commitSteps, moveIntoHashes, RedisTable, sweepExpired } from "./redis-table.ts";

/** Maximum time for which expired entries stay in memory. */
const sweepEveryMs = 60_000;

/** Opens the tables in one Redis database (`redis://` or `rediss://`). */
export async function openRedisBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const redis = await openRedis(url, log);
  const sweep = () =>
    sweepExpired(redis).catch((error: unknown) => log.warn({ err: error }, "what has expired could not be removed"));
  void sweep();
  const timer = setInterval(sweep, sweepEveryMs).unref();

  return {
    tableStore: (name) => new RedisTable(redis, name),
    commit: (steps) => commitSteps(redis, steps),
    rawEntries: () => allEntries(redis),
    moveToHashes: () => moveIntoHashes(redis),
    async problem() {
      // Some hosts do not allow INFO.
      const { isReplica, evictionPolicy } = parseRedisInfo(await redis.info().catch(() => ""));
      if (isReplica) return "this Redis is a replica, which takes no writes";
      return evictionPolicy === undefined
        ? undefined
        : `this Redis throws entries away when its memory is full (maxmemory-policy ${evictionPolicy})`;
    },
    close() {
      clearInterval(timer);
      return closeRedis(redis);
    },
  };
}
