import { createClient } from "@redis/client";
import type { Log } from "../basics/log.ts";
import { type Backend, storageTimeoutMs } from "./backend.ts";
import { hashPattern, RedisHashTable, sweepHashes, tableOfHash } from "./redis-hash-table.ts";
import { everyOwnKey, hasOwnKeys, moveOwnKeys, RedisKeyTable } from "./redis-key-table.ts";
import { commitPlaces, sliceSize } from "./redis-table.ts";

/** How long what has ended stays at most. */
const sweepEveryMs = 60_000;
const longestReconnectMs = 2_000;

async function connect(url: string, log: Pick<Log, "warn">) {
  let opened = false;
  const client = createClient({
    url,
    // A command that cannot be sent now fails now, and one that is not answered fails when the socket times out; the
    // pings keep a healthy socket from doing so.
    disableOfflineQueue: true,
    pingInterval: storageTimeoutMs / 5,
    socket: {
      connectTimeout: storageTimeoutMs,
      socketTimeout: storageTimeoutMs,
      reconnectStrategy: (attempt) => opened && Math.min(50 * 2 ** attempt, longestReconnectMs),
    },
  });
  client.on("error", (error: unknown) => log.warn({ err: error }, "redis reported an error"));
  await client.connect();
  opened = true;
  return client;
}

/**
 * Tables in one Redis database (`redis://` or `rediss://`): each is a hash, `shopbell/<table>`. The few entries of three are
 * keys of their own, `shopbell:<table>/<key>`.
 */
export async function openRedisBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const client = await connect(url, log);
  const sweep = () =>
    sweepHashes(client).catch((error: unknown) => log.warn({ err: error }, "what has expired could not be removed"));
  void sweep();
  const timer = setInterval(sweep, sweepEveryMs).unref();

  const tableStore = (name: string) =>
    hasOwnKeys(name) ? new RedisKeyTable(client, name) : new RedisHashTable(client, name);

  return {
    tableStore,
    commit: (steps) =>
      commitPlaces(
        client,
        steps.map((step) => ({ ...step, ...tableStore(step.table).place(step.key) })),
      ),
    async *rawEntries() {
      yield* everyOwnKey(client);
      for await (const names of client.scanIterator({ MATCH: hashPattern, COUNT: sliceSize, TYPE: "hash" })) {
        for (const table of names.map(tableOfHash)) {
          for await (const page of new RedisHashTable(client, table).pages()) {
            yield page.map(([key, raw]) => ({ table, key, raw }));
          }
        }
      }
    },
    moveToHashes: () => moveOwnKeys(client),
    async problem() {
      // Some hosts allow no INFO.
      const said = await client.info().catch(() => "");
      const found = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(said)?.[1];
      if (found("role") === "slave") return "this Redis is a replica, which takes no writes";
      const policy = found("maxmemory_policy") ?? "noeviction";
      if (found("maxmemory") !== "0" && policy !== "noeviction")
        return `this Redis throws entries away when its memory is full (maxmemory-policy ${policy})`;
      return undefined;
    },
    async close() {
      clearInterval(timer);
      if (client.isReady) await client.close();
      else if (client.isOpen) client.destroy();
    },
  };
}
