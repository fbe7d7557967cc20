import { randomUUID } from "node:crypto";
import type { IIdentifyThrottler } from "@discordjs/ws";
import { z } from "zod";
import type { Log } from "../../basics/log.ts";
import { createMutex } from "../../basics/mutex.ts";
import { absent, type Storage, type Table, type TableShape } from "../../storage/table.ts";
import { pause } from "./pause.ts";
import type { SessionStarts } from "./session-starts.ts";

const claimSchema = z.object({ mark: z.string() });
type Claim = Readonly<z.infer<typeof claimSchema>>;

/** Whose turn it is to identify, by bucket. What is malformed was written by somebody: it counts as a claim. */
export const identifiesTable: TableShape<Claim> = {
  name: "identifies",
  schema: claimSchema.catch(({ value }) => ({ mark: JSON.stringify(value) ?? "" })),
  version: 1,
  impersonal: true,
};

/** Docs: Gateway, "Rate Limiting" of shards: one identify for each bucket in 5 s; and a moment, for lines are not even. */
const intervalMs = 5_000 + 100;
/** A claim is used within this time, or not at all: others see it before its process knows that it stands. */
const usedWithinMs = 500;
/** How often another process's claim is looked at: it may go on with its next shard. */
const lookEveryMs = 250;
/** Whoever has the turn and more shards goes first: it knows the moment to the millisecond. */
const yieldMs = 100;
/** But not for ever: a shard whose sessions end at once wants the next turn again and again. */
const mostInARow = 8;
const restMs = 1_000;
const retryMs = 1_000;
/**
 * A storage that always takes longer must not keep the bot from connecting: of two identifies at once, Discord refuses one,
 * which is tried again.
 */
const mostLateClaims = 3;

interface BucketDeps {
  readonly log: Log;
  readonly monotonic: () => number;
}

/** Turns of one process alone, 5 s apart. */
function createOwnTurns({ monotonic }: BucketDeps) {
  let usedAt = Number.NEGATIVE_INFINITY;
  return {
    freeInMs: () => usedAt + intervalMs - monotonic(),
    use() {
      usedAt = monotonic();
    },
  };
}

/** Resolves when this process has the turn. */
type Gain = (signal: AbortSignal) => Promise<void>;

function createAlone(deps: BucketDeps): Gain {
  const own = createOwnTurns(deps);
  return async (signal) => {
    await pause(Math.max(own.freeInMs(), 0), signal);
    own.use();
  };
}

/** Where processes that share the limit see each other. */
interface Claims {
  readonly table: Table<Claim>;
  readonly commit: Storage["commit"];
}

/**
 * Turns that several processes share: a claim takes the place of the one that was read, so of two at the same moment one
 * stands. Whoever sees another one's claim counts from that moment, by its own clock.
 */
function createShared(key: string, { table, commit }: Claims, deps: BucketDeps): Gain {
  const { log, monotonic } = deps;
  const own = createOwnTurns(deps);
  let mine: string | undefined;
  let seen: { readonly mark: string; readonly at: number } | undefined;
  let lateClaims = 0;
  /** Turns of this process since another one's claim was seen, or it let others go first. */
  let inARow = 0;
  let tidying: NodeJS.Timeout | undefined;

  /** Milliseconds for which a claim, as it stands now, keeps this process from identifying. */
  function freeInMs(claim: Claim | undefined): number {
    const now = monotonic();
    if (claim === undefined || claim.mark === mine) {
      return Math.max(own.freeInMs() + (inARow >= mostInARow ? restMs : 0), 0);
    }
    inARow = 0;
    if (claim.mark !== seen?.mark) seen = { mark: claim.mark, at: now };
    return Math.max(own.freeInMs(), seen.at + usedWithinMs + intervalMs + yieldMs - now, 0);
  }

  const read = async () => (await table.read([key]))[0] ?? absent(key);

  /** Whether the turn was gained; otherwise it is to be tried again, at once. */
  async function attempt(signal: AbortSignal): Promise<boolean> {
    const readAt = monotonic();
    const standing = await read();
    const waitMs = freeInMs(standing.value);
    if (waitMs > 0) {
      await pause(Math.min(waitMs, lookEveryMs), signal);
      return false;
    }
    const mark = randomUUID();
    if (!(await commit([table.put(standing, { mark })]))) return false;
    mine = mark;
    if (monotonic() - readAt <= usedWithinMs) lateClaims = 0;
    else if (++lateClaims < mostLateClaims) {
      // Another process may have identified by now.
      own.use();
      return false;
    }
    return true;
  }

  /** A claim that is left behind would hold up whoever starts next. A failure does not matter: it is only that. */
  async function tidy(mark: string) {
    const standing = await read();
    if (standing.value?.mark === mark && mark === mine) await commit([table.remove(standing)]);
  }

  /** Claims until it is this process's turn; a failing storage is asked again, for without it nobody knows whose turn it is. */
  async function gain(signal: AbortSignal): Promise<void> {
    for (let isFailing = false; ; ) {
      signal.throwIfAborted();
      try {
        if (await attempt(signal)) return;
        isFailing = false;
      } catch (error) {
        signal.throwIfAborted();
        if (!isFailing) log.warn({ err: error }, "the storage does not say whose turn it is to connect; trying again");
        isFailing = true;
        await pause(retryMs, signal);
      }
    }
  }

  return async (signal) => {
    clearTimeout(tidying);
    try {
      await gain(signal);
      own.use();
      inARow = inARow >= mostInARow ? 1 : inARow + 1;
    } finally {
      const mark = mine;
      if (mark !== undefined) tidying = setTimeout(() => void tidy(mark).catch(() => undefined), intervalMs).unref();
    }
  };
}

/**
 * Lets shards identify as Discord wants it: one for each bucket in 5 s, those of all processes counted, and no more than
 * it allows in a day.
 *
 * @param claims undefined where this process runs all shards
 * @param monotonic ms
 */
export function createIdentifyThrottle(deps: {
  readonly starts: SessionStarts;
  readonly claims: Claims | undefined;
  readonly log: Log;
  readonly monotonic?: () => number;
}): IIdentifyThrottler {
  const { starts, claims, log, monotonic = () => performance.now() } = deps;
  /** As many as there are shards of this process, at most. */
  const buckets = new Map<string, Gain>();

  function bucketOf(key: string): Gain {
    const known = buckets.get(key);
    if (known) return known;
    const line = createMutex();
    const gain = claims ? createShared(key, claims, { log, monotonic }) : createAlone({ log, monotonic });
    const inTurn: Gain = (signal) =>
      line.run(async () => {
        await starts.allowed(signal);
        await gain(signal);
      });
    buckets.set(key, inTurn);
    return inTurn;
  }

  return {
    async waitForIdentify(shardId, signal) {
      const atOnce = await starts.atOnce(signal);
      await bucketOf(String(shardId % atOnce))(signal);
    },
  };
}
