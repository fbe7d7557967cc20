import KeyvRedis, { createClient } from "@keyv/redis";
import type { Log } from "../basics/log.ts";
import { type Backend, patienceMs } from "./backend.ts";
import { hashPattern, moveIntoHashes, RedisHashTable, sweepHashes, tableOfHash } from "./redis-hash-table.ts";
import { strictView } from "./strict-view.ts";
import type { RawEntry } from "./table.ts";

/** How long what has ended stays at most. */
const sweepEveryMs = 60_000;
const scanCount = 1_000;
const tablesPrefix = "shopbell:";
const longestReconnectMs = 2_000;

/** What every version has to find where it always was, to know whether it may read the rest, and whether another one works with it. */
const ownKeyTables: ReadonlySet<string> = new Set(["data", "copy", "lease"]);

/** Which entry a key of its own holds; undefined for what is none of ours. No table has a slash in its name. */
function entryAt(name: string): Pick<RawEntry, "table" | "key"> | undefined {
  const end = name.indexOf("/");
  return end < 0 ? undefined : { table: name.slice(tablesPrefix.length, end), key: name.slice(end + 1) };
}

async function connect(url: string, log: Pick<Log, "warn">) {
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
  return { client, adapter };
}
type Connection = Awaited<ReturnType<typeof connect>>;

/** Entries that have keys of their own, page by page. */
async function* ownKeys({ client, adapter }: Connection): AsyncGenerator<readonly RawEntry[]> {
  await adapter.getClient();
  for await (const names of client.scanIterator({ MATCH: `${tablesPrefix}*/*`, COUNT: scanCount, TYPE: "string" })) {
    if (names.length === 0) continue;
    const values = await client.mGet(names);
    yield names.flatMap((name, index) => {
      const raw = values[index];
      const entry = entryAt(name);
      // One may have been deleted that the scan saw a moment ago.
      return typeof raw !== "string" || entry === undefined ? [] : [{ ...entry, raw }];
    });
  }
}

/** A table whose entries have keys of their own. */
function keyTable({ client, adapter }: Connection, name: string) {
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
  return view;
}

/**
 * Tables in one Redis database (`redis://` or `rediss://`): each is a hash, `shopbell/<table>`. The few entries of three are
 * keys of their own, `shopbell:<table>/<key>`; reading or clearing one of these as a whole walks all keys of the database.
 */
export async function openRedisBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const connection = await connect(url, log);
  const { client } = connection;
  const sweep = () =>
    sweepHashes(client).catch((error: unknown) => log.warn({ err: error }, "what has expired could not be removed"));
  void sweep();
  const timer = setInterval(sweep, sweepEveryMs).unref();

  return {
    tableStore: (name) => ({
      store: ownKeyTables.has(name) ? keyTable(connection, name) : new RedisHashTable(client, name),
      keyPrefix: "",
    }),
    async *everything() {
      yield* ownKeys(connection);
      for await (const names of client.scanIterator({ MATCH: hashPattern, COUNT: scanCount, TYPE: "hash" })) {
        for (const table of names.map(tableOfHash)) {
          let page: RawEntry[] = [];
          for await (const [key, raw] of new RedisHashTable(client, table).iterator<string>()) {
            page.push({ table, key: String(key), raw: String(raw) });
            if (page.length === scanCount) {
              yield page;
              page = [];
            }
          }
          if (page.length > 0) yield page;
        }
      }
    },
    async arrange() {
      for await (const names of client.scanIterator({
        MATCH: `${tablesPrefix}*/*`,
        COUNT: scanCount,
        TYPE: "string",
      })) {
        const moved = names.filter((name) => !ownKeyTables.has(entryAt(name)?.table ?? ""));
        await moveIntoHashes(client, tablesPrefix, moved);
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
      clearInterval(timer);
      if (client.isReady) await client.close();
      else if (client.isOpen) client.destroy();
    },
  };
}
