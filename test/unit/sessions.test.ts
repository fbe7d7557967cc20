import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createSessions, type SessionKind, type Sessions } from "../../src/sessions/sessions.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import { codeOf } from "../support/code-of.ts";
import { keysIn, stored, storedBefore } from "../support/stored.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const guildId = "100000000000000001";
const elsewhere = "100000000000000002";
const day = 24 * 3_600_000;
const by = (userId: string, guild = guildId) => ({ guildId: guild, userId });

let storage: Storage;
let clock: number;
const now = () => clock;

beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", log);
  clock = Date.now();
});
afterEach(() => storage.close());

const namesIn = async (table: string) => (await keysIn(storage, table)).sort();

describe("what is kept", () => {
  interface Thing {
    readonly text: string;
    readonly isPinned: boolean;
  }
  const kind: SessionKind<Thing> = {
    name: "things",
    schema: z.object({ text: z.string(), isPinned: z.boolean() }),
    bounds: {
      ofPerson: { count: 3, bytes: 1_000 },
      ofServer: { count: 6, bytes: 2_000 },
      ofAll: { count: 12, bytes: 5_800 },
      always: { count: 0, bytes: 0 },
    },
    isPinned: ({ isPinned }) => isPinned,
  };
  /** Makes bytes easy to count: 28 bytes of each session are not its text. */
  const vault = { seal: (text: string) => text, open: (text: string) => text };
  let things: Sessions<Thing>;
  let isConnected: boolean;
  /** The stored names of the sessions. */
  let names: Map<string, string>;

  beforeEach(() => {
    [isConnected, names] = [true, new Map()];
    things = createSessions({ storage, vault, mayKeep: async () => isConnected, now }, kind);
  });

  const nameOf = (label: string) => names.get(label) ?? "";
  const put = async (userId: string, label: string, { length = 1, isPinned = false, guild = guildId } = {}) => {
    const owner = by(userId, guild);
    const thing = { text: "x".repeat(length), isPinned };
    const isThere = (await codeOf(things.find(nameOf(label), owner))) !== "expired";
    if (isThere) await things.change(nameOf(label), owner, () => thing);
    else names.set(label, await things.keep(owner, thing));
  };
  const puts = async (userId: string, labels: string) => {
    for (const label of labels.split(" ")) await put(userId, label);
  };
  const there = async (guild = guildId) => {
    const kept = await namesIn(`things:${guild}`);
    expect([...names.values()]).toEqual(expect.arrayContaining(kept));
    return [...names].flatMap(([label, name]) => (kept.includes(name) ? [label] : [])).sort();
  };

  it("lets a person's oldest go for their newest, and nobody else's", async () => {
    await puts("ben", "b1 b2");
    await puts("ana", "a1 a2 a3 a4 a5");
    expect(await there()).toEqual(["a3", "a4", "a5", "b1", "b2"]);
  });

  it("takes what was changed last for the newest", async () => {
    await puts("ana", "a1 a2 a3 a1 a4");
    expect(await there()).toEqual(["a1", "a3", "a4"]);
  });

  it("counts bytes as well", async () => {
    await put("ana", "a1", { length: 400 });
    await put("ana", "a2", { length: 400 });
    await put("ana", "a3", { length: 400 });
    expect(await there()).toEqual(["a2", "a3"]);

    await put("ana", "a4", { length: 900 });
    expect(await there()).toEqual(["a4"]);
    await expect(put("ana", "a5", { length: 1_000 })).rejects.toThrow(RangeError);
    expect(await there()).toEqual(["a4"]);
  });

  it("in a full server lets go of what belongs to whoever has most, not of everybody's oldest", async () => {
    await puts("ben", "b1");
    await puts("ana", "a1 a2 a3");
    await puts("cleo", "c1 c2 c3");
    expect(await there()).toEqual(["a2", "a3", "b1", "c1", "c2", "c3"]);

    await puts("dan", "d1");
    expect(await there()).toEqual(["a2", "a3", "b1", "c2", "c3", "d1"]);
  });

  it("refuses what is too much for the storage, and takes it once something is gone", async () => {
    const guilds = Array.from({ length: 3 }, (_, at) => `20000000000000000${at}`);
    for (const guild of guilds) await put("ana", `a ${guild}`, { length: 900, guild });
    await put("ben", "b1", { length: 900 });
    expect(await codeOf(put("cleo", "c1", { length: 200 }))).toBe("full");
    expect(await there()).toEqual(["b1"]);

    // A larger session is refused, and the earlier one stays.
    await put("cleo", "c2", { length: 10 });
    expect(await codeOf(put("cleo", "c2", { length: 300 }))).toBe("full");
    expect((await things.find(nameOf("c2"), by("cleo"))).text).toHaveLength(10);

    await things.take(nameOf("b1"), by("ben"));
    await put("cleo", "c1", { length: 200 });
  });

  it("in a server that has too many bytes asks who has most of them", async () => {
    await put("ana", "a1", { length: 850 });
    for (const person of ["ben", "cleo", "dan"]) await put(person, `${person}1`, { length: 200 });
    await put("ben", "ben2", { length: 50 });
    await put("ben", "ben3", { length: 350 });

    expect(await there()).toEqual(["ben1", "ben2", "ben3", "cleo1", "dan1"]);
  });

  it("keeps what is pinned until nothing else is left", async () => {
    await put("ana", "a1", { isPinned: true });
    await puts("ana", "a2 a3 a4 a5");
    expect(await there()).toEqual(["a1", "a4", "a5"]);

    await put("ana", "a4", { isPinned: true });
    await put("ana", "a5", { isPinned: true });
    await put("ana", "a6");
    expect(await there()).toEqual(["a4", "a5", "a6"]);

    await put("ana", "a4");
    await put("ana", "a7");
    expect(await there()).toEqual(["a4", "a5", "a7"]);
  });

  it("forgets one server and leaves another alone", async () => {
    await puts("ana", "a1");
    await put("ana", "a2", { guild: elsewhere });
    await things.forget(guildId);

    expect(await there()).toEqual([]);
    expect(await there(elsewhere)).toEqual(["a2"]);
    expect(await namesIn("kept:things")).toEqual([elsewhere]);
  });

  it("takes nothing new for a server that may not keep it, and does not bring back what went", async () => {
    await puts("ana", "a1");
    const late = things.use(nameOf("a1"), by("ana"), async (thing, keep) => {
      isConnected = false;
      await things.forget(guildId);
      expect(await codeOf(put("ana", "a2"))).toBe("not_connected");
      isConnected = true;
      await keep(thing);
    });

    expect(await codeOf(late)).toBe("expired");
    expect(await there()).toEqual([]);
    expect(await namesIn("kept:things")).toEqual([]);
  });

  it("clears away what is over a day old when something new comes", async () => {
    await puts("ana", "a1 a2");
    clock += day;
    await puts("ben", "b1");
    expect(await there()).toEqual(["b1"]);
  });

  it("stays within its bounds when many put at once", async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => put(`person${index % 4}`, `t${index}`)));
    expect((await there()).length).toBe(6);
    expect(await storage.table(stored<unknown[]>("kept:things")).get(guildId)).toHaveLength(6);
  });

  it("names all that two processes keep at once, and gives a thing to one of them", async () => {
    const others = createSessions({ storage, vault, now }, kind);
    const kept = await Promise.all(
      [things, others].map((process) => process.keep(by("ana"), { text: "", isPinned: false })),
    );
    const list = await storage.table(stored<{ name: string }[]>("kept:things")).get(guildId);
    expect(list?.map(({ name }) => name).sort()).toEqual(kept.toSorted());

    const taken = await Promise.all([things, others].map((process) => codeOf(process.take(kept[0] ?? "", by("ana")))));
    expect(taken.sort()).toEqual(["expired", "it succeeded"]);
  });

  it.each(["", "short", "x".repeat(300), "'; DROP TABLE", "\0\0\0\0\0\0\0\0\0\0\0\0", "../../../etc", "a:b:c:d:e:f:"])(
    "knows nothing by the name %j",
    async (name) => {
      expect(await codeOf(things.find(name, by("ana")))).toBe("expired");
      expect(await codeOf(things.take(name, by("ana")))).toBe("expired");
    },
  );
});

describe("sessions", () => {
  const vault = createVault([randomBytes(32)]);

  const bounds = budgets.sessions;
  const listed = { name: "lists", schema: z.looseObject({}), bounds };
  const counted = { name: "set-ups", schema: z.object({ count: z.number() }), bounds };

  it("of 0.1.0, which no list names, open until their day is over", async () => {
    const sessions = createSessions({ storage, vault }, listed);
    const sealed = vault.seal(JSON.stringify({ title: "x" }), `${guildId} lists AbCdEf-_1234`);
    await storage
      .table(storedBefore(`lists:${guildId}`))
      .set("AbCdEf-_1234", { userId: "ana", sealed }, { ttlMs: day });

    expect(await sessions.find("AbCdEf-_1234", by("ana"))).toEqual({ title: "x" });
    expect(await codeOf(sessions.take("AbCdEf-_1234", by("ben")))).toBe("someone_elses");
    expect(await sessions.take("AbCdEf-_1234", by("ana"))).toEqual({ title: "x" });
    expect(await codeOf(sessions.take("AbCdEf-_1234", by("ana")))).toBe("expired");
  });

  it("that change stay one, for another day, and changes at once are all kept", async () => {
    const sessions = createSessions({ storage, vault }, counted);
    const name = await sessions.keep(by("ana"), { count: 0 });
    const more = () => sessions.change(name, by("ana"), ({ count }) => ({ count: count + 1 }));
    await Promise.all([more(), more(), more()]);

    expect(await sessions.find(name, by("ana"))).toEqual({ count: 3 });
    expect(await namesIn(`set-ups:${guildId}`)).toEqual([name]);
    expect(await codeOf(sessions.change(name, by("ben"), () => ({ count: 9 })))).toBe("someone_elses");
  });

  it("are only what was sealed: what somebody wrote into the storage beside it counts for nothing", async () => {
    const sessions = createSessions({ storage, vault }, counted);
    const name = await sessions.keep(by("ana"), { count: 1 });
    const table = storage.table(stored<object>(`set-ups:${guildId}`));
    await table.set("AbCdEf-_1234", { userId: "ana", count: 9 });
    await table.set(name, { ...(await table.get(name)), count: 9 });

    expect(await codeOf(sessions.find("AbCdEf-_1234", by("ana")))).toBe("expired");
    expect(await sessions.find(name, by("ana"))).toEqual({ count: 1 });
  });

  it("are their server's own", async () => {
    const sessions = createSessions({ storage, vault }, listed);
    const name = await sessions.keep(by("ana"), {});

    expect(await codeOf(sessions.find(name, by("ana", elsewhere)))).toBe("expired");
    expect(await codeOf(sessions.take(name, by("ana", elsewhere)))).toBe("expired");
    expect(await sessions.find(name, by("ana"))).toEqual({});
  });
});
