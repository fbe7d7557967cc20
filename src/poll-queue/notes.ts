import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { z } from "zod";
import { StorageError } from "../storage/table.ts";
import { slotCount } from "./slots.ts";

/** What a server's lists showed is worth as long: after that they are read anew. */
const memorySeconds = 24 * 60 * 60;
/** Taken off the slot at a time: more than it has servers. */
const mostDue = 1_000_000;
/** Read at a time: 13 MB at most (`handed-lists.ts`). */
const memoriesAtOnce = 50;
/** In the set of what is due: every server of the slot. */
export const everyone = "*";

/** In the set of what is due: the process of this name is asked to leave the slot to another one. */
export const requestTo = (holder: string) => `request ${holder}`;
export const isRequest = (due: string) => due.startsWith(requestTo(""));

const slotStateSchema = z.object({ polledAt: z.number(), delayMs: z.number(), holder: z.string().optional() });

/**
 * How the last tick of a slot went: when its polls began (epoch ms), how much later than due, and in which process; a
 * process of an older version does not say that.
 */
export type SlotState = z.infer<typeof slotStateSchema>;

const memorySchema = z.object({ version: z.number(), mark: z.string(), text: z.string() });

/** What the lists of one server showed, of which version of what is kept for it. */
export type Memory = z.infer<typeof memorySchema>;

/** What is known of the servers of one slot when it is polled. */
export interface SlotNotes {
  /** How often anything that is kept for a server was written: a sum of random steps. */
  readonly versions: ReadonlyMap<string, number>;
  /** Which memory of its lists is the newest. */
  readonly marks: ReadonlyMap<string, string>;
  /** Which servers are to be polled; {@link everyone} for all. Among them {@link requestTo}. */
  readonly due: readonly string[];
  /** Changes with every change of which servers are polled. */
  readonly roster: string;
}

/**
 * What processes tell each other about servers, in the queue's Redis. All of it may be lost: then lists are read anew, as
 * after a restart. Every method rejects with a `StorageError`.
 *
 * For each server about 40 bytes of versions and marks, and the memory of its lists for a day; nothing here is read for a
 * single quiet poll, but once for all servers of a slot.
 */
export interface Notes {
  /** Takes what is due off the slot, and reads what is known. */
  begin(slot: number): Promise<SlotNotes>;
  /** Whether anything is due in a slot. */
  isDue(slot: number): Promise<boolean>;
  /** Notes that a server is due in a slot, or {@link everyone}, or {@link requestTo}. */
  due(slot: number, guildId: string): Promise<void>;
  version(slot: number, guildId: string): Promise<number>;
  /** Raises the version by so much and gives what it comes to. */
  raise(slot: number, guildId: string, by: number): Promise<number>;
  memories(guildIds: readonly string[]): Promise<(Memory | undefined)[]>;
  keepMemory(slot: number, guildId: string, memory: Memory): Promise<void>;
  /** What {@link Notes.keepHealth} kept. */
  health(slot: number, guildId: string): Promise<unknown>;
  /** Deletes what is known of a server. Its version stays: other processes may still remember what it was. */
  forget(slot: number, guildId: string): Promise<void>;
  keepHealth(slot: number, guildId: string, text: string): Promise<void>;
  slotState(slot: number): Promise<SlotState | undefined>;
  slotStates(): Promise<ReadonlyMap<number, SlotState>>;
  keepSlotState(slot: number, state: SlotState): Promise<void>;
  /** As {@link SlotNotes.roster}. */
  roster(): Promise<string>;
  rosterChanged(): Promise<void>;
}

function parsed<T>(schema: z.ZodType<T>, text: string | null | undefined): T | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** @param prefix of every key */
export function createNotes(redis: Redis, prefix: string): Notes {
  const key = (...parts: (string | number)[]) => [prefix, ...parts].join(":");
  const versionsKey = (slot: number) => key("versions", slot);
  let breaks = 0;
  redis.on("close", () => breaks++);

  async function asked<T>(what: string, command: Promise<T>): Promise<T> {
    try {
      return await command;
    } catch (cause) {
      throw new StorageError(`queue ${what}`, cause);
    }
  }

  return {
    begin: (slot) =>
      asked(
        "begin",
        (async function read() {
          const asOf = breaks;
          const answers = await redis
            .pipeline()
            .hgetall(versionsKey(slot))
            .hgetall(key("marks", slot))
            .spop(key("due", slot), mostDue)
            .get(key("roster"))
            .exec();
          const [versions, marks, due, roster] = z
            .tuple([
              z.record(z.string(), z.coerce.number().int().catch(0)),
              z.record(z.string(), z.string()),
              z.array(z.string()),
              z.string().nullable(),
            ])
            .parse(
              answers?.map(([error, answer]) => {
                if (error) throw error;
                return answer;
              }),
            );
          return {
            versions: new Map(Object.entries(versions)),
            marks: new Map(Object.entries(marks)),
            // Sent once more by itself when the connection broke: nobody has heard what was taken the first time.
            due: breaks === asOf ? due : [everyone],
            roster: roster ?? "",
          };
        })(),
      ),
    isDue: async (slot) => (await asked("due", redis.exists(key("due", slot)))) > 0,
    due: async (slot, guildId) => void (await asked("due", redis.sadd(key("due", slot), guildId))),
    version: async (slot, guildId) => Number(await asked("version", redis.hget(versionsKey(slot), guildId))),
    raise: (slot, guildId, by) => asked("raise", redis.hincrby(versionsKey(slot), guildId, by)),
    async memories(guildIds) {
      const memories: (Memory | undefined)[] = [];
      for (let start = 0; start < guildIds.length; start += memoriesAtOnce) {
        const keys = guildIds.slice(start, start + memoriesAtOnce).map((id) => key("memory", id));
        const texts = await asked("memories", redis.mget(keys));
        memories.push(...texts.map((text) => parsed(memorySchema, text)));
      }
      return memories;
    },
    async keepMemory(slot, guildId, memory) {
      const kept = redis.set(key("memory", guildId), JSON.stringify(memory), "EX", memorySeconds);
      await asked("memory", Promise.all([kept, redis.hset(key("marks", slot), guildId, memory.mark)]));
    },
    async forget(slot, guildId) {
      const known = [redis.hdel(key("marks", slot), guildId), redis.hdel(key("health", slot), guildId)];
      await asked("forget", Promise.all([...known, redis.del(key("memory", guildId))]));
    },
    health: async (slot, guildId) =>
      parsed(z.unknown(), await asked("health", redis.hget(key("health", slot), guildId))),
    keepHealth: async (slot, guildId, text) =>
      void (await asked("health", redis.hset(key("health", slot), guildId, text))),
    slotState: async (slot) => parsed(slotStateSchema, await asked("slots", redis.hget(key("slots"), String(slot)))),
    async slotStates() {
      const all = await asked("slots", redis.hgetall(key("slots")));
      const states = new Map<number, SlotState>();
      for (let slot = 0; slot < slotCount; slot++) {
        const state = parsed(slotStateSchema, all[slot]);
        if (state) states.set(slot, state);
      }
      return states;
    },
    keepSlotState: async (slot, state) =>
      void (await asked("slots", redis.hset(key("slots"), String(slot), JSON.stringify(state)))),
    roster: async () => (await asked("roster", redis.get(key("roster")))) ?? "",
    // A count that begins anew in a Redis that forgot it would come to what it was.
    rosterChanged: async () => void (await asked("roster", redis.set(key("roster"), randomUUID()))),
  };
}
