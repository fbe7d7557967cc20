import { z } from "zod";
import { budgets } from "../basics/budgets.ts";
import { createKeyedMutex } from "../basics/mutex.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import { type HandlingPress, type OrderHandling, pressesOf, type Take, type Takes } from "../views/orders/handling.ts";
import { ProblemError } from "../views/parts/problem.ts";

/**
 * Counted from the last press; there is one entry at most for each order. It has 150 bytes until the order is given back, and
 * 1 kB at most.
 */
const keptMs = 90 * 24 * 60 * 60_000;
/** Presses before the present take, 75 bytes each as they are stored. Of more the oldest go, and only those of the same order. */
const mostPast = 10;
/** Rows removed in one commit, which holds the event loop for a millisecond. */
const removedAtOnce = 100;
/** Presses in one server, by each process, before its orders are counted again: so many more it may have than it is to keep. */
const countEvery = 500;
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

const pastSchema = z
  .array(z.object({ press: z.enum(["take", "done", "back"]), by: z.string(), at: z.number() }))
  .readonly();

/** Of a taken order, and of one that was given back. */
const keptSchema = z.union([
  takeSchema.extend({ past: pastSchema.optional().catch(undefined) }),
  z.object({ past: pastSchema }),
]);
type Kept = Readonly<z.infer<typeof keptSchema>>;

/** Who took which order, by the ids of a server's orders. A malformed entry is none: the order can be taken. */
export const takesTable: TableShape<Kept | null> = {
  name: "takes",
  schema: keptSchema.nullable().catch(null),
  version: 1,
};

function handlingOf(kept: Kept | null | undefined): OrderHandling {
  if (!kept) return { take: undefined, past: [] };
  const { past = [], ...take } = kept;
  return { take: "by" in take ? take : undefined, past };
}

/** A row of a server, and the person and time of its last press. */
interface LastPress {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}

/** What is too much: the oldest of those people who have most. */
function beyond(rows: readonly LastPress[], most: number): LastPress[] {
  const ofPeople = [...Map.groupBy(rows, ({ by }) => by).values()].sort((one, other) => one.length - other.length);
  let room = most;
  return ofPeople.flatMap((theirs, index) => {
    const kept = Math.min(theirs.length, Math.floor(room / (ofPeople.length - index)));
    room -= kept;
    return theirs.toSorted((one, other) => other.at - one.at).slice(kept);
  });
}

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

/** The outcome of a press; `take` is the claim that holds now. */
export interface Handled {
  readonly isDone: boolean;
  readonly take: Take | undefined;
}

/** Who took which order of a server. Every method throws `StorageError`. */
export interface Handling {
  /** Of two who take one order at the same moment, in whichever processes, one does. Durable when it resolves. Throws a `ProblemError` where no store is connected. */
  press(press: HandlingPress, handler: Handler, orderId: string): Promise<Handled>;
  of(guildId: string, orderIds: readonly string[]): Promise<Takes>;
  /** Who has one order, and what was pressed of it in the last 90 days: the newest 10 presses before they took it. */
  ofOrder(guildId: string, orderId: string): Promise<OrderHandling>;
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
      const { take } = handlingOf(found[index]);
      return take ? [[id, take] as const] : [];
    }),
  );
}

/** The state after a press; undefined where the person may not press it, or nothing changes. */
function after(
  press: HandlingPress,
  { take, past }: OrderHandling,
  { userId: by, isManager }: Handler,
  at: number,
): OrderHandling | undefined {
  if (press === "take") return take ? undefined : { take: { by, at }, past };
  const isTheirs = take && (isManager || take.by === by || take.done?.by === by);
  if (!isTheirs) return undefined;
  if (press === "done") return take.done ? undefined : { take: { ...take, done: { by, at } }, past };
  return { take: undefined, past: [...past, ...pressesOf(take), { press, by, at }].slice(-mostPast) };
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
  const inTurn = createKeyedMutex();
  const lists = storage.table(takenTable);
  const tableOf = (guildId: string) => storage.table(takesTable, guildId);

  /** Of each server, how many presses fit before its rows are counted. */
  const uncounted = new Map<string, number>();

  const lastPressOf = (id: string, kept: Kept | null | undefined): LastPress => {
    const { take, past } = handlingOf(kept);
    const { by = "", at = 0 } = [...past, ...(take ? pressesOf(take) : [])].at(-1) ?? {};
    return { id, by, at };
  };

  async function makeRoom(guildId: string): Promise<void> {
    const left = uncounted.get(guildId) ?? 0;
    uncounted.set(guildId, (left || countEvery) - 1);
    if (left > 0) return;
    const table = tableOf(guildId);
    const rows: LastPress[] = [];
    for await (const [id, kept] of table.entries()) rows.push(lastPressOf(id, kept));
    const gone = beyond(rows, budgets.takes.ofServer);
    for (let start = 0; start < gone.length; start += removedAtOnce) {
      const some = new Map(gone.slice(start, start + removedAtOnce).map(({ id, at }) => [id, at]));
      const stored = await table.read([...some.keys()]);
      // Somebody may have pressed meanwhile: then it stays, and is counted the next time.
      const same = stored.filter(({ key, value }) => lastPressOf(key, value).at === some.get(key));
      await storage.commit(same.map((row) => table.remove(row)));
    }
  }

  const ofOrder = async (guildId: string, orderId: string) => handlingOf(await tableOf(guildId).get(orderId));

  /** The outcome of a press; undefined where the order or the list was changed since they were read, and nothing was written. */
  async function attempt(press: HandlingPress, handler: Handler, orderId: string): Promise<Handled | undefined> {
    const { guildId } = handler;
    const table = tableOf(guildId);
    const [[order = absent(orderId)], [list = absent(guildId)]] = await Promise.all([
      table.read([orderId]),
      lists.read([guildId]),
    ]);
    const before = handlingOf(order.value);
    const next = after(press, before, handler, now());
    if (next === undefined) return { isDone: false, take: before.take };
    const { take, past } = next;
    const others = (list.value ?? []).filter(([id]) => id !== orderId);
    const mine: Listed[] = take && !take.done ? [[orderId, take.by, take.at]] : [];
    const isWritten = await storage.commit([
      table.put(order, { ...take, past }, { ttlMs: keptMs }),
      lists.put(list, [...others, ...mine].slice(-mostListed)),
    ]);
    return isWritten ? { isDone: true, take } : undefined;
  }

  return {
    press: (press, handler, orderId) =>
      inTurn(handler.guildId, async () => {
        const { guildId } = handler;
        // No message has such a button.
        if (orderId === "") throw new ProblemError({ code: "unknown_action" });
        if (!(await mayKeep(guildId))) throw new ProblemError({ code: "not_connected" });
        await makeRoom(guildId);
        for (;;) {
          const handled = await attempt(press, handler, orderId);
          if (handled) return handled;
        }
      }),
    ofOrder,
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
        uncounted.delete(guildId);
        await tableOf(guildId).clear();
        await lists.delete(guildId);
      }),
  };
}
