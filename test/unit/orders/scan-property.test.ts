import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOfBaseline, newListBaseline } from "../../../src/baseline/baseline-rules.ts";
import { ListMemory } from "../../../src/orders/list-memory.ts";
import type { OrderRow } from "../../../src/orders/order-row.ts";
import { readList } from "../../../src/orders/read-list.ts";
import type { Order } from "../../../src/store-api/schemas.ts";
import { type OrderPage, StoreError } from "../../../src/store-api/store-api.ts";
import { dealtWith, factsOf, openRow } from "../../support/engine/order-rows.ts";
import {
  changed,
  createOrderList,
  ledgerOf,
  type OrderList,
  readBacklogPage,
  SORTINGS,
} from "../../support/engine/scan-model.ts";
import { sized } from "../../support/sized.ts";

type Event =
  | { readonly kind: "arrive"; readonly status: "PENDING" | "PAID"; readonly chances: readonly number[] }
  | { readonly kind: "pay" | "delete"; readonly which: number };

interface Turn {
  /** What happens before the poll, and before each of its page requests. */
  readonly before: readonly Event[];
  readonly between: readonly (readonly Event[])[];
  /** Counts from 0. No request fails if the poll makes fewer. */
  readonly fails: number | undefined;
  readonly restarts: boolean;
}

const RUNS = sized(100, 5_000);
// Shrinking ends before the test times out, so that a failure is printed with its seed.
const LIMITS = { numRuns: RUNS, interruptAfterTimeLimit: 15_000 * Math.max(1, RUNS / 100) };
const chance = fc.double({ min: 0, max: 1, noNaN: true });
const arrival: fc.Arbitrary<Event> = fc.record({
  kind: fc.constant("arrive" as const),
  status: fc.constantFrom("PENDING" as const, "PENDING" as const, "PAID" as const),
  chances: fc.oneof(
    { weight: 4, arbitrary: fc.array(chance, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(chance, { maxLength: 40, size: "max" }) },
  ),
});
const departure: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom("pay" as const, "delete" as const),
  which: fc.nat(),
});
const storeOptions = fc.record({
  sorting: fc.constantFrom(...SORTINGS),
  pageSize: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 100 })),
  filter: fc.constantFrom("PENDING", undefined),
});
const stock = fc.array(fc.tuple(fc.constantFrom("PENDING", "PENDING", "PAID"), chance), { maxLength: 60, size: "max" });
const turnOf = (event: fc.Arbitrary<Event>): fc.Arbitrary<Turn> =>
  fc.record({
    before: fc.array(event, { maxLength: 3 }),
    between: fc.array(fc.array(event, { maxLength: 2 }), { maxLength: 4 }),
    fails: fc.option(fc.nat({ max: 4 }), { nil: undefined, freq: 4 }),
    restarts: fc.integer({ min: 0, max: 30 }).map((draw) => draw === 30),
  });
const anyTurn = turnOf(fc.oneof(arrival, departure));
const turnCount = { maxLength: 30, size: "max" } as const;
const stillTurn: Turn = { before: [], between: [], fails: undefined, restarts: false };
const someTurn = fc.oneof({ weight: 2, arbitrary: anyTurn }, { weight: 3, arbitrary: fc.constant(stillTurn) });
const calmTurn = anyTurn.map((turn): Turn => ({ ...turn, between: [], fails: undefined, restarts: false }));

/** These changes shift the list in one direction. */
const oneWayTurns = fc.oneof(...[departure, arrival].map((change) => fc.array(turnOf(change), turnCount)));

/** How long an unannounced order has waited: polls in a row that ended well and during which the list did not change. */
interface Wait {
  stillPolls: number;
}

/** Checks what every poll finds. */
function createLedger(list: OrderList) {
  const rows = new Map<string, OrderRow>();
  const announced = new Map<string, number>();
  const needless = new Map<string, number>();
  const countOneMore = (counts: Map<string, number>, id: string) => counts.set(id, (counts.get(id) ?? 0) + 1);
  const isOpen = (id: string) => rows.get(id)?.state === "open";

  return {
    rows,
    /** How often each order was alerted. */
    announced,
    /** How often an order was reported as missing although the list had it. */
    needless,
    /** Alerted orders that have not left. */
    open: () => [...rows.keys()].filter(isOpen),
    /** `since` is set while the baseline is read. */
    inspect({ items }: OrderPage, since: number | undefined) {
      const lists = since === undefined ? [] : [newListBaseline(["PENDING"], since)];
      const isOld = (order: Order) => isOfBaseline(order, { lists });
      const unknown = items.filter(({ id, status }) => status === "PENDING" && !rows.has(id));
      const fresh = unknown.filter((order) => !isOld(order));
      return {
        leadsOn: fresh.length > 0,
        isAllNew: fresh.length > 0 && fresh.length === items.length,
        async record() {
          for (const { id, status } of items) if (isOpen(id) && status !== "PENDING") rows.set(id, dealtWith);
          for (const order of unknown.filter(isOld)) rows.set(order.id, dealtWith);
          for (const order of fresh.filter(({ id }) => !rows.has(id))) {
            rows.set(order.id, openRow(factsOf(order)));
            countOneMore(announced, order.id);
          }
          return items.map(({ id }) => id).filter(isOpen);
        },
      };
    },
    followUp(missing: readonly string[]) {
      expect(missing.length).toBeLessThanOrEqual(5);
      const pending = new Set(list.ids("PENDING"));
      for (const id of missing) {
        expect(isOpen(id)).toBe(true);
        if (pending.has(id)) countOneMore(needless, id);
        else rows.set(id, dealtWith);
      }
    },
  };
}

/** A store, and the ledger and memory of its poller. */
function createWorld(options: Parameters<typeof createOrderList>[0], initial: readonly (readonly [string, number])[]) {
  const list: OrderList = createOrderList(options);
  for (const [status, draw] of initial) list.arrive(status, draw);
  const { inspect, followUp, ...books } = createLedger(list);
  const { rows } = books;
  const waits = new Map<string, Wait>();
  let memory = new ListMemory(["PENDING"]);
  let unrest = 0;

  const happen = (events: readonly Event[]) => {
    for (const event of events) {
      const pending = list.ids("PENDING");
      const id = event.kind === "arrive" ? undefined : pending[event.which % pending.length];
      if (event.kind === "arrive") for (const draw of event.chances) list.arrive(event.status, draw);
      else if (id !== undefined && event.kind === "pay") list.setStatus(id, "PAID");
      else if (id !== undefined) list.remove(id);
      for (const wait of waits.values()) wait.stillPolls = -1;
    }
  };

  const poll = async (turn: Turn, since?: number) => {
    if (turn !== stillTurn) unrest += 1;
    if (turn.restarts) {
      memory = new ListMemory(["PENDING"]);
      waits.clear();
    }
    happen(turn.before);
    for (const id of list.ids("PENDING")) if (!rows.has(id) && !waits.has(id)) waits.set(id, { stillPolls: 0 });
    const before = books.announced.size;
    let requests = 0;
    const { failures, missing } = await readList(memory, {
      ledger: ledgerOf(rows),
      async readPage(number, fingerprint) {
        happen(turn.between[requests] ?? []);
        requests += 1;
        if (requests - 1 === turn.fails) throw new StoreError("unavailable", "orders");
        return changed(list.page(number), fingerprint);
      },
      inspect: async (page) => inspect(page, since),
    });
    followUp(missing);
    const pending = new Set(list.ids("PENDING"));
    for (const [id, wait] of waits) {
      if (rows.has(id) || !pending.has(id)) waits.delete(id);
      wait.stillPolls = failures.length > 0 ? 0 : wait.stillPolls + 1;
    }
    return { fresh: books.announced.size - before, requests };
  };
  /** Nothing else happens meanwhile. */
  const rest = async (polls: number) => {
    for (let left = polls; left > 0; left -= 1) await poll(stillTurn);
  };
  const unannounced = () => list.ids("PENDING").filter((id) => !rows.has(id));
  return { list, ...books, waits, poll, rest, unannounced, unrest: () => unrest };
}

/** Polls in which every page of an unchanging list is read. */
const round = (list: OrderList) => Math.max(1, list.lastPage() - 1);

type World = ReturnType<typeof createWorld>;

const inAnyStore = (
  turns: fc.Arbitrary<Turn[]>,
  check: (world: World, turns: readonly Turn[]) => Promise<void>,
  stores: typeof storeOptions = storeOptions,
) =>
  fc.assert(
    fc.asyncProperty(stores, stock, turns, (options, initial, drawn) => check(createWorld(options, initial), drawn)),
    LIMITS,
  );

describe("reading an ever-changing order list", () => {
  test("rings once for every order that stays pending, whatever happens between two requests", () =>
    inAnyStore(fc.array(someTurn, { maxLength: 40, size: "max" }), async (world, turns) => {
      for (const turn of turns) {
        await world.poll(turn);
        for (const wait of world.waits.values()) expect(wait.stillPolls).toBeLessThan(round(world.list));
      }

      await world.rest(round(world.list));

      expect(world.unannounced()).toEqual([]);
      expect([...world.announced.values()].every((times) => times === 1)).toBe(true);
    }));

  test("rings for new orders by the next poll where the store puts them first or last", () =>
    inAnyStore(
      fc.array(calmTurn, { maxLength: 25, size: "max" }),
      async (world, turns) => {
        await world.rest(world.list.lastPage());
        for (const turn of turns) {
          await world.poll(turn);
          expect(world.unannounced()).toEqual([]);
        }
      },
      // A poll reads runs of up to 20 further pages, and a turn has up to 120 arrivals.
      storeOptions
        .filter(({ sorting }) => sorting === "newest first" || sorting === "oldest first")
        .map((options) => ({ ...options, filter: "PENDING", pageSize: Math.max(6, options.pageSize) })),
    ));

  test("makes at most 3 requests a poll while nothing is new, whatever leaves meanwhile", () =>
    inAnyStore(
      fc.array(
        turnOf(departure).map((turn) => ({ ...turn, fails: undefined, restarts: false })),
        { maxLength: 25, size: "max" },
      ),
      async (world, turns) => {
        await world.poll(stillTurn);
        for (const turn of turns) {
          const { fresh, requests } = await world.poll(turn);
          if (fresh === 0 && world.waits.size === 0) expect(requests).toBeLessThanOrEqual(3);
        }
      },
      // If each page has a single order, one store in some 10,000 drawn ones takes up to 5 requests once.
      storeOptions.filter(({ pageSize }) => pageSize > 1),
    ));

  test("tells within 2 rounds of every open order that left, and hardly ever of one that stayed", () =>
    inAnyStore(fc.array(someTurn, turnCount), async (world, turns) => {
      for (const turn of turns) await world.poll(turn);
      const pending = new Set(world.list.ids("PENDING"));
      const needless = new Map(world.needless);

      for (const times of needless.values()) expect(times).toBeLessThanOrEqual(world.unrest() + 1);

      const left = world.open().filter((id) => !pending.has(id) && !needless.has(id));
      const polls = 2 * round(world.list) + Math.ceil(world.open().length / 5);
      await world.rest(polls);

      const open = new Set(world.open());
      expect(left.filter((id) => open.has(id))).toEqual([]);
      for (const [id, times] of world.needless) expect(times).toBeLessThanOrEqual((needless.get(id) ?? 0) + 2);
    }));

  test("rings for nothing that was there before, while the baseline is read and after", () =>
    inAnyStore(oneWayTurns, async (world, turns) => {
      const { list, rows } = world;
      const old = new Set([...list.ids("PENDING"), ...list.ids("PAID")]);
      let state = newListBaseline(["PENDING"], list.clock());
      const readBaseline = async () => {
        state = await readBacklogPage({
          state,
          readPage: async (page) => list.page(page),
          takeAsSeen: async (ids) => {
            const unknown = ids.filter((id) => !rows.has(id));
            for (const id of unknown) rows.set(id, dealtWith);
            return unknown.length;
          },
        });
      };

      for (const turn of turns) {
        await world.poll(turn, state.done ? undefined : state.since);
        await readBaseline();
      }
      // Four passes are the most. In a list at rest, the first of the remaining passes finds everything.
      for (let rest = 5 * list.lastPage(); !state.done && rest > 0; rest -= 1) await readBaseline();

      expect(state.done).toBe(true);

      await world.rest(round(list));

      expect([...world.announced.keys()].filter((id) => old.has(id))).toEqual([]);

      const arrived = list.ids("PENDING").filter((id) => !old.has(id));
      expect(arrived.filter((id) => !world.announced.has(id))).toEqual([]);
    }));
});
