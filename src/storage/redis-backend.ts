import KeyvRedis, { createClient } from "@keyv/redis";
import type { Log } from "../basics/log.ts";
import { type Backend, patienceMs } from "./backend.ts";
import { strictView } from "./strict-view.ts";
import type { RawEntry } from "./table.ts";

const scanCount = 1_000;
const tablesPrefix = "shopbell:";
const longestReconnectMs = 2_000;

/**
 * Tables in one Redis database (`redis://` or `rediss://`), as keys `shopbell:<table>/<key>`. Reading or clearing a
 * whole table walks all keys of the database.
 */
export async function openRedisBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  let opened = false;
  const client = createClient({
    url,
    // A command that cannot be sent now fails now, and one that is not answered fails when the socket times out; the
    // pings keep a healthy socket from doing so.
    disableOfflineQueue: true,
    pingInterval: patienceMs / 5,
    socket: {
      connectTimeout: patienceMs,
      socketTimeout: patienceMs,
      reconnectStrategy: (attempt) => opened && Math.min(50 * 2 ** attempt, longestReconnectMs),
    },
  });
  const adapter = new KeyvRedis(client, { keyPrefixSeparator: "/", throwOnErrors: true });
  adapter.on("error", (error: unknown) => log.warn({ err: error }, "redis reported an error"));
  await client.connect();
  opened = true;

  // A transaction would wait for the connection in spite of `disableOfflineQueue`.
  adapter.getClient = async () => {
    if (!client.isReady) throw new Error("redis is not connected");
    return client;
  };

  return {
    tableStore(name) {
      const namespace = `${tablesPrefix}${name}`;
      const view = strictView(adapter, namespace);
      const keys = async function* () {
        await adapter.getClient();
        // A scan may show a key twice.
        const seen = new Set<string>();
        for await (const page of client.scanIterator({ MATCH: `${namespace}/*`, COUNT: scanCount })) {
          const fresh = new Set(page.map((key) => key.slice(namespace.length + 1)).filter((key) => !seen.has(key)));
          for (const key of fresh) seen.add(key);
          if (fresh.size > 0) yield [...fresh];
        }
      };
      view.iterator = async function* <Value>() {
        for await (const page of keys()) {
          const values = await view.getMany<Value>(page);
          for (const [index, key] of page.entries()) {
            const value = values[index];
            // Deleted since the scan saw it.
            if (value !== undefined) yield [key, value];
          }
        }
      };
      view.clear = async () => {
        for await (const page of keys()) await view.deleteMany(page);
      };
      return { store: view, keyPrefix: "" };
    },
    async *everything() {
      await adapter.getClient();
      for await (const keys of client.scanIterator({ MATCH: `${tablesPrefix}*`, COUNT: scanCount })) {
        if (keys.length === 0) continue;
        const values = await client.mGet(keys);
        yield keys.flatMap((name, index): RawEntry[] => {
          const raw = values[index];
          // Neither is a slash in the name of a table, nor is one deleted that the scan saw a moment ago.
          const end = name.indexOf("/");
          if (typeof raw !== "string" || end < 0) return [];
          return [{ table: name.slice(tablesPrefix.length, end), key: name.slice(end + 1), raw }];
        });
      }
    },
    async obstacle() {
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
      if (client.isReady) await client.close();
      else if (client.isOpen) client.destroy();
    },
  };
}
