import { createHash } from "node:crypto";

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
export interface Place {
  readonly hash: string;
  readonly key: string;
}

/** What is to stand in a place. `expires` is epoch ms. `raw` undefined: nothing. */
export interface PlaceWrite extends Place {
  readonly raw: string | undefined;
  readonly expires: number | undefined;
}

// KEYS: the list of what ends. ARGV: of each place its hash, its key, what is done, the value, its end (epoch ms, or nothing).
const script = `
for i = 1, #ARGV, 5 do
  local hash, key, action, ends = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 4]
  local member = string.sub(hash, ${hashPrefix.length + 1}) .. '/' .. key
  if action == 'put' then
    if hash == '' then
      redis.call('SET', key, ARGV[i + 3])
      if ends ~= '' then redis.call('PEXPIREAT', key, ends) end
    elseif ends == '' then
      redis.call('HSET', hash, key, ARGV[i + 3])
      redis.call('ZREM', KEYS[1], member)
    else
      redis.call('HSET', hash, key, ends .. ' ' .. ARGV[i + 3])
      redis.call('ZADD', KEYS[1], ends, member)
    end
  elseif hash == '' then
    redis.call('DEL', key)
  elseif redis.call('HDEL', hash, key) > 0 then
    redis.call('ZREM', KEYS[1], member)
  end
end`;
const digest = createHash("sha1").update(script).digest("hex");

async function run(client: ScriptClient, given: string[]): Promise<unknown> {
  const options = { keys: [expiring], arguments: given };
  try {
    return await client.evalSha(digest, options);
  } catch (error) {
    // Redis forgets scripts when it is started anew.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return client.eval(script, options);
  }
}

/** Writes and removes entries, a slice at a time. */
export async function writePlaces(client: ScriptClient, writes: readonly PlaceWrite[]): Promise<void> {
  for (let at = 0; at < writes.length; at += sliceSize) {
    const given = writes
      .slice(at, at + sliceSize)
      .flatMap(({ hash, key, raw, expires }) => [
        hash,
        key,
        raw === undefined ? "remove" : "put",
        raw ?? "",
        expires === undefined ? "" : String(Math.ceil(expires)),
      ]);
    await run(client, given);
  }
}
