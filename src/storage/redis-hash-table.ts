import { type KeyvStorageEntry, type KeyvStorageGetResult, keyvStorageCapability } from "keyv";
import type { KeyvStore } from "./backend.ts";

/** What is used of a client of Redis. Each method rejects at once where it is not connected. */
interface Client {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  hmGet(hash: string, fields: string[]): Promise<readonly (string | null)[]>;
  hScanIterator(
    hash: string,
    options: { COUNT: number },
  ): AsyncIterable<readonly { readonly field: string; readonly value: string }[]>;
}

/** Entries that are read, written or removed by one command: some 2 ms of Redis's time. */
const sliceSize = 1_000;
const prefix = "shopbell/";
/** Which entries of hashes end, and when: members `<table>/<key>`, scored by epoch ms. Redis ends no fields of hashes by itself before 7.4. */
const expiring = `${prefix}expiring`;

// KEYS: the hash, the list of what ends. ARGV: the table, then key, value and end (epoch ms, or nothing) of each entry.
const putScript = `
for i = 2, #ARGV, 3 do
  local member = ARGV[1] .. '/' .. ARGV[i]
  if ARGV[i + 2] == '' then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    redis.call('ZREM', KEYS[2], member)
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2] .. ' ' .. ARGV[i + 1])
    redis.call('ZADD', KEYS[2], ARGV[i + 2], member)
  end
end`;
// KEYS: the hash, the list of what ends. ARGV: the table, then the keys. Gives how many were there.
const deleteScript = `
local removed = 0
for i = 2, #ARGV do
  local found = redis.call('HDEL', KEYS[1], ARGV[i])
  if found > 0 then redis.call('ZREM', KEYS[2], ARGV[1] .. '/' .. ARGV[i]) end
  removed = removed + found
end
return removed`;
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

/** Bytes that one script moves, and one value that is longer: they are twice in Redis's memory meanwhile. */
const movedBytes = 1_048_576;
// KEYS: the list of what ends. ARGV: now (epoch ms), what stands before the names of hashes, what stands before the names of
// keys, bytes to be moved at most, then names of keys (before, table, slash, key). Gives how many of these are done with.
const moveScript = `
local moved = 0
for i = 5, #ARGV do
  local raw = redis.call('GET', ARGV[i])
  if raw then
    local member = string.sub(ARGV[i], #ARGV[3] + 1)
    local slash = string.find(member, '/', 1, true)
    local left = redis.call('PTTL', ARGV[i])
    moved = moved + #raw
    if left >= 0 then
      local ends = string.format('%.0f', ARGV[1] + left)
      redis.call('ZADD', KEYS[1], ends, member)
      raw = ends .. ' ' .. raw
    end
    redis.call('HSETNX', ARGV[2] .. string.sub(member, 1, slash - 1), string.sub(member, slash + 1), raw)
    redis.call('UNLINK', ARGV[i])
    if moved >= tonumber(ARGV[4]) then return i - 4 end
  end
end
return #ARGV - 4`;

/** The names of hashes, as patterns of Redis have it. */
export const hashPattern = `${prefix}*`;
export const tableOfHash = (name: string): string => name.slice(prefix.length);

/** What stands in a field: the entry, after the epoch ms at which it ends, if it does. Entries are JSON objects. */
function living(stored: string | null | undefined, now: number): string | undefined {
  if (stored === null || stored === undefined || stored.startsWith("{")) return stored ?? undefined;
  const [, end, entry] = /^(\d+(?:\.\d+)?) (\{.*)$/s.exec(stored) ?? [];
  // Something else wrote it: this is not "no entry".
  if (end === undefined) throw new Error("a hash of Redis holds what is no entry");
  return Number(end) > now ? entry : undefined;
}

/** Removes entries that have ended. */
export async function sweepHashes(client: Client): Promise<void> {
  for (let ended: unknown = sliceSize; ended === sliceSize; ) {
    const asked = [String(sliceSize), prefix];
    ended = await client.eval(sweepScript, { keys: [expiring], arguments: asked });
  }
}

/** Moves entries that have keys of their own, `<before><table>/<key>`, into the hashes of their tables. */
export async function moveIntoHashes(client: Client, before: string, names: readonly string[]): Promise<void> {
  for (let done = 0; done < names.length; ) {
    const asked = [String(Date.now()), prefix, before, String(movedBytes), ...names.slice(done, done + sliceSize)];
    done += Number(await client.eval(moveScript, { keys: [expiring], arguments: asked }));
  }
}

function* slices<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += sliceSize) yield items.slice(at, at + sliceSize);
}

/**
 * One table as one hash of Redis, which names what is in it: reading or removing a table touches its own entries alone. A
 * class, for there is one for each of thousands of tables.
 */
export class RedisHashTable implements KeyvStore {
  private readonly client: Client;
  private readonly name: string;

  constructor(client: Client, name: string) {
    this.client = client;
    this.name = name;
  }

  get capabilities() {
    return keyvStorageCapability(this);
  }

  private get hash() {
    return prefix + this.name;
  }

  async get<Value>(key: string): Promise<KeyvStorageGetResult<Value>> {
    const [value] = await this.getMany<Value>([key]);
    return value as KeyvStorageGetResult<Value>;
  }

  async getMany<Value>(keys: string[]): Promise<KeyvStorageGetResult<Value | undefined>[]> {
    const found: unknown[] = [];
    for (const slice of slices(keys)) {
      const stored = await this.client.hmGet(this.hash, [...slice]);
      found.push(...stored.map((text) => living(text, Date.now())));
    }
    return found as KeyvStorageGetResult<Value | undefined>[];
  }

  async set(key: string, value: unknown, expires?: number): Promise<boolean> {
    await this.setMany([{ key, value, expires }]);
    return true;
  }

  async setMany<Value>(entries: KeyvStorageEntry<Value>[]): Promise<boolean[]> {
    for (const slice of slices(entries)) {
      const given = slice.flatMap(({ key, value, expires }) => [
        key,
        String(value),
        expires === undefined ? "" : String(expires),
      ]);
      await this.client.eval(putScript, { keys: [this.hash, expiring], arguments: [this.name, ...given] });
    }
    return entries.map(() => true);
  }

  async delete(key: string): Promise<boolean> {
    const [existed = false] = await this.deleteMany([key]);
    return existed;
  }

  async deleteMany(keys: string[]): Promise<boolean[]> {
    let removed = 0;
    for (const slice of slices(keys)) {
      const asked = { keys: [this.hash, expiring], arguments: [this.name, ...slice] };
      removed += Number(await this.client.eval(deleteScript, asked));
    }
    return keys.map(() => removed > 0);
  }

  async clear(): Promise<void> {
    for await (const page of this.client.hScanIterator(this.hash, { COUNT: sliceSize })) {
      await this.deleteMany(page.map(({ field }) => field));
    }
  }

  async *iterator<Value>(): AsyncGenerator<(string | Awaited<Value> | undefined)[], void> {
    // A scan may show an entry twice.
    const seen = new Set<string>();
    for await (const page of this.client.hScanIterator(this.hash, { COUNT: sliceSize })) {
      for (const { field, value } of page) {
        const text = living(value, Date.now());
        if (seen.has(field) || text === undefined) continue;
        seen.add(field);
        yield [field, text as Awaited<Value>];
      }
    }
  }
}
