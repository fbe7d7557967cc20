import type { IIdentifyThrottler } from "@discordjs/ws";
import { z } from "zod";
import { createCache } from "../../basics/limits/cache.ts";
import { createKeyedMutex } from "../../basics/limits/mutex.ts";
import { sleep } from "../../basics/limits/sleep.ts";
import type { Log } from "../../basics/log.ts";
import { absent, type Storage, type TableShape } from "../../storage/table.ts";
import type { SessionLimit } from "./gateway-bot.ts";

const turnSchema = z.object({ until: z.number() });
type Turn = Readonly<z.infer<typeof turnSchema>>;

/**
 * Keys are buckets (groups of shards with one limit). No other shard may begin a session before `until` (epoch ms). A malformed
 * row delays nothing.
 */
export const identifiesTable: TableShape<Turn> = {
  name: "identifies",
  schema: turnSchema.catch({ until: 0 }),
  version: 1,
};

/**
 * Time between two identifies (requests for a new gateway session) in one bucket. Discord allows one in 5 s (docs: Gateway,
 * "Rate Limiting" of shards). The extra 400 ms allow for delays on the network.
 */
const intervalMs = 5_400;
/** A stored time that is further in the future than this is ignored: the clock was set back since. */
const longestTurnMs = 60_000;
const checkEveryMs = 250;

/** Discord's limit of new sessions is read again after this time, so shards that begin within 5 s share one request. */
const limitKeptMs = 5_000;
/**
 * The bot leaves this many of a day's gateway sessions unused: 1 % of them, at most ten. They are a reserve, because other
 * processes may begin sessions at the same moment.
 */
export const sparedSessions = ({ total }: Pick<SessionLimit, "total">): number => Math.min(10, Math.floor(total / 100));
/** Longest wait before the limit is read again. The number of allowed sessions may rise before the time that Discord named. */
const longestLimitMs = 10 * 60_000;

/** Waits while Discord allows no more sessions. Discord resets the token of a bot that begins too many in a day. */
function createSessionAllowance(fetchLimit: () => Promise<SessionLimit>, log: Log) {
  const limits = createCache<SessionLimit>({ keptMs: limitKeptMs, most: 1 }, () => performance.now());
  let isTold = false;

  /** Resolves to the number of buckets. */
  return async (signal: AbortSignal): Promise<number> => {
    for (;;) {
      signal.throwIfAborted();
      const known = await limits.get("", fetchLimit).catch((error: unknown) => {
        log.warn({ err: error }, "could not read Discord's limit of sessions; trying again");
      });
      if (known && known.remaining > sparedSessions(known)) {
        known.remaining--;
        isTold = false;
        return known.max_concurrency;
      }
      if (known && !isTold) {
        isTold = true;
        const until = new Date(Date.now() + known.reset_after).toISOString();
        log.error(
          { until },
          "Discord allows no more sessions for now: shards without a session wait, and connect by themselves later. Alerts go on. Find out what restarts the bot again and again",
        );
      }
      await sleep(Math.max(Math.min(known?.reset_after ?? 0, longestLimitMs), limitKeptMs), signal);
    }
  };
}

/**
 * Keeps Discord's limits on identifies (requests for a new gateway session): one in 5 s for each bucket, and a fixed number in
 * a day. The throttle applies to all processes on this storage. If the storage fails, two processes may identify at once.
 * Discord refuses one of them, and that process tries again.
 */
export function createIdentifyThrottle(deps: {
  readonly fetchLimit: () => Promise<SessionLimit>;
  readonly storage: Pick<Storage, "table" | "commit">;
  readonly log: Log;
}): IIdentifyThrottler {
  const { fetchLimit, storage, log } = deps;
  const turns = storage.table(identifiesTable);
  const oneAtATime = createKeyedMutex();
  const allowed = createSessionAllowance(fetchLimit, log);

  async function takeTurn(bucket: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const [row = absent(bucket)] = await turns.read([bucket]);
      const waitMs = (row.value?.until ?? 0) - Date.now();
      const isFree = waitMs <= 0 || waitMs > longestTurnMs;
      if (isFree && (await storage.commit([turns.put(row, { until: Date.now() + intervalMs })]))) return;
      await sleep(isFree ? 0 : Math.min(waitMs, checkEveryMs), signal);
    }
  }

  return {
    async waitForIdentify(shardId, signal) {
      const buckets = await allowed(signal);
      const bucket = String(shardId % buckets);
      await oneAtATime(bucket, async () => {
        try {
          await takeTurn(bucket, signal);
        } catch (error) {
          signal.throwIfAborted();
          log.warn({ err: error }, "could not read whose turn it is to connect; connecting anyway");
          await sleep(intervalMs, signal);
        }
      });
    },
  };
}
