import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createEnding, type Ending } from "../../src/store-api/ending.ts";
import { createGate, type Gate } from "../../src/store-api/gate.ts";
import { retryAfterMs } from "../../src/store-api/retry-after.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { createTokens } from "../../src/store-api/tokens.ts";
import type { Priority } from "../../src/store-api/waiting-line.ts";

const longest = { interactive: 12_000, background: 30_000 };
let gate: Gate;
let endings: Ending[];
/** What became of each call, in the sequence in which that was known. */
let events: string[];

beforeEach(() => {
  vi.useFakeTimers();
  gate = createGate();
  endings = [];
  events = [];
});
afterEach(() => {
  for (const ending of endings) ending.forget();
  vi.useRealTimers();
});

function call(name: string, who: Priority, person?: string): Ending {
  const ending = createEnding(longest[who], undefined);
  endings.push(ending);
  gate.enter(who, "GET /x", ending, person).then(
    (entered) => events.push(entered ? `${name} in` : `${name} ended`),
    (error: unknown) => {
      const { code, retryAfterMs: wait } = error instanceof StoreError ? error : { code: "?", retryAfterMs: "?" };
      events.push(`${name} ${code} ${wait}`);
    },
  );
  return ending;
}
const calls = (names: string, who: Priority) => {
  for (const name of names.split(" ")) call(name, who);
};
/** Lets time pass, and what is due then happen; returns what came of it. */
async function after(ms: number): Promise<string[]> {
  await vi.advanceTimersByTimeAsync(ms);
  return events.splice(0);
}

describe("the places for requests of one token", () => {
  it("are four, of which people and polls get three each", async () => {
    calls("p1 p2 p3 p4 p5", "interactive");
    calls("n1 n2", "background");

    expect(await after(0)).toEqual(["p1 in", "p2 in", "p3 in", "n1 in"]);

    gate.leave("background");
    expect(await after(0)).toEqual(["n2 in"]);

    gate.leave("interactive");
    expect(await after(0)).toEqual(["p4 in"]);
  });

  it("go to people first", async () => {
    calls("n1 n2 n3 n4", "background");
    calls("p1 p2", "interactive");

    expect(await after(0)).toEqual(["n1 in", "n2 in", "n3 in", "p1 in"]);

    gate.leave("background");
    gate.leave("background");

    expect(await after(0)).toEqual(["p2 in", "n4 in"]);
  });

  it("are not taken by a call that ended while it waited", async () => {
    calls("p1 p2 p3", "interactive");
    const ended = call("p4", "interactive");

    calls("p5", "interactive");
    await after(0);
    ended.end("caller");

    expect(await after(0)).toEqual(["p4 ended"]);

    gate.leave("interactive");
    expect(await after(0)).toEqual(["p5 in"]);

    await after(12_000);
    gate.leave("interactive");

    expect(await after(0)).toEqual([]);
  });

  it("are waited for by 80 people and 20 polls, and further ones fail at once", async () => {
    calls(Array.from({ length: 85 }, (_, index) => `p${index}`).join(" "), "interactive");
    expect((await after(0)).filter((event) => !event.endsWith(" in"))).toEqual([
      "p83 rate_limited 12000",
      "p84 rate_limited 12000",
    ]);

    calls(Array.from({ length: 22 }, (_, index) => `n${index}`).join(" "), "background");
    expect(await after(0)).toEqual(["n0 in", "n21 rate_limited 12000"]);
  });
});

describe("people of one token", () => {
  const callsOf = (person: string, count: number) => {
    for (let number = 1; number <= count; number += 1) call(`${person}${number}`, "interactive", person);
  };

  it("take turns: whoever asks for much waits for themselves", async () => {
    callsOf("a", 10);
    callsOf("b", 2);
    callsOf("c", 1);

    expect(await after(0)).toEqual(["a1 in", "a2 in", "a3 in"]);

    const order: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      gate.leave("interactive");
      order.push(...(await after(0)));
    }

    expect(order.slice(0, 5)).toEqual(["b1 in", "c1 in", "a4 in", "b2 in", "a5 in"]);
  });

  it("have 20 waiting each, and a full line makes room for whoever has less in it", async () => {
    callsOf("a", 3);
    await after(0);
    callsOf("a", 21);

    expect((await after(0)).filter((event) => event.includes("rate_limited"))).toHaveLength(1);

    for (const person of ["b", "c", "d"]) callsOf(person, 20);
    await after(0);
    callsOf("owner", 1);
    const [refused, ...others] = await after(0);

    expect(refused).toMatch(/rate_limited/);
    expect(others).toEqual([]);

    gate.leave("interactive");
    gate.leave("interactive");

    expect(await after(0)).toEqual(["b1 in", "c1 in"]);

    gate.leave("interactive");
    gate.leave("interactive");

    expect(await after(0)).toEqual(["d1 in", "owner1 in"]);
  });
});

describe("what people of a token ask for", () => {
  const people = (from: number, count: number) =>
    calls(Array.from({ length: count }, (_, i) => `p${from + i}`).join(" "), "interactive");
  /** Each request is answered at once. */
  const answered = (count: number) => {
    for (let left = count; left > 0; left -= 1) gate.leave("interactive");
  };
  /** Asks for so many, each answered at once. */
  async function spend(count: number) {
    for (let asked = 0; asked < count; asked += 3) {
      people(0, 3);
      await after(0);
      answered(3);
    }
  }

  it("is 60 requests at once, then 5 a second (0.1.0: as many as the store answered)", async () => {
    await spend(60);
    people(1, 3);

    expect(await after(199)).toEqual([]);
    expect(await after(2)).toEqual(["p1 in"]);

    answered(1);
    expect(await after(200)).toEqual(["p2 in"]);

    answered(1);
    expect(await after(200)).toEqual(["p3 in"]);

    answered(1);
    await after(12_000);
    await spend(60);

    expect(await after(0)).toEqual([]);
  });

  it("is refused at once, with the time, where its turn would come after their patience", async () => {
    await spend(60);
    people(1, 60);

    expect(await after(0)).toEqual(["p60 rate_limited 12000"]);

    for (let turn = 1; turn <= 59; turn += 1) {
      expect(await after(200)).toEqual([`p${turn} in`]);
      answered(1);
    }
  });

  it("keeps no poll waiting", async () => {
    await spend(60);
    people(1, 20);
    calls("n1 n2 n3", "background");

    expect(await after(0)).toEqual(["n1 in", "n2 in", "n3 in"]);

    for (let count = 0; count < 200; count += 1) {
      gate.leave("background");
      calls("n", "background");
      expect(await after(0)).toEqual(["n in"]);
    }
  });

  it("waits for a 429 as well, and neither cuts the other short", async () => {
    await spend(60);
    gate.hold(performance.now(), 1_000);
    people(1, 3);

    expect(await after(990)).toEqual([]);
    expect(await after(12)).toEqual(["p1 in", "p2 in", "p3 in"]);
  });
});

describe("a 429 of the store", () => {
  it("holds every request of the token back until its time is over (0.1.0: polls and commands went on asking)", async () => {
    gate.hold(performance.now(), 1_500);
    calls("n1 n2", "background");
    calls("p1", "interactive");

    expect(gate.heldMs()).toBe(1_500);
    expect(await after(1_490)).toEqual([]);
    expect(await after(12)).toEqual(["p1 in", "n1 in", "n2 in"]);
  });

  it("refuses at once who cannot wait that long: polls 2 s, people as long as their call has", async () => {
    gate.hold(performance.now(), 2_001);
    calls("n1", "background");
    calls("p1", "interactive");

    expect(await after(0)).toEqual(["n1 rate_limited 2001"]);
    expect(await after(2_002)).toEqual(["p1 in"]);

    gate.hold(performance.now(), 12_001);
    calls("p2", "interactive");

    expect(await after(0)).toEqual(["p2 rate_limited 12001"]);
  });

  it("that comes while others wait for a place holds them, or refuses them", async () => {
    calls("n1 n2 n3 n4", "background");
    calls("p1 p2", "interactive");
    await after(0);
    gate.hold(performance.now(), 5_000);
    for (const who of ["background", "background", "background", "interactive"] as const) gate.leave(who);

    expect(await after(0)).toEqual(["n4 rate_limited 5000"]);
    expect(await after(4_990)).toEqual([]);
    expect(await after(11)).toEqual(["p2 in"]);
  });

  it("gives a poll that waited for a place 2 s from then on", async () => {
    calls("n1 n2 n3 n4", "background");
    await after(1_500);
    gate.hold(performance.now(), 1_000);
    gate.leave("background");

    expect(await after(0)).toEqual([]);
    expect(await after(1_001)).toEqual(["n4 in"]);
  });

  it("that makes a hold longer refuses those whose patience it exceeds", async () => {
    gate.hold(performance.now(), 1_000);
    calls("n1", "background");
    calls("p1", "interactive");
    await after(500);
    gate.hold(performance.now(), 4_000);

    expect(await after(0)).toEqual(["n1 rate_limited 4000"]);
    expect(await after(4_001)).toEqual(["p1 in"]);
  });

  it("without a time holds for 1 s, then twice as long up to 30 s while they go on", async () => {
    const waits: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      gate.hold(performance.now(), undefined);
      waits.push(gate.heldMs());
      await after(gate.heldMs());
    }

    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);

    gate.answered(performance.now());
    gate.hold(performance.now(), undefined);

    expect(gate.heldMs()).toBe(1_000);
  });

  it("counts once for requests that were under way together", async () => {
    const sentAt = performance.now();

    await after(10);
    for (let count = 0; count < 4; count += 1) gate.hold(sentAt, undefined);

    expect(gate.heldMs()).toBe(1_000);

    await after(1_000);
    // An answer to a request from before says nothing of now.
    gate.answered(sentAt);
    gate.hold(performance.now(), undefined);

    expect(gate.heldMs()).toBe(2_000);
  });

  it("never shortens a hold, and one of no time at all is no busy loop", async () => {
    gate.hold(performance.now(), 3_000);
    gate.hold(performance.now(), 0);

    expect(gate.heldMs()).toBe(3_000);

    await after(3_000);
    gate.hold(performance.now(), 0);

    expect(gate.heldMs()).toBe(100);
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2025, 4, 1, 10);
  it.each([
    ["0", 0],
    ["2", 2_000],
    [" 0.5 ", 500],
    ["300", 300_000],
    ["301", 300_000],
    ["3600", 300_000],
    ["3601", undefined],
    ["30000", undefined],
    ["1746093605", undefined],
    ["1746093605000", undefined],
    ["-5", undefined],
    ["", undefined],
    ["soon", undefined],
    ["1e3", undefined],
    ["Thu, 01 May 2025 10:00:20 GMT", 20_000],
    ["Thu, 01 May 2025 09:00:00 GMT", 0],
    ["Thu, 01 May 2025 10:59:00 GMT", 300_000],
    ["Thu, 01 May 2025 11:00:01 GMT", undefined],
    [undefined, undefined],
    [["1", "2"], undefined],
  ])("%j is %s ms (0.1.0: milliseconds or an epoch silenced a server until the restart)", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

describe("what is remembered of a token", () => {
  it("is the same gate for as long as it is in use, and the longest idle goes first", () => {
    const tokens = createTokens({ gates: 2, capabilities: 1 });
    const [a, b] = [tokens.gate("a"), tokens.gate("b")];

    expect(tokens.gate("a")).toBe(a);

    tokens.gate("c");
    expect(tokens.gate("a")).toBe(a);
    expect(tokens.gate("b")).not.toBe(b);
  });

  it("stays while a call is under way or a 429 holds", () => {
    const tokens = createTokens({ gates: 1, capabilities: 1 });
    const busy = tokens.gate("busy");
    busy.calls += 1;
    const held = tokens.gate("held");
    held.gate.hold(performance.now(), 1_000);
    const idle = tokens.gate("idle");

    tokens.gate("other");

    expect(tokens.gate("busy")).toBe(busy);
    expect(tokens.gate("held")).toBe(held);
    expect(tokens.gate("idle")).not.toBe(idle);
  });

  it("is what its API supports, for every server that a worker may meet", () => {
    const tokens = createTokens();
    const pass = (from: number, count: number) => {
      for (let index = from; index < from + count; index++) {
        tokens.gate(`token-${index}`);
        tokens.capabilities(`token-${index}`).note("several", true);
      }
    };
    pass(0, 100_000);
    const known = (index: number) => tokens.capabilities(`token-${index}`).of("several");

    expect([known(0), known(99_999)]).toEqual([true, true]);

    // Those that were used last stay.
    pass(100_000, 1);
    expect([known(0), known(1)]).toEqual([true, undefined]);
  });
});
