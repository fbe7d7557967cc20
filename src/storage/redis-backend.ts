import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import type { Log } from "../basics/log.ts";
import { actionOf, type Backend } from "./backend.ts";
import { closeRedis, inspectRedis, openRedis, redisProblem } from "./redis-connection.ts";
import type { RawEntry, Step } from "./table.ts";

const hashPrefix = "shopbell/";
/** A sorted set of the entries that expire (epoch ms): `<table>/<key>`. Redis before 7.4 cannot expire fields of hashes. */
const expiring = `${hashPrefix}expiring`;
/** Prefix of the Redis keys that hold a single entry each: `shopbell:<table>/<key>`. */
const keyPrefix = "shopbell:";
/**
 * These tables are not in hashes, so that earlier versions of Shopbell find them. The table `data` tells an earlier version
 * that it must not use this storage.
 */
const ownKeyTables: ReadonlySet<string> = new Set(["data", "copy", "lease"]);
/** A command that reads or removes this many entries takes Redis some 2 ms. */
const sliceSize = 1_000;
/** Few, because Redis has several copies of an entry until its old key is removed. An entry may have several MiB. */
const movedAtATime = 5;

// KEYS: the set of entries that expire. ARGV: now (epoch ms), then six values for each step: name of the hash, key, version
// (empty if the entry must not exist, `any` if every version matches), action, value, expiry (epoch ms, or empty). If the name
// of the hash is empty, the entry has a Redis key of its own. If a version differs, the script changes nothing and returns 0.
const commitScript = `
local now = tonumber(ARGV[1])
for i = 2, #ARGV, 6 do
  if ARGV[i + 2] ~= 'any' then
    local stored
    if ARGV[i] == '' then stored = redis.call('GET', ARGV[i + 1]) else stored = redis.call('HGET', ARGV[i], ARGV[i + 1]) end
    local version = ''
    if stored then
      local ends, entry = string.match(stored, '^(%d+%.?%d*) (.*)$')
      if not ends then version = redis.sha1hex(stored)
      elseif tonumber(ends) > now then version = redis.sha1hex(entry) end
    end
    if version ~= ARGV[i + 2] then return 0 end
  end
end
for i = 2, #ARGV, 6 do
  local hash, key, action, value, ends = ARGV[i], ARGV[i + 1], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  local member = string.sub(hash, ${hashPrefix.length + 1}) .. '/' .. key
  if action == 'put' then
    if hash == '' then
      redis.call('SET', key, value)
      if ends ~= '' then redis.call('PEXPIREAT', key, ends) end
    elseif ends == '' then
      redis.call('HSET', hash, key, value)
      redis.call('ZREM', KEYS[1], member)
    else
      redis.call('HSET', hash, key, ends .. ' ' .. value)
      redis.call('ZADD', KEYS[1], ends, member)
    end
  elseif action == 'remove' and hash == '' then
    redis.call('DEL', key)
  elseif action == 'remove' and redis.call('HDEL', hash, key) > 0 then
    redis.call('ZREM', KEYS[1], member)
  end
end
return 1`;
const commitDigest = hash("sha1", commitScript);

// The script uses the clock of Redis, because the clock of one process may be fast. KEYS: the set of entries that expire.
const sweepScript = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ${sliceSize})
for _, member in ipairs(due) do
  local slash = string.find(member, '/', 1, true)
  redis.call('HDEL', '${hashPrefix}' .. string.sub(member, 1, slash - 1), string.sub(member, slash + 1))
  redis.call('ZREM', KEYS[1], member)
end
return #due`;

async function commitSteps(redis: Redis, steps: readonly Step[]): Promise<boolean> {
  const args = steps.flatMap(({ table, key, version = "", write }) => [
    ...(ownKeyTables.has(table) ? ["", `${keyPrefix}${table}/${key}`] : [hashPrefix + table, key]),
    version,
    actionOf(write),
    write?.raw ?? "",
    write?.expires === undefined ? "" : String(Math.ceil(write.expires)),
  ]);
  const now = String(Date.now());
  try {
    return (await redis.evalsha(commitDigest, 1, expiring, now, ...args)) === 1;
  } catch (error) {
    // Redis forgets its scripts when it restarts.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return (await redis.eval(commitScript, 1, expiring, now, ...args)) === 1;
  }
}

/** Redis may return an item twice. */
async function* scanPages(scan: (cursor: string) => Promise<[cursor: string, found: string[]]>) {
  for (let cursor = "0"; ; ) {
    const [next, found] = await scan(cursor);
    yield found;
    if (next === "0") return;
    cursor = next;
  }
}

const ownKeyNames = (redis: Redis, table: string) =>
  scanPages((cursor) => redis.scan(cursor, "MATCH", `${keyPrefix}${table}/*`, "COUNT", sliceSize, "TYPE", "string"));

/** No table name has a slash. */
function entryAt(name: string): Pick<RawEntry, "table" | "key"> {
  const end = name.indexOf("/");
  return { table: name.slice(keyPrefix.length, end), key: name.slice(end + 1) };
}

async function readOwnKeys(redis: Redis, names: readonly string[]): Promise<(RawEntry & { readonly name: string })[]> {
  const values = names.length === 0 ? [] : await redis.mget([...names]);
  return names.flatMap((name, index) => {
    const raw = values[index];
    return typeof raw === "string" ? [{ ...entryAt(name), raw, name }] : [];
  });
}

/** `table` may be `*`. */
async function* ownKeyEntries(redis: Redis, table: string): AsyncGenerator<readonly RawEntry[]> {
  for await (const names of ownKeyNames(redis, table)) yield readOwnKeys(redis, names);
}

async function moveEntries(redis: Redis, names: readonly string[]): Promise<void> {
  // The expiry is read before the value. If an entry expires in between, it has no value and is left out.
  const leftMs = new Map(await Promise.all(names.map(async (name) => [name, await redis.pttl(name)] as const)));
  const now = Date.now();
  const steps = (await readOwnKeys(redis, names)).map(({ name, raw, ...entry }) => {
    const left = leftMs.get(name) ?? -1;
    return { ...entry, version: "any", write: { raw, expires: left < 0 ? undefined : now + left } };
  });
  await commitSteps(redis, steps);
  await redis.unlink([...names]);
}

/** In data version 1, every entry had its own Redis key. */
async function moveIntoHashes(redis: Redis): Promise<void> {
  for await (const page of ownKeyNames(redis, "*")) {
    const names = page.filter((name) => !ownKeyTables.has(entryAt(name).table));
    for (let at = 0; at < names.length; at += movedAtATime)
      await moveEntries(redis, names.slice(at, at + movedAtATime));
  }
}

/**
 * The entry in a stored text; undefined if it has expired. In a hash, an entry that expires is stored as `<epoch ms> <entry>`.
 * {@link commitScript} parses this form, too.
 */
function living(stored: string | null | undefined, now: number): string | undefined {
  if (stored === null || stored === undefined) return undefined;
  const [, end, entry] = /^(\d+\.?\d*) (.*)$/s.exec(stored) ?? [stored, "Infinity", stored];
  return Number(end) > now ? entry : undefined;
}

/** Includes expired fields, and may return a field twice. */
async function* fieldsOf(redis: Redis, table: string): AsyncGenerator<readonly RawEntry[]> {
  for await (const found of scanPages((cursor) => redis.hscan(hashPrefix + table, cursor, "COUNT", sliceSize))) {
    yield Array.from({ length: found.length / 2 }, (_, n) => ({
      table,
      key: found[2 * n] ?? "",
      raw: found[2 * n + 1] ?? "",
    }));
  }
}

const storedIn = (redis: Redis, table: string) => (ownKeyTables.has(table) ? ownKeyEntries : fieldsOf)(redis, table);

async function* entriesOf(redis: Redis, table: string): AsyncGenerator<readonly RawEntry[]> {
  const seen = new Set<string>();
  for await (const page of storedIn(redis, table)) {
    const now = Date.now();
    const fresh = new Map<string, RawEntry>();
    for (const { key, raw: stored } of page) {
      const raw = living(stored, now);
      if (raw !== undefined && !seen.has(key)) fresh.set(key, { table, key, raw });
    }
    for (const key of fresh.keys()) seen.add(key);
    yield [...fresh.values()];
  }
}

async function* entriesOfAll(redis: Redis): AsyncGenerator<readonly RawEntry[]> {
  yield* ownKeyEntries(redis, "*");
  const hashes = scanPages((cursor) =>
    redis.scan(cursor, "MATCH", `${hashPrefix}*`, "COUNT", sliceSize, "TYPE", "hash"),
  );
  for await (const names of hashes) for (const name of names) yield* entriesOf(redis, name.slice(hashPrefix.length));
}

/** Each table is a hash, so that Redis reads or clears it without a scan of all keys. {@link ownKeyTables} are exceptions. */
export async function openRedisBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const redis = await openRedis(url, log);

  return {
    digest: "sha1",
    async read(table, keys) {
      const found: (string | undefined)[] = [];
      for (let at = 0; at < keys.length; at += sliceSize) {
        const slice = keys.slice(at, at + sliceSize);
        const stored = ownKeyTables.has(table)
          ? await redis.mget(slice.map((key) => `${keyPrefix}${table}/${key}`))
          : await redis.hmget(hashPrefix + table, ...slice);
        const now = Date.now();
        found.push(...stored.map((text) => living(text, now)));
      }
      return found;
    },
    entries: (table) => (table === undefined ? entriesOfAll(redis) : entriesOf(redis, table)),
    commit: (steps) => commitSteps(redis, steps),
    async clear(table) {
      const write = { raw: undefined, expires: undefined };
      for await (const page of storedIn(redis, table)) {
        await commitSteps(
          redis,
          page.map(({ key }) => ({ table, key, version: "any", write })),
        );
      }
    },
    moveToHashes: () => moveIntoHashes(redis),
    async problem() {
      // Some hosts do not allow INFO.
      const info = await inspectRedis(redis, await redis.info().catch(() => ""));
      const forgets =
        "this Redis loses its newest entries if it crashes, and their orders are announced again; set appendonly to yes there";
      return redisProblem(info, "STORAGE_URL") ?? (info.isForgetful ? forgets : undefined);
    },
    async removeExpired() {
      for (let ended: unknown = sliceSize; ended === sliceSize; ) ended = await redis.eval(sweepScript, 1, expiring);
    },
    close: () => closeRedis(redis),
  };
}
