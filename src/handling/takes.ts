import { z } from "zod";
import { createTurns } from "../basics/queue.ts";
import type { Storage, TableShape } from "../storage/table.ts";
import type { HandlingPress, Take, Takes } from "../views/handling.ts";
import { ProblemError } from "../views/problem.ts";

/** Taken orders stay so for this long; an entry has 150 bytes, and there is one at most for each order. */
const keptMs = 90 * 24 * 60 * 60_000;
/**
 * Orders of one server that are taken and not done, as far as they can be listed: 90 bytes each, so a press rewrites 45 kB at
 * most. Beyond that the oldest leaves the list; it stays taken.
 */
const mostListed = 500;

const takeSchema = z.object({
  by: z.string(),
  at: z.number(),
  done: z.object({ by: z.string(), at: z.number() }).optional().catch(undefined),
});

/** The takes of each server, by the ids of orders. A malformed one is none: the order can be taken. */
export const takesTable: TableShape<Take | null> = {
  name: "takes",
  schema: takeSchema.nullable().catch(null),
  version: 1,
};

/** As it is stored: which order, by whom, when. */
const listedSchema = z.tuple([z.string(), z.string(), z.number()]);
type Listed = Readonly<z.infer<typeof listedSchema>>;

/** By the ids of servers, what is taken and not done, the oldest first. It may name what is neither. */
export const takenTable: TableShape<readonly Listed[]> = {
  name: "taken",
  schema: z.array(listedSchema).catch([]),
  version: 1,
};

/** Who acts: a manager may do what the person may who took an order. */
export interface Handler {
  readonly guildId: string;
  readonly userId: string;
  readonly isManager: boolean;
}

/** What became of a press: `take` is what holds now. */
export interface Handled {
  readonly isDone: boolean;
  readonly take: Take | undefined;
}

/** Who took which order of a server. Every method throws `StorageError`. */
export interface Handling {
  /**
   * One press at a time for each server, in this process: a server's presses come to the one that runs its shard. Durable
   * when it resolves. Throws a `ProblemError` where no store is connected.
   */
  press(press: HandlingPress, handler: Handler, orderId: string): Promise<Handled>;
  of(guildId: string, orderIds: readonly string[]): Promise<Takes>;
  /** Orders that are taken and not done, the newest first. */
  taken(guildId: string): Promise<readonly { readonly id: string; readonly take: Take }[]>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

/** Who took these orders, as it is stored. Throws `StorageError`. */
export async function readTakes(storage: Storage, guildId: string, ids: readonly string[]): Promise<Takes> {
  const found = await storage.table(takesTable, guildId).getMany(ids);
  return new Map(
    ids.flatMap((id, index) => {
      const take = found[index];
      return take ? [[id, take] as const] : [];
    }),
  );
}

/** What holds after a press; nothing where it is not theirs to press, or already so. */
function after(press: HandlingPress, before: Take | undefined, { userId, isManager }: Handler, at: number) {
  if (press === "take") return before === undefined ? { next: { by: userId, at } } : undefined;
  if (before === undefined) return undefined;
  const isTheirs = isManager || before.by === userId || before.done?.by === userId;
  if (!isTheirs) return undefined;
  if (press === "back") return { next: undefined };
  return before.done === undefined ? { next: { ...before, done: { by: userId, at } } } : undefined;
}

/**
 * @param deps.mayKeep whether anything may be kept for a server: false as soon as it is being forgotten
 * @param deps.now epoch ms
 */
export function createHandling(deps: {
  readonly storage: Storage;
  readonly mayKeep: (guildId: string) => Promise<boolean>;
  readonly now: () => number;
}): Handling {
  const { storage, mayKeep, now } = deps;
  const inTurn = createTurns();
  const lists = storage.table(takenTable);
  const tableOf = (guildId: string) => storage.table(takesTable, guildId);

  /** An id is on the list before its entry says so, and leaves it after: a crash in between leaves an id too many. */
  async function write(guildId: string, orderId: string, next: Take | undefined) {
    const rows = (await lists.get(guildId)) ?? [];
    const others = rows.filter(([id]) => id !== orderId);
    if (next && !next.done)
      await lists.set(guildId, [...others, [orderId, next.by, next.at] as const].slice(-mostListed));
    if (next) await tableOf(guildId).set(orderId, next, { ttlMs: keptMs });
    else await tableOf(guildId).delete(orderId);
    if ((!next || next.done) && others.length < rows.length) await lists.set(guildId, others);
  }

  return {
    press: (press, handler, orderId) =>
      inTurn(handler.guildId, async () => {
        const { guildId } = handler;
        // No message has such a button.
        if (orderId === "") throw new ProblemError({ code: "unknown_action" });
        if (!(await mayKeep(guildId))) throw new ProblemError({ code: "not_connected" });
        const before = (await tableOf(guildId).get(orderId)) ?? undefined;
        const change = after(press, before, handler, now());
        if (change === undefined) return { isDone: false, take: before };
        await write(guildId, orderId, change.next);
        return { isDone: true, take: change.next };
      }),
    of: (guildId, orderIds) => readTakes(storage, guildId, orderIds),
    async taken(guildId) {
      const ids = ((await lists.get(guildId)) ?? []).map(([id]) => id).reverse();
      const takes = await readTakes(storage, guildId, ids);
      return ids.flatMap((id) => {
        const take = takes.get(id);
        return take && !take.done ? [{ id, take }] : [];
      });
    },
    forget: (guildId) =>
      inTurn(guildId, async () => {
        await tableOf(guildId).clear();
        await lists.delete(guildId);
      }),
  };
}
