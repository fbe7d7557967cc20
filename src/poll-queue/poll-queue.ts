import { randomUUID } from "node:crypto";
import { Queue, type RepeatStrategy } from "bullmq";
import { Redis, type RedisOptions } from "ioredis";
import type { Log } from "../basics/log.ts";
import { createNotes, type Notes } from "./notes.ts";
import { createServerRights, type ServerRights } from "./server-rights.ts";
import { type SlotTimes, slotOf, slotOfTick, slotTimes } from "./slots.ts";

export const queueName = "polls";
/** A failed job is kept so long for an operator to look at. */
export const keptFailedSeconds = 24 * 60 * 60;
/** A turn that could not even begin is tried again as often as the default schedule has ticks, for a day. */
const attemptEveryMs = 15_000;
const mostAttempts = 5_760;
/** Of every job. Where the storage or Redis fails there may be no other tick for a day. */
export const jobOptions = {
  attempts: mostAttempts,
  backoff: { type: "fixed", delay: attemptEveryMs },
  removeOnComplete: true,
  removeOnFail: { age: keptFailedSeconds },
};
/** A Redis that does not answer for so long is as good as gone. */
const commandMs = 5_000;

/** What makes a job for the polls of a slot. */
export interface Tick {
  readonly slot: number;
}

/** The polls of a slot that are due; `at` is when (epoch ms). */
export interface Polls extends Tick {
  readonly at: number;
}

/** Under this name a slot's polls run once at a time. */
export const slotId = (slot: number) => `slot-${slot}`;

/** The queue of polls as every process of a bot sees it. */
export interface PollQueue {
  /** This process's name, not the queue's: others know by it who holds a slot, and whose memory of lists is which. */
  readonly name: string;
  readonly rights: ServerRights;
  readonly notes: Notes;
  readonly times: SlotTimes;
  /** POLL_SCHEDULE. */
  readonly expression: string;
  readonly jobs: Queue<Tick | Polls>;
  /** What BullMQ is to be made with, here and in workers. */
  readonly settings: {
    readonly prefix: string;
    readonly settings: { readonly repeatStrategy: RepeatStrategy };
    readonly skipVersionCheck: boolean;
  };
  /** Whether Redis answers. */
  isConnected(): boolean;
  /** Calls `listener` when Redis is back after it was gone. */
  onBack(listener: () => void): void;
  /** Has a slot's polls run that were noted as due; `at` (epoch ms) is when they were due. */
  addPolls(slot: number, at: number): Promise<void>;
  /** Has one server polled soon, by whichever worker it falls to. What fails is logged: the next tick does it too. */
  pollSoon(guildId: string): void;
  close(): Promise<void>;
}

export interface PollQueueDeps {
  /** QUEUE_URL. */
  readonly url: string;
  /** Of every key: bots that share a Redis do not meet. */
  readonly prefix: string;
  /** POLL_SCHEDULE. */
  readonly expression: string;
  readonly log: Log;
}

/** A host that died closes nothing. BullMQ itself waits up to 10 s for an answer. */
const silentMs = 15_000;

/** A connection whose commands fail where Redis does not answer, and which says once that it is gone and once that it is back. */
export function connectRedis(url: string, log: Log, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    connectTimeout: commandMs,
    socketTimeout: silentMs,
    maxRetriesPerRequest: 1,
    ...options,
  });
  let isGone = false;
  redis.on("error", (error: unknown) => {
    if (!isGone) log.warn({ err: error }, "the queue's Redis cannot be reached; polls wait for it");
    isGone = true;
  });
  redis.on("ready", () => {
    if (isGone) log.info({}, "the queue's Redis answers again");
    isGone = false;
  });
  return redis;
}

/** Connects at once, and again for as long as it takes. */
export function createPollQueue({ url, prefix, expression, log }: PollQueueDeps): PollQueue {
  const redis = connectRedis(url, log, { commandTimeout: commandMs });
  const backListeners: (() => void)[] = [];
  redis.once("ready", () => {
    redis.on("ready", () => {
      rights.doubt();
      for (const listener of backListeners) listener();
    });
  });
  const notes = createNotes(redis, `${prefix}:notes`);
  const name = randomUUID();
  const rights = createServerRights({ notes, log, name });
  const times = slotTimes(expression);
  const repeatStrategy: RepeatStrategy = (after, _, name = "") => times.next(slotOfTick(name), after);
  // BullMQ asks once what Redis it has, and fails for ever where that fails; the doctor tells what is wrong with one.
  const settings = { prefix, settings: { repeatStrategy }, skipVersionCheck: true };
  const jobs = new Queue<Tick | Polls>(queueName, { connection: redis, ...settings });
  // The connection says what is to be said.
  jobs.on("error", () => undefined);

  async function addPolls(slot: number, at: number): Promise<void> {
    await jobs.add(
      "polls",
      { slot, at },
      {
        // One at a time for each slot, anywhere; what is asked for while it runs runs after it.
        deduplication: { id: slotId(slot), keepLastIfActive: true },
        ...jobOptions,
      },
    );
  }

  async function soon(guildId: string) {
    const slot = slotOf(guildId);
    await notes.due(slot, guildId);
    await addPolls(slot, Date.now());
  }

  return {
    name,
    rights,
    notes,
    times,
    expression,
    jobs,
    settings,
    isConnected: () => redis.status === "ready",
    onBack: (listener) => void backListeners.push(listener),
    addPolls,
    pollSoon(guildId) {
      soon(guildId).catch((error: unknown) => {
        log.warn({ err: error, guild: guildId }, "the workers could not be asked for a poll; the next tick brings one");
      });
    },
    async close() {
      await jobs.close();
      redis.disconnect();
    },
  };
}
