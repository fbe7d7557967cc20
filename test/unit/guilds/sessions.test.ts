import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { draftsKind } from "../../../src/sessions/drafts.ts";
import { createSessions, type SessionKind } from "../../../src/sessions/sessions.ts";
import { codeOf } from "../../support/code-of.ts";
import { product } from "../../support/store-client.ts";
import { keysIn, stored } from "../../support/stored.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { useStorage } from "../../support/use-storage.ts";

const guildId = "100000000000000001";
const elsewhere = "100000000000000002";
const day = 24 * 3_600_000;
const by = (userId: string, guild = guildId) => ({ guildId: guild, userId });

const storage = useStorage();
let clock: number;
const now = () => clock;
const mayKeep = async () => [];

beforeEach(() => {
  clock = Date.now();
});

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
  /** Bytes are easy to count: 28 bytes of each session are not its text. */
  const vault = { seal: (text: string) => text, open: (text: string) => text };
  /** `isConnected`: whether the server may keep things. `names`: the stored names of sessions. */
  const server = useFixture(() => ({ isConnected: true, names: new Map<string, string>() }));
  const things = useFixture(() =>
    createSessions({ storage, vault, mayKeep: async () => (server.isConnected ? [] : undefined), now }, kind),
  );

  const nameOf = (label: string) => server.names.get(label) ?? "";
  const put = async (userId: string, label: string, { length = 1, isPinned = false, guild = guildId } = {}) => {
    const owner = by(userId, guild);
    const thing = { text: "x".repeat(length), isPinned };
    const isThere = (await codeOf(things.find(nameOf(label), owner))) !== "expired";
    if (isThere) await things.use(nameOf(label), owner, (_, keep) => keep(thing));
    else server.names.set(label, await things.keep(owner, thing));
  };
  const there = async () => {
    const kept = await namesIn(`things:${guildId}`);
    expect([...server.names.values()]).toEqual(expect.arrayContaining(kept));
    return [...server.names].flatMap(([label, name]) => (kept.includes(name) ? [label] : [])).sort();
  };

  // Each word is a session: a name that begins with the person, then the length, and "!" if it is pinned.
  it.each([
    ["a person's oldest go, and nobody else's", "b1 b2 a1 a2 a3 a4 a5", "a3 a4 a5 b1 b2"],
    ["the one changed last is the newest", "a1 a2 a3 a1 a4", "a1 a3 a4"],
    ["bytes of a person count", "a1=400 a2=400 a3=400", "a2 a3"],
    ["the newest alone may be as large as the limit", "a1=400 a2=400 a3=900", "a3"],
    ["in a full server, sessions of the person with most go", "b1 a1 a2 a3 c1 c2 c3", "a2 a3 b1 c1 c2 c3"],
    ["no matter who comes", "b1 a1 a2 a3 c1 c2 c3 d1", "a2 a3 b1 c2 c3 d1"],
    ["most is counted in bytes if bytes are too many", "a1=850 b1=200 c1=200 d1=200 b2=50 b3=350", "b1 b2 b3 c1 d1"],
    ["pinned ones go last", "a1! a2 a3 a4 a5", "a1 a4 a5"],
    ["if all are pinned, the oldest goes", "a1! a2! a3! a4", "a2 a3 a4"],
    ["one that is not pinned any more goes first", "a1! a2! a3! a2 a4", "a1 a3 a4"],
  ])("limits: %s", async (_, script, left) => {
    for (const word of script.split(" ")) {
      const [label = "", length = "1"] = word.replace("!", "").split("=");
      await put(label.slice(0, 1), label, { length: Number(length), isPinned: word.endsWith("!") });
    }
    expect(await there()).toEqual(left.split(" "));
  });

  it("refuses a session that is larger than a person's limit", async () => {
    await expect(put("ana", "a1", { length: 1_000 })).rejects.toThrow(RangeError);
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

  it("takes nothing new for a server that may not keep it, and does not bring back what went", async () => {
    const forgetThings = async () => {
      await storage.table(stored(`things:${guildId}`)).clear();
      await storage.table(stored("kept:things")).delete(guildId);
    };
    await put("ana", "a1");
    const late = things.use(nameOf("a1"), by("ana"), async (thing, keep) => {
      server.isConnected = false;
      await forgetThings();
      expect(await codeOf(put("ana", "a2"))).toBe("not_connected");
      server.isConnected = true;
      await keep(thing);
    });

    expect(await codeOf(late)).toBe("expired");
    expect(await there()).toEqual([]);
    expect(await namesIn("kept:things")).toEqual([]);
  });

  it("clears away what is over a day old when something new comes", async () => {
    await put("ana", "a1");
    clock += day;
    await put("ben", "b1");
    expect(await there()).toEqual(["b1"]);
  });

  it("stays within its bounds when many put at once", async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => put(`person${index % 4}`, `t${index}`)));
    expect((await there()).length).toBe(6);
    expect(await storage.table(stored<unknown[]>("kept:things")).get(guildId)).toHaveLength(6);
  });

  it("names all that two processes keep at once, and gives a thing to one of them", async () => {
    const others = createSessions({ storage, vault, mayKeep, now }, kind);
    const kept = await Promise.all(
      [things, others].map((process) => process.keep(by("ana"), { text: "", isPinned: false })),
    );
    const list = await storage.table(stored<{ name: string }[]>("kept:things")).get(guildId);
    expect(list?.map(({ name }) => name).sort()).toEqual(kept.toSorted());

    const taken = await Promise.all([things, others].map((process) => codeOf(process.take(kept[0] ?? "", by("ana")))));
    expect(taken.sort()).toEqual(["expired", "it succeeded"]);
  });
});

describe("sessions", () => {
  const vault = createVault([randomBytes(32)]);

  const bounds = budgets.sessions;
  const listed = { name: "lists", schema: z.looseObject({}), bounds };
  const counted = { name: "set-ups", schema: z.object({ count: z.number() }), bounds };

  it("are taken once, and by nobody else", async () => {
    const sessions = createSessions({ storage, vault, mayKeep }, listed);
    const name = await sessions.keep(by("ana"), { title: "x" });
    expect(await codeOf(sessions.take(name, by("ben")))).toBe("someone_elses");
    expect(await sessions.take(name, by("ana"))).toEqual({ title: "x" });
    expect(await codeOf(sessions.take(name, by("ana")))).toBe("expired");
  });

  it("that change stay one, for another day, and changes at once are all kept", async () => {
    const sessions = createSessions({ storage, vault, mayKeep }, counted);
    const name = await sessions.keep(by("ana"), { count: 0 });
    const more = () => sessions.use(name, by("ana"), ({ count }, keep) => keep({ count: count + 1 }));
    await Promise.all([more(), more(), more()]);

    expect(await sessions.find(name, by("ana"))).toEqual({ count: 3 });
    expect(await namesIn(`set-ups:${guildId}`)).toEqual([name]);
    expect(await codeOf(sessions.use(name, by("ben"), (_, keep) => keep({ count: 9 })))).toBe("someone_elses");
  });

  it.each<[string, unknown]>([
    ["is no record", 5],
    ["has no encrypted text", { userId: "ana", count: 9 }],
    ["is of another kind", { userId: "ana", sealed: vault.seal('{"count":9}', `${guildId} lists AbCdEf-_1234`) }],
    ["does not match", { userId: "ana", sealed: vault.seal('{"count":"x"}', `${guildId} set-ups AbCdEf-_1234`) }],
    ["has a lost key", { userId: "ana", sealed: createVault([randomBytes(32)]).seal("{}", `${guildId} set-ups x`) }],
  ])("have expired if the row %s", async (_, value) => {
    const sessions = createSessions({ storage, vault, mayKeep }, counted);
    await storage.table(stored(`set-ups:${guildId}`)).set("AbCdEf-_1234", value);
    expect(await codeOf(sessions.find("AbCdEf-_1234", by("ana")))).toBe("expired");
    expect(await codeOf(sessions.take("AbCdEf-_1234", by("ana")))).toBe("expired");
  });

  it("are their server's own", async () => {
    const sessions = createSessions({ storage, vault, mayKeep }, listed);
    const name = await sessions.keep(by("ana"), {});

    expect(await codeOf(sessions.find(name, by("ana", elsewhere)))).toBe("expired");
    expect(await codeOf(sessions.take(name, by("ana", elsewhere)))).toBe("expired");
    expect(await sessions.find(name, by("ana"))).toEqual({});
  });
});

describe("drafts", () => {
  const vault = createVault([randomBytes(32)]);
  const drafts = useFixture(() => createSessions({ storage, vault, mayKeep, now }, draftsKind));

  const most = budgets.drafts.ofPerson.count;
  /** Keeps other drafts of Ana's. Returns their names. */
  async function keep(count: number): Promise<string[]> {
    const names: string[] = [];
    while (names.length < count) names.push(await drafts.keep(by("ana"), { stage: "open", product }));
    return names;
  }

  it("whose creation is under way or unclear stay, so that no product is sent twice", async () => {
    const unclear = await drafts.keep(by("ana"), { stage: "open", product });
    await drafts.use(unclear, by("ana"), async (_, keep) =>
      keep({ stage: "open", product, attempt: { count: 1, since: clock } }),
    );
    await keep(4 * most);
    expect(await drafts.find(unclear, by("ana"))).toMatchObject({ stage: "open", attempt: { count: 1 } });
    expect(await namesIn(`drafts:${guildId}`)).toHaveLength(most);

    await drafts.use(unclear, by("ana"), async (_, keep) => keep({ stage: "created", productId: "p", title: "x" }));
    await keep(most);
    expect(await codeOf(drafts.find(unclear, by("ana")))).toBe("expired");
  });

  it("that were cancelled come back as long as there is room for them, and take none from others", async () => {
    const unclear = await drafts.keep(by("ana"), { stage: "open", product });
    const cancelled = { stage: "open", product, attempt: { count: 1, since: clock }, isCancelled: true } as const;
    await drafts.use(unclear, by("ana"), (_, keep) => keep(cancelled));
    const others = await keep(most - 1);
    const bringBack = () => drafts.use(unclear, by("ana"), (draft, keep) => keep(draft)).then(() => "back");
    expect(await bringBack()).toBe("back");
    expect(await namesIn(`drafts:${guildId}`)).toEqual([unclear, ...others].sort());

    await keep(most);
    expect(await codeOf(bringBack())).toBe("expired");
    expect(await namesIn(`drafts:${guildId}`)).toHaveLength(most);
  });
});
