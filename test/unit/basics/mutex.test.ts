import { expect, test } from "vitest";
import { createKeyedMutex, Mutex } from "../../../src/basics/limits/mutex.ts";

/** The test finishes the work. */
function setUp() {
  const begun: string[] = [];
  const works = new Map<string, PromiseWithResolvers<string>>();
  const work = (name: string) => () => {
    begun.push(name);
    const resolvers = Promise.withResolvers<string>();
    works.set(name, resolvers);
    return resolvers.promise;
  };
  const end = async (name: string, running: Promise<string>) => {
    works.get(name)?.resolve(name);
    await running;
  };
  return { begun, works, work, end };
}

test("work runs one piece after the other, and what somebody waits for runs before the rest", async () => {
  const { begun, work, end } = setUp();
  const queue = new Mutex();
  const [first, second, soon] = [queue.run(work("first")), queue.run(work("second")), queue.runSoon(work("soon"))];
  expect(begun).toEqual(["first"]);

  await end("first", first);
  expect(begun).toEqual(["first", "soon"]);
  await end("soon", soon);
  await end("second", second);

  await queue.idle();
  expect(begun).toEqual(["first", "soon", "second"]);
});

test("work of one key waits for its turn, and not for that of another key", async () => {
  const { begun, works, work, end } = setUp();
  const inTurn = createKeyedMutex();
  const first = inTurn("a", work("a1"));
  const second = inTurn("a", work("a2"));
  void inTurn("b", work("b1"));
  expect(begun).toEqual(["a1", "b1"]);

  works.get("a1")?.reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await end("a2", second);

  expect(begun).toEqual(["a1", "b1", "a2"]);
});

test("work that throws before it waits for anything reaches its caller, and the next one runs", async () => {
  const inTurn = createKeyedMutex();
  const broken = inTurn("a", () => {
    throw new Error("broken");
  });

  const next = inTurn("a", async () => "next");

  await expect(broken).rejects.toThrow("broken");
  expect(await next).toBe("next");
});

test("work that asks for its own turn while it begins does not run beside itself", async () => {
  const { begun, work, end } = setUp();
  const inTurn = createKeyedMutex();
  let inner: Promise<string> = Promise.resolve("");

  const outer = inTurn("a", () => {
    inner = inTurn("a", work("inner"));
    return work("outer")();
  });

  expect(begun).toEqual(["outer"]);
  await end("outer", outer);
  await end("inner", inner);
});
