import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { absent, anyVersion, maxCommitSteps, type Storage, StorageError, type Table } from "../../src/storage/table.ts";
import { listen } from "../sandbox/listen.ts";
import { sized } from "../support/sized.ts";
import { stored, valuesOf } from "../support/stored.ts";
import { spawnWithStorage } from "./storage-child.ts";
import { type StorageFixture, storageKinds } from "./storage-fixtures.ts";

type Value = { readonly n: number; readonly text?: string };

const log = { warn: () => undefined };
const recovery = { timeout: 60_000, interval: 50 };
/** Counts in a row of each of two tables. */
const countInTwoTables = `
  const tables = [storage.table(stored("first:1")), storage.table(stored("lease"))];
  for (let n = 1; ; n += 1) {
    const rows = await Promise.all(tables.map((table) => table.read(["a"])));
    const steps = tables.flatMap((table, index) => rows[index].map((row) => table.put(row, { n })));
    console.log(await storage.commit(steps) ? n : "refused");
  }`;

/** A proxy that can break a connection on request. New connections reach the server again. */
async function openCutLine(url: string) {
  const target = new URL(url);
  const [host, port] = [target.hostname, Number(target.port)];
  let cut: { readonly text: string; readonly when: "before" | "after" } | undefined;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, host);
    const end = () => void [near.destroy(), far.destroy()];
    let isMute = false;
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => undefined).on("close", () => void [open.delete(socket), end()]);
    }
    near.on("data", (chunk) => {
      const isCut = cut !== undefined && chunk.includes(cut.text);
      if (isCut && cut?.when === "before") end();
      else far.write(chunk);
      if (!isCut) return;
      isMute = true;
      cut = undefined;
    });
    far.on("data", (chunk) => (isMute ? end() : near.write(chunk)));
  });
  target.host = await listen(server);
  return {
    /** Reaches the server through this proxy. */
    url: target.href,
    /**
     * Breaks the connection at the next request with this text: before the server gets it, or after the server has answered.
     * The client receives no answer.
     */
    cutAt(text: string, when: "before" | "after") {
      cut = { text, when };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

describe.each(storageKinds)("a commit on $kind", ({ kind, installed, create, packages }) => {
  if (!installed) return void it.skip(`needs ${packages}: apt-get install ${packages}`);
  let fixture: StorageFixture;
  let storage: Storage;
  /** As another process opens it. */
  let other: Storage;
  let table: Table<Value>;
  let second: Table<Value>;

  beforeAll(async () => {
    fixture = await create();
  });
  afterAll(() => fixture.remove());
  beforeEach(async () => {
    [storage, other] = await Promise.all([openStorage(fixture.url, log), openStorage(fixture.url, log)]);
    table = storage.table(stored<Value>("first:1"));
    // In Redis, each entry of this table has a key of its own.
    second = storage.table(stored<Value>("lease"));
    await table.clear();
    await second.clear();
  });
  afterEach(async () => {
    await storage.close();
    await other.close();
  });

  const row = async (key: string, of = table) => (await of.read([key]))[0] ?? absent(key);

  it("writes, replaces and removes rows of several tables at once", async () => {
    await table.set("replaced", { n: 1 });
    await second.set("removed", { n: 2 });
    const steps = [
      table.put(absent("new"), { n: 3 }),
      second.put(absent("new"), { n: 4 }),
      table.put(await row("replaced"), { n: 5 }),
      second.remove(await row("removed", second)),
      second.expect(absent("none")),
    ];
    expect(await storage.commit(steps)).toBe(true);
    expect(steps[0] && table.written(steps[0])).toEqual(await row("new"));
    expect(await valuesOf(table, ["new", "replaced"])).toEqual([{ n: 3 }, { n: 5 }]);
    expect(await valuesOf(second, ["new", "removed", "none"])).toEqual([{ n: 4 }, undefined, undefined]);
    expect(await storage.commit(steps)).toBe(false);
    expect(await storage.commit([])).toBe(true);
  });

  it("writes nothing if one row is not as it was read", async () => {
    await table.set("a", { n: 1 });
    const before = await row("a");
    await table.set("a", { n: 2 });
    const refused = [
      table.expect(before),
      table.put(before, { n: 3 }),
      table.remove(before),
      table.put(absent("a"), { n: 3 }),
      table.expect(absent("a")),
      table.remove({ ...before, key: "b" }),
    ];
    for (const step of refused) expect(await storage.commit([second.put(absent("z"), { n: 9 }), step])).toBe(false);
    expect(await table.get("a")).toEqual({ n: 2 });
    expect(await second.get("z")).toBeUndefined();
  });

  it("replaces and removes a row of which it expects nothing, whether it is there or not", async () => {
    for (const of of [table, second]) {
      const steps = [
        of.put(anyVersion("a"), { n: 1 }),
        of.put(anyVersion("b"), { n: 2 }),
        of.remove(anyVersion("none")),
      ];
      expect(await storage.commit(steps)).toBe(true);
      expect(await storage.commit([of.put(anyVersion("a"), { n: 3 }), of.remove(anyVersion("b"))])).toBe(true);
      expect(await valuesOf(of, ["a", "b", "none"])).toEqual([{ n: 3 }, undefined, undefined]);
      // It is still all or nothing.
      expect(await storage.commit([of.remove(anyVersion("a")), of.expect({ ...absent("z"), version: "old" })])).toBe(
        false,
      );
      expect(await of.get("a")).toEqual({ n: 3 });
    }
  });

  it("treats an expired row as absent, and keeps the expiry of a new one", async () => {
    for (const of of [table, second]) {
      await of.set("ended", { n: 1 }, { ttlMs: 1 });
      await vi.waitFor(async () => expect(await of.get("ended")).toBeUndefined(), recovery);
      expect(await storage.commit([of.expect(absent("ended"))])).toBe(true);
      const put = of.put(absent("ended"), { n: 2 }, { ttlMs: 300 });
      expect(await storage.commit([put])).toBe(true);
      const renewed = of.written(put);
      await vi.waitFor(async () => expect(await of.get("ended")).toBeUndefined(), recovery);
      expect(await storage.commit([of.put(renewed, { n: 3 })])).toBe(false);
      expect(await storage.commit([of.put(absent("ended"), { n: 4 })])).toBe(true);
      expect(await of.get("ended")).toEqual({ n: 4 });
    }
  });

  it("leaves no row behind where it expected none", async () => {
    expect(await storage.commit([table.expect(absent("a")), table.remove(absent("b"))])).toBe(true);
    const found: unknown[] = [];
    for await (const entry of table.rows()) found.push(entry);
    expect(found).toEqual([]);
    expect(await storage.commit([table.put(absent("a"), { n: 1 })])).toBe(true);
  });

  it("refuses invalid steps", async () => {
    const twice = [table.put(absent("a"), { n: 1 }), table.expect(absent("a"))];
    const many = Array.from({ length: maxCommitSteps + 1 }, (_, n) => table.put(absent(`${n}`), { n }));
    for (const steps of [twice, many]) await expect(storage.commit(steps)).rejects.toThrow(StorageError);
    expect(() => table.put(absent(""), { n: 1 })).toThrow(StorageError);
    expect(() => storage.table(stored<undefined>("first:1")).put(absent("a"), undefined)).toThrow(StorageError);
    expect(await valuesOf(table, ["a", "1"])).toEqual([undefined, undefined]);
  });

  it("writes, replaces and removes the largest number of rows", async () => {
    const keys = Array.from({ length: maxCommitSteps }, (_, n) => `row ${n}`);
    const text = "x".repeat(1_000);
    expect(await storage.commit(keys.map((key, n) => table.put(absent(key), { n, text })))).toBe(true);
    const rows = await table.read(keys);
    expect(rows.map(({ value }) => value?.n)).toEqual(keys.map((_, n) => n));
    expect(await storage.commit(rows.map((one) => table.put(one, { n: -1 })))).toBe(true);
    expect(await storage.commit(rows.map((one) => table.remove(one)))).toBe(false);
    expect(await storage.commit((await table.read(keys)).map((one) => table.remove(one)))).toBe(true);
    expect(await table.read(keys)).toEqual(keys.map(absent));
  });

  it("lets exactly one of two simultaneous writers of one row succeed", async () => {
    const tables = [table, other.table(stored<Value>("first:1"))];
    for (let round = 0; round < sized(30, 100); round++) {
      // Alternates between an existing row and a new one.
      const key = round % 2 === 0 ? "there" : `new ${round}`;
      const rows = await Promise.all(tables.map((of) => of.read([key])));
      const attempts = tables.map((of, who) =>
        [storage, other][who]?.commit([of.put(rows[who]?.[0] ?? absent(key), { n: round * 2 + who })]),
      );
      const won = await Promise.all(attempts);
      expect(won.toSorted(), `round ${round}`).toEqual([false, true]);
      expect(await table.get(key)).toEqual({ n: round * 2 + won.indexOf(true) });
    }
  });

  it("refuses one of two commits if each expects what the other changes", async () => {
    const storages = [storage, other];
    for (let round = 0; round < sized(30, 60); round++) {
      // Alternates between absent rows and existing ones.
      const keys = ["left", "right"].map((side) => `${side} ${round}`);
      if (round % 2 === 0) await table.setMany(keys.map((key) => [key, { n: 0 }]));
      const rows = await table.read(keys);
      const won = await Promise.all(
        storages.map((one, who) => {
          const [mine = absent(""), theirs = absent("")] = who === 0 ? rows : rows.toReversed();
          return one.commit([table.expect(theirs), table.put(mine, { n: 1 })]);
        }),
      );
      expect(won, `round ${round}`).toContain(false);
      const changed = (await valuesOf(table, keys)).filter((value) => value?.n === 1);
      expect(changed).toHaveLength(won.filter(Boolean).length);
    }
  });

  if (kind === "sqlite") {
    it("is complete or absent after its process is killed", async () => {
      const child = spawnWithStorage(fixture.url, countInTwoTables);
      let acknowledged = 0;
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Number(line);
        if (acknowledged >= sized(10, 200)) child.kill("SIGKILL");
      }
      const [one, other] = [await table.get("a"), await second.get("a")];
      expect(one).toEqual(other);
      expect([acknowledged, acknowledged + 1]).toContain(one?.n);
    });
    return;
  }

  it("is complete or absent after the server is killed, and a read shows which", async () => {
    const [killed] = fixture.breakages;
    for (let round = 0; round < sized(2, 3); round++) {
      await table.deleteMany(["a", "b"]);
      let acknowledged = -1;
      const counting = (async () => {
        for (let n = 0; ; n++) {
          const rows = await table.read(["a", "b"]);
          expect(await storage.commit(rows.map((one) => table.put(one, { n })))).toBe(true);
          acknowledged = n;
        }
      })().catch((error: unknown) => error);
      await vi.waitFor(() => expect(acknowledged).toBeGreaterThan(5 + round), { ...recovery, interval: 1 });
      await killed?.breakStore();
      expect(await counting).toBeInstanceOf(StorageError);
      await killed?.mend();
      const [a, b] = await vi.waitFor(() => valuesOf(table, ["a", "b"]), recovery);
      expect(a).toEqual(b);
      expect([acknowledged, acknowledged + 1]).toContain(a?.n);
    }
  });

  it("whose answer is lost throws, and a read shows whether it happened", async () => {
    await using line = await openCutLine(fixture.url);
    const far = await openStorage(line.url, log);
    // This commit makes Redis remember the script.
    await vi.waitFor(async () => expect(await far.commit([table.put(absent("known"), { n: 0 })])).toBe(true), recovery);
    for (const when of ["before", "after", "before", "after"] as const) {
      const text = `marked ${when} ${Math.random()}`;
      const before = await vi.waitFor(async () => (await far.table(stored<Value>("first:1")).read(["a"]))[0], recovery);
      line.cutAt(text, when);
      await expect(far.commit([table.put(before ?? absent("a"), { n: 1, text })])).rejects.toThrow(StorageError);
      if (when === "before") expect(await row("a")).toEqual(before);
      else await vi.waitFor(async () => expect((await table.get("a"))?.text).toBe(text), recovery);
    }
    await far.close();
  });
});
