import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { shopbellVersion } from "../../src/basics/shopbell-version.ts";
import { lockOutBots } from "../../src/polling/lock-out-bots.ts";
import { copyMark, dataRecord } from "../../src/storage/data-record.ts";
import { assertPrepared, DataError, dataVersion, type Migration, prepareData } from "../../src/storage/data-version.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { WholeStorage } from "../../src/storage/table.ts";
import { stored } from "../support/stored.ts";

const quiet = { warn: () => undefined };
const names = stored<{ name: string }>("names");

let directory: string;
let url: string;
let storage: WholeStorage;
let lines: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "shopbell-data-"));
  url = `sqlite://${join(directory, "x.sqlite")}`;
  storage = await openStorage(url, quiet);
  lines = [];
});
afterEach(async () => {
  await storage.close();
  await rm(directory, { recursive: true });
});

const log = {
  info: (_: unknown, line?: string) => void lines.push(line ?? ""),
  warn: (_: unknown, line?: string) => void lines.push(line ?? ""),
};
const start = (steps?: readonly Migration[], isPolled = false) => {
  const keepOut = async () => (isPolled ? undefined : async () => undefined);
  return prepareData(storage, { url, log, keepOut, ...(steps ? { steps } : {}) });
};

const inCapitals: Migration = async (all) => {
  const table = all.table(names);
  for await (const [key, { name }] of table.entries()) await table.set(key, { name: name.toUpperCase() });
};
const withGreeting: Migration = async (all) => {
  const table = all.table(names);
  for await (const [key, { name }] of table.entries()) {
    if (!name.startsWith("Hi ")) await table.set(key, { name: `Hi ${name}` });
  }
};

describe("data of an earlier version", () => {
  it("is brought to this one in order, once, and a copy is kept of how it was", async () => {
    await storage.table(names).set("a", { name: "ana" });

    // A process of 0.1.0 left no record.
    await start([inCapitals, withGreeting]);
    await start([inCapitals, withGreeting]);

    expect(await storage.table(names).get("a")).toEqual({ name: "Hi ANA" });
    expect(await dataRecord.read(storage)).toEqual({ version: 3, shopbell: shopbellVersion });
    const copy = await openStorage(`${url}.before-3`, quiet);
    expect(await copy.table(names).get("a")).toEqual({ name: "ana" });
    expect(await copyMark.read(copy)).toEqual({ copiedAt: expect.any(Number) });
    await copy.close();
  });

  it("goes on where a step was cut short, from the step that did not end, and keeps the first copy", async () => {
    await storage.table(names).set("a", { name: "ana" });
    let runs = 0;
    const once: Migration = async (all) => {
      runs++;
      await inCapitals(all);
    };
    const cutShort: Migration = async (all) => {
      await withGreeting(all);
      throw new Error("killed");
    };

    await expect(start([once, cutShort])).rejects.toThrow("killed");
    // An earlier Shopbell, which knows versions 1 and 2, refuses the data.
    expect(await dataRecord.read(storage)).toMatchObject({ version: 3, migratingFrom: 2 });
    await expect(assertPrepared(storage, [])).rejects.toThrow(DataError);
    await start([once, withGreeting]);

    expect(runs).toBe(1);
    expect(await storage.table(names).get("a")).toEqual({ name: "Hi ANA" });
    const copy = await openStorage(`${url}.before-3`, quiet);
    expect(await copy.table(names).get("a")).toEqual({ name: "ana" });
    await copy.close();
  });

  it("is left as it is while another process works with it", async () => {
    await storage.table(names).set("a", { name: "ana" });

    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let outcome: unknown;
    const refused = start([inCapitals], true).catch((error: unknown) => {
      outcome = error;
    });
    while (outcome === undefined) await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await refused;
    expect(outcome).toBeInstanceOf(DataError);

    expect(await storage.table(names).get("a")).toEqual({ name: "ana" });
    expect(existsSync(`${url.slice("sqlite://".length)}.before-2`)).toBe(false);
  });

  it("is waited for where another process brings it to this version", async () => {
    await storage.table(names).set("a", { name: "ana" });
    await dataRecord.write(storage, { version: 2, shopbell: shopbellVersion, migratingFrom: 1 });
    let looks = 0;
    const keepOut = async () => {
      looks++;
      if (looks === 2) await dataRecord.write(storage, { version: 2, shopbell: shopbellVersion });
      return undefined;
    };
    const never = () => Promise.reject(new Error("run"));

    await prepareData(storage, { url, log, keepOut, steps: [never] });

    expect(looks).toBe(2);
  });

  it("is migrated once by two processes that start at the same time", async () => {
    await storage.table(names).set("a", { name: "ana" });
    const keepOut = async () => {
      const access = await lockOutBots(storage);
      return access && (() => access.end({ release: true }));
    };

    await Promise.all([1, 2].map(() => prepareData(storage, { url, log, keepOut, steps: [withGreeting] })));

    expect(await storage.table(names).get("a")).toEqual({ name: "Hi ana" });
    expect(lines.filter((line) => line === "the data was converted")).toHaveLength(1);
  });

  it("does not exist in an empty storage: no step is run, and none later", async () => {
    const never: Migration = () => Promise.reject(new Error("run"));

    await start([never]);
    await storage.table(names).set("a", { name: "ana" });
    await start([never]);

    expect(await dataRecord.read(storage)).toEqual({ version: 2, shopbell: shopbellVersion });
  });
});

describe("data of a later version", () => {
  it("is refused with a sentence that says by whom it was written, and nothing is changed", async () => {
    const record = { version: dataVersion() + 1, shopbell: "7.0.0" };
    await dataRecord.write(storage, record);

    await expect(start()).rejects.toThrow(/Shopbell 7\.0\.0 wrote.*Nothing was changed/);

    expect(await dataRecord.read(storage)).toEqual(record);
  });
});
