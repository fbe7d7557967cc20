import { beforeEach, describe, expect, it, vi } from "vitest";
import { retryAfterMs } from "../../../src/store-api/retry-after.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { type Priority, StoreQueue } from "../../../src/store-api/store-queue.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

const longest = { interactive: 12_000, background: 30_000 };
let queue: StoreQueue;
/** Results of calls, in the sequence of their arrival. */
let events: string[];
/** These functions end requests. */
let under: Record<Priority, (() => void)[]>;

useFakeTimers();
beforeEach(() => {
  queue = new StoreQueue();
  events = [];
  under = { interactive: [], background: [] };
});

/** Returns the controller that aborts the call. */
function call(name: string, priority: Priority, person?: string): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const endsAt = performance.now() + longest[priority];
  queue.enter({ priority, person, what: "GET /x", signal, endsAt }).then(
    (leave) => {
      events.push(`${name} in`);
      under[priority].push(leave);
    },
    (error: unknown) => {
      events.push(error instanceof StoreError ? `${name} ${error.code} ${error.retryAfterMs}` : `${name} ended`);
    },
  );
  return controller;
}
const leave = (priority: Priority) => under[priority].shift()?.();
const calls = (names: string, priority: Priority, person?: string) => {
  for (const name of names.split(" ")) call(name, priority, person);
};
/** Returns the events of this time. */
async function after(ms: number): Promise<string[]> {
  await vi.advanceTimersByTimeAsync(ms);
  return events.splice(0);
}

function people(from: number, count: number) {
  for (let nth = from; nth < from + count; nth += 1) call(`p${nth}`, "interactive", `p${nth}`);
}
/** Spends the budget of people: 60 requests, each answered at once. */
async function spendBudget() {
  for (let asked = 0; asked < 60; asked += 1) {
    people(0, 1);
    await after(0);
    leave("interactive");
  }
}

describe("the queue of one token", () => {
  it("sends four at a time: three of people or of polls, people first", async () => {
    calls("n1 n2 n3 n4", "background");
    calls("p1 p2 p3 p4", "interactive");
    expect(await after(0)).toEqual(["n1 in", "n2 in", "n3 in", "p1 in"]);

    leave("background");
    leave("background");
    expect(await after(0)).toEqual(["p2 in", "p3 in"]);

    leave("interactive");
    expect(await after(0)).toEqual(["p4 in"]);
    leave("background");
    expect(await after(0)).toEqual(["n4 in"]);
  });

  it("lets people take turns, no matter how much one of them requests", async () => {
    calls("a1 a2 a3 a4 a5 a6", "interactive", "a");
    await after(0);
    // Polls have turns of their own.
    calls("n n n n n n", "background");
    for (let poll = 0; poll < 6; poll += 1) {
      await after(0);
      leave("background");
    }
    calls("b1 b2", "interactive", "b");
    expect(await after(0)).toEqual([]);

    const order: string[] = [];
    for (let left = 0; left < 5; left++) {
      leave("interactive");
      order.push(...(await after(0)));
    }
    expect(order).toEqual(["b1 in", "a4 in", "b2 in", "a5 in", "a6 in"]);
  });

  it("skips a call that ended while it waited", async () => {
    calls("p1 p2 p3", "interactive");
    const ended = call("p4", "interactive");
    calls("p5", "interactive");
    await after(0);
    ended.abort(new Error("not wanted"));
    expect(await after(0)).toEqual(["p4 ended"]);

    leave("interactive");
    expect(await after(0)).toEqual(["p5 in"]);
  });

  it.each([
    ["of one person", "interactive", "a", "b"],
    ["of polls", "background", undefined, undefined],
  ] as const)("holds 20 requests %s, and further ones fail at once", async (_, priority, person, other) => {
    for (let nth = 0; nth <= 23; nth++) call(`c${nth}`, priority, person);
    expect((await after(0)).filter((event) => !event.endsWith(" in"))).toEqual(["c23 rate_limited 12000"]);

    call("another", "interactive", other);
    leave(priority);
    expect(await after(0)).toContain("another in");
  });
});

describe("the requests of the people of a token", () => {
  it("are limited to 60 at once, then 5 a second, in turns (0.1.0: as many as the store answered)", async () => {
    await spendBudget();
    calls("a1 a2", "interactive", "a");
    calls("b1", "interactive", "b");
    expect(await after(199)).toEqual([]);
    expect(await after(2)).toEqual(["a1 in"]);
    expect(await after(200)).toEqual(["b1 in"]);
    expect(await after(200)).toEqual(["a2 in"]);
  });

  it("are refused at once, with the wait, if their turn would come after their deadline", async () => {
    await spendBudget();
    people(1, 60);
    expect(await after(0)).toEqual(["p60 rate_limited 12000"]);

    for (let turn = 1; turn <= 59; turn += 1) {
      expect(await after(200)).toEqual([`p${turn} in`]);
      leave("interactive");
    }
  });

  it("are not refused because each of some other people makes many", async () => {
    await spendBudget();
    for (const person of ["a", "b", "c"]) calls("many ".repeat(20).trim(), "interactive", person);
    await after(0);
    call("one", "interactive", "d");
    await after(1_000);
    leave("interactive");
    expect(await after(0)).toEqual(["one in"]);
  });

  it("delay no poll", async () => {
    await spendBudget();
    people(1, 20);
    for (let count = 0; count < 200; count += 1) {
      calls("n", "background");
      expect(await after(0)).toEqual(["n in"]);
      leave("background");
    }
  });
});

describe("a 429 of the store", () => {
  it("pauses every request of the token until its time is over (0.1.0: polls and commands went on asking)", async () => {
    calls("n1 n2 n3 n4", "background");
    calls("p1 p2", "interactive");
    await after(0);
    queue.pause(1_500);
    for (const who of ["background", "background", "interactive"] as const) leave(who);
    calls("n5", "background");
    expect(queue.pausedMs()).toBe(1_500);
    expect(await after(1_490)).toEqual([]);
    expect(await after(12)).toEqual(["p2 in", "n4 in", "n5 in"]);
  });

  it("refuses at once calls that cannot wait that long: polls wait 2 s, people until the deadline of their call", async () => {
    calls("n1 n2 n3 n4", "background");
    await after(0);
    queue.pause(2_001);
    calls("n5", "background");
    calls("p1", "interactive");
    expect((await after(0)).toSorted()).toEqual(["n4 rate_limited 2001", "n5 rate_limited 2001"]);
    expect(await after(2_002)).toEqual(["p1 in"]);

    queue.pause(12_001);
    calls("p2", "interactive");
    expect(await after(0)).toEqual(["p2 rate_limited 12001"]);
  });

  it("without a time pauses for 1 s, then twice as long up to 30 s; those that come together count once", async () => {
    const waits: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      queue.pause(undefined);
      queue.pause(undefined);
      // The answer to a request from before the 429.
      queue.answered();
      waits.push(queue.pausedMs());
      await after(queue.pausedMs());
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);

    queue.answered();
    queue.pause(undefined);
    expect(queue.pausedMs()).toBe(1_000);
  });

  it("never shortens a pause, and causes no busy loop if it asks for no wait", async () => {
    queue.pause(3_000);
    queue.pause(0);
    expect(queue.pausedMs()).toBe(3_000);

    await after(3_000);
    queue.pause(0);
    expect(queue.pausedMs()).toBe(100);
  });
});

const now = Date.UTC(2025, 4, 1, 10);
it.each([
  ["0", 0],
  [" 0.5 ", 500],
  ["300", 300_000],
  ["3600", 300_000],
  ["3601", undefined],
  ["1746093605", undefined],
  ["-5", undefined],
  ["", undefined],
  ["soon", undefined],
  ["1e3", undefined],
  ["Thu, 01 May 2025 10:00:20 GMT", 20_000],
  ["Thu, 01 May 2025 09:00:00 GMT", 0],
  ["Thu, 01 May 2025 11:00:01 GMT", undefined],
  [["1", "2"], undefined],
])(
  "Retry-After %j is %s ms (0.1.0: milliseconds or an epoch silenced a server until the restart)",
  (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  },
);
