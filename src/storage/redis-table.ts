import { hash } from "node:crypto";
import { type NewEntry, TableStore } from "./backend.ts";
import type { Step } from "./table.ts";

/** What stands before the names of hashes, each of which is one table. */
export const hashPrefix = "shopbell/";
/** Which entries of hashes end, and when: members `<table>/<key>`, scored by epoch ms. Redis ends no fields of hashes by itself before 7.4. */
export const expiring = `${hashPrefix}expiring`;
/** Entries that are read, written or removed by one command: some 2 ms of Redis's time. */
export const sliceSize = 1_000;

/** What is used of a client of Redis to run a script. Each method rejects at once where it is not connected. */
export interface ScriptClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Where an entry stands: in the field `key` of a hash, or, where `hash` is empty, in the key `key`. */
export interface KeyPlace {
  readonly hash: string;
  readonly key: string;
}

/** What is to become of what stands in a place. */
export interface PlaceStep extends KeyPlace {
  readonly write: Step["write"];
  /** Which version is to stand there, undefined for none; "any" where that does not matter. */
  readonly version: string | undefined;
}

// KEYS: the list of what ends. ARGV: now (epoch ms), then of each place its hash, its key, its version (nothing where it is to be
// empty), what is done, the value, its end (epoch ms, or nothing). Gives 0, and has done nothing, where a version is another one.
const script = `
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
const digest = hash("sha1", script);

/** All steps or none, in one script. False where a version is another one: then nothing was done. */
export async function commitPlaces(client: ScriptClient, steps: readonly PlaceStep[]): Promise<boolean> {
  const given = steps.flatMap(({ hash, key, version = "", write }) => [
    hash,
    key,
    version,
    write === undefined ? "expect" : write.raw === undefined ? "remove" : "put",
    write?.raw ?? "",
    write?.expires === undefined ? "" : String(Math.ceil(write.expires)),
  ]);
  const options = { keys: [expiring], arguments: [String(Date.now()), ...given] };
  try {
    return (await client.evalSha(digest, options)) === 1;
  } catch (error) {
    // Redis forgets scripts when it is started anew.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return (await client.eval(script, options)) === 1;
  }
}

/** One table, whose entries stand in places of Redis. */
export abstract class RedisTable extends TableStore {
  readonly digest = "sha1";
  protected abstract readonly client: ScriptClient;
  abstract place(key: string): KeyPlace;

  /** A slice at a time. */
  private async writeEach(writes: readonly (KeyPlace & { readonly write: Step["write"] })[]): Promise<void> {
    for (let at = 0; at < writes.length; at += sliceSize) {
      const slice = writes.slice(at, at + sliceSize);
      await commitPlaces(
        this.client,
        slice.map((write) => ({ ...write, version: "any" })),
      );
    }
  }

  write(entries: readonly NewEntry[]) {
    return this.writeEach(entries.map(({ key, raw, expires }) => ({ ...this.place(key), write: { raw, expires } })));
  }

  remove(keys: readonly string[]) {
    return this.writeEach(keys.map((key) => ({ ...this.place(key), write: { raw: undefined, expires: undefined } })));
  }
}
