import KeyvRedis, { createClient } from "@keyv/redis";
import type { Log } from "../basics/log.ts";
import { type Backend, PATIENCE_MS } from "./backend.ts";
import { strictView } from "./strict-view.ts";

const SCAN_COUNT = 1_000;
const LONGEST_RECONNECT_MS = 2_000;

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
    pingInterval: PATIENCE_MS / 5,
    socket: {
      connectTimeout: PATIENCE_MS,
      socketTimeout: PATIENCE_MS,
      reconnectStrategy: (attempt) => opened && Math.min(50 * 2 ** attempt, LONGEST_RECONNECT_MS),
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
      const namespace = `shopbell:${name}`;
      const view = strictView(adapter, namespace);
      const keys = async function* () {
        await adapter.getClient();
        // A scan may show a key twice.
        const seen = new Set<string>();
        for await (const page of client.scanIterator({ MATCH: `${namespace}/*`, COUNT: SCAN_COUNT })) {
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
    async close() {
      if (client.isReady) await client.close();
      else if (client.isOpen) client.destroy();
    },
  };
}
