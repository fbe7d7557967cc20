import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import { actionOf, type TableStore } from "./backend.ts";
import type { RawEntry, Step } from "./table.ts";

/** Stands before the names of hashes, each of which is one table. */
const hashPrefix = "shopbell/";
/** Which entries of hashes end, and when: members `<table>/<key>`, scored by epoch ms. Redis ends no fields of hashes by itself before 7.4. */
const expiring = `${hashPrefix}expiring`;
/** Stands before the names of keys that hold one entry each: `shopbell:<table>/<key>`. */
const keyPrefix = "shopbell:";
/**
 * Tables whose entries have keys of their own. Every version has to find these where they always were, to know whether it may
 * read the rest, and whether another process works with it.
 */
const ownKeyTables: ReadonlySet<string> = new Set(["data", "copy", "lease"]);
/** Entries that are read, written or removed by one command: some 2 ms of Redis's time. */
const sliceSize = 1_000;
/** Entries that are moved together. Some have a MiB or more, and until they are removed they are in Redis's memory twice. */
const movedAtATime = 50;

// KEYS: the list of what ends. ARGV: now (epoch ms), then for each step its hash, its key, its version (nothing where there is to
// be no entry), what is done, the value, its end (epoch ms, or nothing). Without a hash the key is a key of Redis. Gives 0, and has
// done nothing, where a version is another one.
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

// By Redis's own clock: that of one process may be fast. KEYS: the list of what ends. ARGV: how many at most, what stands before
// the names of hashes. Gives how many ended.
const sweepScript = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(due) do
  local slash = string.find(member, '/', 1, true)
  redis.call('HDEL', ARGV[2] .. string.sub(member, 1, slash - 1), string.sub(member, slash + 1))
  redis.call('ZREM', KEYS[1], member)
end
return #due`;

/** All steps or none, in one script. Returns false if a version differs: then nothing was done. */
export async function commitSteps(redis: Redis, steps: readonly Step[]): Promise<boolean> {
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
    // Redis forgets scripts when it is started again.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return (await redis.eval(commitScript, 1, expiring, now, ...args)) === 1;
  }
}

/** Removes entries that have ended. */
export async function sweepExpired(redis: Redis): Promise<void> {
  for (let ended: unknown = sliceSize; ended === sliceSize; ) {
    ended = await redis.eval(sweepScript, 1, expiring, String(sliceSize), hashPrefix);
  }
}

/** The pages of a SCAN or HSCAN, which may show something twice. */
async function* scanPages(scan: (cursor: string) => Promise<[cursor: string, found: string[]]>) {
  for (let cursor = "0"; ; ) {
    const [next, found] = await scan(cursor);
    yield found;
    if (next === "0") return;
    cursor = next;
  }
}

/** What an entry of its own key belongs to; undefined for what is none of ours. No table has a slash in its name. */
function entryAt(name: string): Pick<RawEntry, "table" | "key"> | undefined {
  const end = name.indexOf("/");
  return end < 0 ? undefined : { table: name.slice(keyPrefix.length, end), key: name.slice(end + 1) };
}

const ownKeyNames = (redis: Redis, table: string) =>
  scanPages((cursor) => redis.scan(cursor, "MATCH", `${keyPrefix}${table}/*`, "COUNT", sliceSize, "TYPE", "string"));

/** Every entry that has a key of its own, of one table or of all (`*`) that ever had such. */
async function* ownKeyEntries(redis: Redis, table: string): AsyncGenerator<readonly RawEntry[]> {
  for await (const names of ownKeyNames(redis, table)) {
    const values = names.length === 0 ? [] : await redis.mget(names);
    yield names.flatMap((name, index) => {
      const raw = values[index];
      const entry = entryAt(name);
      // One may have been deleted that the scan saw a moment ago.
      return typeof raw !== "string" || entry === undefined ? [] : [{ ...entry, raw }];
    });
  }
}

/** The entries of all tables, page by page. */
export async function* allEntries(redis: Redis): AsyncGenerator<readonly RawEntry[]> {
  yield* ownKeyEntries(redis, "*");
  const hashes = scanPages((cursor) =>
    redis.scan(cursor, "MATCH", `${hashPrefix}*`, "COUNT", sliceSize, "TYPE", "hash"),
  );
  for await (const names of hashes) {
    for (const table of names.map((name) => name.slice(hashPrefix.length))) {
      for await (const page of new RedisTable(redis, table).pages()) {
        yield page.map(([key, raw]) => ({ table, key, raw }));
      }
    }
  }
}

async function moveEntries(redis: Redis, names: readonly string[]): Promise<void> {
  // The expiry is read before the value: an entry that ends in between then has no value.
  const leftMs = await Promise.all(names.map((name) => redis.pttl(name)));
  const now = Date.now();
  const values = await redis.mget([...names]);
  const steps = names.flatMap((name, index) => {
    const [entry, raw, left = -1] = [entryAt(name), values[index], leftMs[index]];
    if (entry === undefined || typeof raw !== "string") return [];
    return [{ ...entry, version: "any", write: { raw, expires: left < 0 ? undefined : now + left } }];
  });
  await commitSteps(redis, steps);
  await redis.unlink([...names]);
}

/** Moves the entries of data version 1, each of which had a key of its own, into the hashes of their tables. It may be repeated. */
export async function moveIntoHashes(redis: Redis): Promise<void> {
  for await (const page of ownKeyNames(redis, "*")) {
    const names = page.filter((name) => !ownKeyTables.has(entryAt(name)?.table ?? ""));
    for (let at = 0; at < names.length; at += movedAtATime) {
      await moveEntries(redis, names.slice(at, at + movedAtATime));
    }
  }
}

/** What stands in a field: the entry, after the epoch ms at which it ends, if it does. Entries are JSON objects. */
function living(stored: string | null | undefined, now: number): string | undefined {
  if (stored === null || stored === undefined || stored.startsWith("{")) return stored ?? undefined;
  const [, end, entry] = /^(\d+(?:\.\d+)?) (\{.*)$/s.exec(stored) ?? [];
  // Something else wrote it: this is not "no entry".
  if (end === undefined) throw new Error("a hash of Redis holds what is no entry");
  return Number(end) > now ? entry : undefined;
}

/**
 * One table as one hash of Redis, which names what is in it: reading or removing a table touches its own entries alone. The few
 * entries of {@link ownKeyTables} have keys of their own: to list them walks all keys of the database.
 */
export class RedisTable implements TableStore {
  readonly digest = "sha1";
  private readonly redis: Redis;
  private readonly name: string;
  private readonly hash: string;

  constructor(redis: Redis, name: string) {
    this.redis = redis;
    this.name = name;
    this.hash = hashPrefix + name;
  }

  async read(keys: readonly string[]) {
    const found: (string | undefined)[] = [];
    for (let at = 0; at < keys.length; at += sliceSize) {
      const slice = keys.slice(at, at + sliceSize);
      const stored = ownKeyTables.has(this.name)
        ? await this.redis.mget(slice.map((key) => `${keyPrefix}${this.name}/${key}`))
        : await this.redis.hmget(this.hash, ...slice);
      const now = Date.now();
      found.push(...stored.map((text) => living(text, now)));
    }
    return found;
  }

  /** As they are stored: what has ended, too, and some twice. */
  private async *stored(): AsyncGenerator<readonly (readonly [key: string, stored: string])[]> {
    if (ownKeyTables.has(this.name)) {
      for await (const page of ownKeyEntries(this.redis, this.name)) yield page.map(({ key, raw }) => [key, raw]);
      return;
    }
    for await (const found of scanPages((cursor) => this.redis.hscan(this.hash, cursor, "COUNT", sliceSize))) {
      yield Array.from({ length: found.length / 2 }, (_, n) => [found[2 * n] ?? "", found[2 * n + 1] ?? ""]);
    }
  }

  async clear() {
    const write = { raw: undefined, expires: undefined };
    for await (const page of this.stored()) {
      const steps = page.map(([key]) => ({ table: this.name, key, version: "any", write }));
      await commitSteps(this.redis, steps);
    }
  }

  async *pages() {
    const seen = new Set<string>();
    for await (const page of this.stored()) {
      const now = Date.now();
      const fresh = new Map<string, string>();
      for (const [key, stored] of page) {
        const raw = living(stored, now);
        if (raw !== undefined && !seen.has(key)) fresh.set(key, raw);
      }
      for (const key of fresh.keys()) seen.add(key);
      yield [...fresh];
    }
  }
}
