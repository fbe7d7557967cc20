import { z } from "zod";
import type { Member } from "../basics/discord-id.ts";
import { budgets } from "../basics/limits/budgets.ts";
import { createCache } from "../basics/limits/cache.ts";
import { createKeyedMutex } from "../basics/limits/mutex.ts";
import type { Guilds } from "../guilds/guilds.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import {
  type HandlingPress,
  type OrderHandling,
  type OrderPress,
  pressesOf,
  type Take,
  type Takes,
} from "../views/orders/handling.ts";
import { ProblemError } from "../views/parts/problem.ts";

/** Taken, but not done. */
export interface TakenOrder {
  readonly id: string;
  readonly take: Take;
}

/**
 * How long a row is stored after the last press on its order. A row takes 150 bytes. If the order was given back, the row also
 * has earlier presses, and takes up to 1 kB.
 */
const keptMs = 90 * 24 * 60 * 60_000;
/** At most this many presses before the present take are stored, 75 bytes each. */
const mostPast = 10;
/** A commit of this many rows blocks the event loop for a millisecond. */
const removedAtOnce = 100;
/** A server's rows are counted after this many presses. So each process may store up to 500 rows beyond the limit. */
const countEvery = 500;

const takeSchema = z.object({
  by: z.string(),
  at: z.number(),
  done: z.object({ by: z.string(), at: z.number() }).optional().catch(undefined),
});

const pastSchema = z
  .array(z.object({ press: z.enum(["take", "done", "back"]), by: z.string(), at: z.number() }))
  .readonly();

/** After an order was given back, it has no take. */
const keptSchema = z.union([
  takeSchema.extend({ past: pastSchema.optional().catch(undefined) }),
  z.object({ past: pastSchema }),
]);
type Kept = Readonly<z.infer<typeof keptSchema>>;

/** Keys are order ids. A malformed row counts as empty: the order can be taken. */
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

function lastPressOf(kept: Kept | null | undefined): Pick<OrderPress, "by" | "at"> {
  const { take, past } = handlingOf(kept);
  return [...past, ...(take ? pressesOf(take) : [])].at(-1) ?? { by: "", at: 0 };
}

/** A manager may do what the person who took the order may do. */
export interface Handler extends Member {
  readonly isManager: boolean;
}

/** `isDone`: whether the press changed anything. `take`: the take after the press. */
export interface Handled {
  readonly isDone: boolean;
  readonly take: Take | undefined;
}

/** Throws `StorageError`. */
export async function readTakes(storage: Storage, guildId: string, ids: readonly string[]): Promise<Takes> {
  const rows = await storage.table(takesTable, guildId).read(ids);
  return new Map(
    rows.flatMap(({ key: id, value }) => {
      const { take } = handlingOf(value);
      return take ? [[id, take] as const] : [];
    }),
  );
}

/** Undefined if the person may not press the button, or if nothing changes. */
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

/** Every method throws `StorageError`. */
export type Handling = ReturnType<typeof createHandling>;

/** `now` is epoch ms. */
export function createHandling(deps: {
  readonly storage: Storage;
  readonly mayKeep: Guilds["mayKeep"];
  readonly now: () => number;
}) {
  const { storage, mayKeep, now } = deps;
  /** Keys are server ids. With a single process, a list has at most 5,500 orders (1 MB). */
  const lists = createCache<readonly TakenOrder[]>({ keptMs: 5_000, most: 20 }, () => performance.now());
  const inTurn = createKeyedMutex();
  const tableOf = (guildId: string) => storage.table(takesTable, guildId);

  /** Keys are server ids. After this many presses, the server's rows are counted again. */
  const uncounted = new Map<string, number>();

  /** Removes the oldest rows of the people with the most rows, so one person cannot push out the orders of others. */
  async function makeRoom(guildId: string): Promise<void> {
    const left = uncounted.get(guildId) ?? 0;
    uncounted.set(guildId, (left || countEvery) - 1);
    if (left > 0) return;
    const table = tableOf(guildId);
    const rows: { readonly id: string; readonly by: string; readonly at: number }[] = [];
    for await (const { key: id, value: kept } of table.rows()) rows.push({ id, ...lastPressOf(kept) });
    const ofPeople = Map.groupBy(
      rows.sort((one, other) => other.at - one.at),
      ({ by }) => by,
    );
    const gone = [...ofPeople.values()]
      .flatMap((theirs) => theirs.map((row, place) => ({ ...row, place })))
      .sort((one, other) => one.place - other.place || other.at - one.at)
      .slice(budgets.takes.ofServer);
    for (let start = 0; start < gone.length; start += removedAtOnce) {
      const some = new Map(gone.slice(start, start + removedAtOnce).map(({ id, at }) => [id, at]));
      const stored = await table.read([...some.keys()]);
      // A row that changed after it was counted stays until the next count.
      const same = stored.filter(({ key, value }) => lastPressOf(value).at === some.get(key));
      await storage.commit(same.map((row) => table.remove(row)));
    }
  }

  /** Newest first. Reads every row of the server: for 5,500 orders with many earlier presses, 150 ms of processor time. */
  async function listOf(guildId: string) {
    const open: TakenOrder[] = [];
    for await (const { key: id, value: kept } of tableOf(guildId).rows()) {
      const { take } = handlingOf(kept);
      if (take && !take.done) open.push({ id, take });
    }
    return open.sort((one, other) => other.take.at - one.take.at);
  }

  return {
    /**
     * If two people take one order at the same moment, only one of them gets it, even in two processes. Throws a `ProblemError`
     * if no store is connected.
     */
    press: (press: HandlingPress, handler: Handler, orderId: string): Promise<Handled> =>
      inTurn(handler.guildId, async () => {
        const { guildId } = handler;
        await makeRoom(guildId);
        const table = tableOf(guildId);
        for (;;) {
          const kept = await mayKeep(guildId);
          if (kept === undefined) throw new ProblemError({ code: "not_connected" });
          const [order = absent(orderId)] = await table.read([orderId]);
          const before = handlingOf(order.value);
          const next = after(press, before, handler, now());
          if (next === undefined) return { isDone: false, take: before.take };
          const step = table.put(order, { ...next.take, past: next.past }, { ttlMs: keptMs });
          if (await storage.commit([...kept, step])) return { isDone: true, take: next.take };
        }
      }).finally(() => lists.forget(handler.guildId)),
    /** The take, and the newest 10 presses before it. Both are deleted 90 days after the last press. */
    ofOrder: async (guildId: string, orderId: string): Promise<OrderHandling> =>
      handlingOf(await tableOf(guildId).get(orderId)),
    of: (guildId: string, orderIds: readonly string[]): Promise<Takes> => readTakes(storage, guildId, orderIds),
    /** The orders that are taken and not done, the newest take first. A press in another process is seen within 5 s. */
    taken: (guildId: string): Promise<readonly TakenOrder[]> => lists.get(guildId, () => listOf(guildId)),
  };
}
