import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createNotes, everyone, type Notes } from "../../src/poll-queue/notes.ts";
import { StorageError } from "../../src/storage/table.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";

const memory = { version: 7, mark: "a:1", text: "{}" };
const state = { polledAt: 1_790_000_000_000, delayMs: 20 };
const day = 24 * 60 * 60;

let server: DatabaseServer;
let redis: Redis;
let notes: Notes;

describe.skipIf(!redisInstalled)("what processes tell each other in a real Redis (install redis-server)", () => {
  beforeAll(async () => {
    server = await createRedisServer();
    await server.start();
  });

  afterAll(() => server?.remove());

  beforeEach(async () => {
    redis = new Redis(server.url, { maxRetriesPerRequest: 0, commandTimeout: 500 });
    redis.on("error", () => undefined);
    await redis.flushall();
    notes = createNotes(redis, "bot:notes");
  });

  afterEach(() => redis.disconnect());

  test("is nothing at first", async () => {
    expect(await notes.begin(3)).toEqual({ versions: new Map(), marks: new Map(), due: [], roster: "" });
    expect(await notes.isDue(3)).toBe(false);
    expect(await notes.version(3, "1")).toBe(0);
    expect(await notes.memories([])).toEqual([]);
    expect(await notes.memories(["1"])).toEqual([undefined]);
    expect(await notes.health(3, "1")).toBeUndefined();
    expect(await notes.slotState(3)).toBeUndefined();
    expect(await notes.slotStates()).toEqual(new Map());
  });

  test("is that all is due where the connection broke before it was heard what was", async () => {
    await notes.due(3, "1");
    const { port } = new URL(server.url);
    let hasBroken = false;
    const between = createServer((client) => {
      const upstream = connect(Number(port), "127.0.0.1");
      let isTaken = false;
      client.on("data", (sent) => {
        isTaken ||= sent.includes("spop");
        upstream.write(sent);
      });
      upstream.on("data", (answer) => {
        if (hasBroken || !isTaken) return void client.write(answer);
        hasBroken = true;
        client.destroy();
      });
      for (const socket of [client, upstream]) socket.on("error", () => undefined);
      client.on("close", () => upstream.destroy());
    });
    between.listen(0, "127.0.0.1");
    await once(between, "listening");
    const reached = new Redis((between.address() as AddressInfo).port, { maxRetriesPerRequest: 1 });
    reached.on("error", () => undefined);
    try {
      expect((await createNotes(reached, "bot:notes").begin(3)).due).toEqual([everyone]);
      expect(hasBroken).toBe(true);
      expect((await createNotes(reached, "bot:notes").begin(3)).due).toEqual([]);
    } finally {
      reached.disconnect();
      between.close();
    }
  });

  test("is what was told, of that slot alone, and of that bot alone", async () => {
    const other = createNotes(redis, "other:notes");
    await notes.due(3, "1");
    await notes.due(3, everyone);
    expect(await notes.raise(3, "1", 5)).toBe(5);
    expect(await notes.raise(3, "1", 2)).toBe(7);
    await notes.keepMemory(3, "1", memory);
    await notes.keepHealth(3, "1", '{"lastGoodAt":5}');
    await notes.keepSlotState(3, state);

    expect(await notes.version(3, "1")).toBe(7);
    expect(await notes.memories(["0", "1"])).toEqual([undefined, memory]);
    expect(await notes.health(3, "1")).toEqual({ lastGoodAt: 5 });
    expect(await notes.slotState(3)).toEqual(state);
    expect(await notes.slotStates()).toEqual(new Map([[3, state]]));
    expect(await notes.begin(4)).toMatchObject({ versions: new Map(), due: [] });
    expect(await other.begin(3)).toMatchObject({ versions: new Map(), marks: new Map(), due: [] });
    const known = await notes.begin(3);
    expect(known.versions).toEqual(new Map([["1", 7]]));
    expect(known.marks).toEqual(new Map([["1", "a:1"]]));
    expect(known.due.toSorted()).toEqual([everyone, "1"]);
  });

  test("gives what is due to one process only, and all that is due to somebody, though several begin at once", async () => {
    const connections = Array.from({ length: 4 }, () => new Redis(server.url));
    const all = connections.map((connection) => createNotes(connection, "bot:notes"));
    const ids = Array.from({ length: 200 }, (_, index) => String(index));
    const taken = await Promise.all([
      ...ids.map((id) => notes.due(3, id).then(() => [])),
      ...Array.from({ length: 100 }, async (_, index) => (await all[index % 4]?.begin(3))?.due ?? []),
    ]);
    const rest = (await notes.begin(3)).due;
    for (const connection of connections) connection.disconnect();

    expect([...taken.flat(), ...rest].toSorted()).toEqual(ids.toSorted());
    expect(await notes.isDue(3)).toBe(false);
  });

  test("says that the servers have changed, also where it forgot in between that they had", async () => {
    await notes.rosterChanged();
    const before = await notes.roster();
    await redis.flushall();
    expect(await notes.roster()).toBe("");
    await notes.rosterChanged();

    expect(await notes.roster()).not.toBe(before);
    expect((await notes.begin(3)).roster).toBe(await notes.roster());
  });

  test("forgets what lists showed within a day, and only that", async () => {
    await notes.keepMemory(3, "1", memory);
    await notes.raise(3, "1", 1);
    await notes.due(3, "1");
    const lives = await Promise.all((await redis.keys("*")).map(async (key) => [key, await redis.ttl(key)] as const));

    expect(lives.filter(([, ttl]) => ttl !== -1).map(([key]) => key)).toEqual(["bot:notes:memory:1"]);
    const [life = 0] = lives.filter(([key]) => key.includes("memory")).map(([, ttl]) => ttl);
    expect(life).toBeGreaterThan(day - 60);
    expect(life).toBeLessThanOrEqual(day);
  });

  test("takes what is malformed for nothing", async () => {
    await redis.set("bot:notes:memory:1", "{");
    await redis.set("bot:notes:memory:2", '{"version":"7"}');
    await redis.hset("bot:notes:health:3", "1", "{");
    await redis.hset("bot:notes:slots", "3", '{"polledAt":"soon"}', "4", JSON.stringify(state), "99", "x");

    expect(await notes.memories(["1", "2"])).toEqual([undefined, undefined]);
    expect(await notes.health(3, "1")).toBeUndefined();
    expect(await notes.slotState(3)).toBeUndefined();
    expect(await notes.slotStates()).toEqual(new Map([[4, state]]));
  });

  const every: [string, (all: Notes) => Promise<unknown>][] = [
    ["begin", (all) => all.begin(3)],
    ["isDue", (all) => all.isDue(3)],
    ["due", (all) => all.due(3, "1")],
    ["version", (all) => all.version(3, "1")],
    ["raise", (all) => all.raise(3, "1", 1)],
    ["memories", (all) => all.memories(["1"])],
    ["keepMemory", (all) => all.keepMemory(3, "1", memory)],
    ["health", (all) => all.health(3, "1")],
    ["keepHealth", (all) => all.keepHealth(3, "1", "{}")],
    ["slotState", (all) => all.slotState(3)],
    ["slotStates", (all) => all.slotStates()],
    ["keepSlotState", (all) => all.keepSlotState(3, state)],
    ["roster", (all) => all.roster()],
    ["rosterChanged", (all) => all.rosterChanged()],
  ];

  test.each(every)(
    "fails as a storage does where Redis does not answer, is gone, or refuses it: %s",
    async (name, ask) => {
      await redis.ping();
      server.freeze();
      const answer = await ask(notes).catch((error: unknown) => error);
      server.thaw();
      expect(answer).toBeInstanceOf(StorageError);
      await redis.ping();

      redis.disconnect();
      await expect(ask(notes)).rejects.toThrow(StorageError);

      // Keys of another type, as another program may have left them.
      const wrong = new Redis(server.url);
      await wrong.flushall();
      for (const kind of ["versions:3", "marks:3", "health:3", "slots", "due:3"])
        await wrong.set(`bot:notes:${kind}`, "x");
      await wrong.hset("bot:notes:roster", "x", "x");
      const refused = createNotes(wrong, "bot:notes");
      const isRefused = !["memories", "isDue", "rosterChanged"].includes(name);
      if (isRefused) await expect(ask(refused)).rejects.toThrow(StorageError);
      wrong.disconnect();
    },
  );
});
