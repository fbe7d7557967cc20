import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { shopbellVersion } from "../../../src/basics/shopbell-version.ts";
import { lockOutBots } from "../../../src/polling/lock-out-bots.ts";
import { copyStamp, dataRecord, dataTable } from "../../../src/storage/data-record.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { assertPrepared, DataError, dataVersion, prepareData } from "../../../src/storage/prepare-data.ts";
import { StorageError } from "../../../src/storage/table.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { keysIn, storedBefore } from "../../support/stored.ts";
import { useDirectory } from "../../support/use-directory.ts";
import { useFixture } from "../../support/use-fixture.ts";

const quiet = { warn: () => undefined };
const converted = { version: dataVersion, shopbell: shopbellVersion };

const pathOf = useDirectory();
const url = () => `sqlite://${pathOf("x.sqlite")}`;
const storage = useFixture(
  () => openStorage(url(), quiet),
  (opened) => opened.close(),
);
const logged = useFixture(recordedLog);
const start = (keepOut: Parameters<typeof prepareData>[1]["keepOut"] = async () => async () => undefined) =>
  prepareData(storage, { url: url(), log: logged.log, keepOut });
/** As 0.1.0 recorded an order. */
const leave = (id: string) => storage.table(storedBefore("ledger:1")).set(id, { state: "seen" });
const ordersIn = async (where = storage) => [await keysIn(where, "ledger:1"), await keysIn(where, "orders:1")];
const copyOf = () => openStorage(`${url()}.before-${dataVersion}`, quiet);

describe("data of an earlier version", () => {
  beforeEach(() => leave("a"));

  it("is converted once, and a copy is kept of how it was", async () => {
    await start();
    await leave("b");
    await start();

    expect(await ordersIn()).toEqual([["b"], ["a"]]);
    expect(await dataRecord.read(storage)).toEqual(converted);
    const copy = await copyOf();
    expect(await ordersIn(copy)).toEqual([["a"], []]);
    expect(await copyStamp.read(copy)).toEqual({ copiedAt: expect.any(Number) });
    await copy.close();
  });

  it("goes on where a step was cut short, from the step that did not end, and keeps the first copy", async () => {
    const firstStep = vi.fn(storage.moveToHashes);
    const commit = vi.fn(storage.commit).mockRejectedValueOnce(new Error("killed"));
    Object.assign(storage, { moveToHashes: firstStep, commit });

    await expect(start()).rejects.toThrow("killed");
    // An earlier Shopbell refuses the data.
    expect(await dataRecord.read(storage)).toMatchObject({ version: dataVersion, migratingFrom: 2 });
    await expect(assertPrepared(storage, logged.log)).rejects.toThrow(DataError);
    await leave("b");
    await start();

    expect(firstStep).toHaveBeenCalledOnce();
    expect(await ordersIn()).toEqual([[], ["a", "b"]]);
    const copy = await copyOf();
    expect(await ordersIn(copy)).toEqual([["a"], []]);
    await copy.close();
  });

  it("is copied again after an upgrade was undone: the first copy lacks what was stored since", async () => {
    await start();
    await dataRecord.write(storage, { version: 1, shopbell: "0.1.0" });
    await leave("b");
    await start();

    const copy = await copyOf();
    expect(await keysIn(copy, "ledger:1")).toEqual(["b"]);
    await copy.close();
  });

  it("keeps the copy of an earlier conversion if no new copy can be made", async () => {
    const copy = pathOf(`x.sqlite.before-${dataVersion}`);
    writeFileSync(copy, "earlier");
    mkdirSync(`${copy}.new`);
    // The operator gets the reason and a remedy.
    await expect(start()).rejects.toThrow(StorageError);
    expect([readFileSync(copy, "utf8"), await ordersIn()]).toEqual(["earlier", [["a"], []]]);
  });

  it("is left as it is while another process works with it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let outcome: unknown;
    const refused = start(async () => undefined).catch((error: unknown) => {
      outcome = error;
    });
    while (outcome === undefined) await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await refused;
    expect(outcome).toBeInstanceOf(DataError);

    expect(await ordersIn()).toEqual([["a"], []]);
    expect(existsSync(pathOf(`x.sqlite.before-${dataVersion}`))).toBe(false);
  });

  it("is waited for where another process converts it", async () => {
    await dataRecord.write(storage, { ...converted, migratingFrom: 1 });
    let looks = 0;
    await start(async () => {
      looks++;
      if (looks === 2) await dataRecord.write(storage, converted);
      return undefined;
    });

    expect(looks).toBe(2);
    expect(await ordersIn()).toEqual([["a"], []]);
  });

  it("is converted once by two processes that start at the same time", async () => {
    const keepOut = async () => (await lockOutBots(storage))?.end;

    await Promise.all([1, 2].map(() => start(keepOut)));

    expect(await ordersIn()).toEqual([[], ["a"]]);
    expect(logged.said().filter((line) => line === "the data was converted")).toHaveLength(dataVersion - 1);
  });
});

it("data of a 0.1.0 without a connected store is converted, too, which a 0.1.0 that still runs prevents", async () => {
  await storage.table(storedBefore("published")).set("1:global", "fingerprint");
  const keepOut = vi.fn(async () => async () => undefined);

  await start(keepOut);

  expect(keepOut, "which notices other processes").toHaveBeenCalledOnce();
});

it("an empty storage has data of this version", async () => {
  await start();
  await leave("a");
  await start();

  expect(await dataRecord.read(storage)).toEqual(converted);
  expect(await ordersIn()).toEqual([["a"], []]);
});

it("a database that was emptied while the bot runs has data of this version, and the log says once that it is empty", async () => {
  await start();
  await assertPrepared(storage, logged.log);
  expect(logged.at("error")).toEqual([]);
  await storage.table(dataTable).clear();
  await storage.table(storedBefore("gateway")).set("0", { sessionId: "a" });

  await Promise.all([assertPrepared(storage, logged.log), assertPrepared(storage, logged.log)]);
  await leave("a");
  await assertPrepared(storage, logged.log);

  expect(await dataRecord.read(storage)).toEqual(converted);
  expect(logged.at("error")).toMatchObject([{ message: expect.stringMatching(/^the storage is empty; .* restore/) }]);
});

it("data of a later version is refused with a sentence that says by whom it was written, and nothing is changed", async () => {
  const record = { version: dataVersion + 1, shopbell: "7.0.0" };
  await dataRecord.write(storage, record);

  await expect(start()).rejects.toThrow(/Shopbell 7\.0\.0 wrote.*Nothing was changed/);

  expect(await dataRecord.read(storage)).toEqual(record);
});
