import { expiring, hashPrefix, RedisTable, type ScriptClient, sliceSize } from "./redis-table.ts";

/** What is used of a client of Redis. Each method rejects at once where it is not connected. */
interface Client extends ScriptClient {
  hmGet(hash: string, fields: string[]): Promise<readonly (string | null)[]>;
  hScanIterator(
    hash: string,
    options: { COUNT: number },
  ): AsyncIterable<readonly { readonly field: string; readonly value: string }[]>;
}

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
export const hashPattern = `${hashPrefix}*`;
export const tableOfHash = (name: string): string => name.slice(hashPrefix.length);

/** What stands in a field: the entry, after the epoch ms at which it ends, if it does. Entries are JSON objects. */
function living(stored: string | null | undefined, now: number): string | undefined {
  if (stored === null || stored === undefined || stored.startsWith("{")) return stored ?? undefined;
  const [, end, entry] = /^(\d+(?:\.\d+)?) (\{.*)$/s.exec(stored) ?? [];
  // Something else wrote it: this is not "no entry".
  if (end === undefined) throw new Error("a hash of Redis holds what is no entry");
  return Number(end) > now ? entry : undefined;
}

/** Removes entries that have ended. */
export async function sweepHashes(client: ScriptClient): Promise<void> {
  for (let ended: unknown = sliceSize; ended === sliceSize; ) {
    const asked = [String(sliceSize), hashPrefix];
    ended = await client.eval(sweepScript, { keys: [expiring], arguments: asked });
  }
}

/** Moves entries that have keys of their own, `<before><table>/<key>`, into the hashes of their tables. */
export async function moveIntoHashes(client: ScriptClient, before: string, names: readonly string[]): Promise<void> {
  for (let done = 0; done < names.length; ) {
    const asked = [String(Date.now()), hashPrefix, before, String(movedBytes), ...names.slice(done, done + sliceSize)];
    done += Number(await client.eval(moveScript, { keys: [expiring], arguments: asked }));
  }
}

/** One table as one hash of Redis, which names what is in it: reading or removing a table touches its own entries alone. */
export class RedisHashTable extends RedisTable {
  protected readonly client: Client;
  private readonly hash: string;

  constructor(client: Client, name: string) {
    super();
    this.client = client;
    this.hash = hashPrefix + name;
  }

  place(key: string) {
    return { hash: this.hash, key };
  }

  async read(keys: readonly string[]) {
    const found: (string | undefined)[] = [];
    for (let at = 0; at < keys.length; at += sliceSize) {
      const stored = await this.client.hmGet(this.hash, keys.slice(at, at + sliceSize));
      const now = Date.now();
      found.push(...stored.map((text) => living(text, now)));
    }
    return found;
  }

  async clear() {
    for await (const page of this.client.hScanIterator(this.hash, { COUNT: sliceSize })) {
      await this.remove(page.map(({ field }) => field));
    }
  }

  async *pages() {
    // A scan may show an entry twice.
    const seen = new Set<string>();
    for await (const page of this.client.hScanIterator(this.hash, { COUNT: sliceSize })) {
      const now = Date.now();
      const fresh: [key: string, raw: string][] = [];
      for (const { field, value } of page) {
        const raw = living(value, now);
        if (seen.has(field) || raw === undefined) continue;
        seen.add(field);
        fresh.push([field, raw]);
      }
      yield fresh;
    }
  }
}
