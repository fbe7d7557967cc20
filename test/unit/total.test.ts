import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Storage, StorageError } from "../../src/storage/table.ts";
import { createTotal, sumsTable } from "../../src/storage/total.ts";

const minute = 60_000;
const hour = 60 * minute;

describe("what all servers together hold", () => {
  let storage: Storage;
  let clock: number;
  let isBroken: boolean;
  const breakable: Pick<Storage, "table"> = {
    table: (shape, part) =>
      new Proxy(storage.table(shape, part), {
        get(table, method) {
          if (!isBroken) return Reflect.get(table, method);
          const fail = () => Promise.reject(new StorageError(String(method), new Error("gone")));
          return method === "entries" ? () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }) : fail;
        },
      }),
  };
  const create = () =>
    createTotal(breakable, "things", {
      ofAll: { count: 5, bytes: 100 },
      always: { count: 1, bytes: 10 },
      keptMs: hour,
      monotonic: () => clock,
    });

  beforeEach(async () => {
    [clock, isBroken] = [0, false];
    storage = await openStorage("sqlite://:memory:", { warn() {} });
  });
  afterEach(() => storage.close());

  it("has a bound by number and by bytes, up to the last of each, and room for what is not more than before", async () => {
    const total = create();
    expect(await total.admits("1", { count: 3, bytes: 50 })).toBe(true);
    expect(await total.admits("2", { count: 1, bytes: 51 })).toBe(false);
    expect(await total.admits("2", { count: 3, bytes: 1 })).toBe(false);
    expect(await total.admits("2", { count: 2, bytes: 50 })).toBe(true);
    expect(await total.admits("1", { count: 3, bytes: 51 })).toBe(false);
    expect(await total.admits("1", { count: 3, bytes: 50 })).toBe(true);
    expect(await total.admits("1", { count: 1, bytes: 40 })).toBe(true);
    expect(await total.admits("2", { count: 4, bytes: 60 })).toBe(true);
    await total.forget("2");
    expect(await total.admits("3", { count: 4, bytes: 60 })).toBe(true);
  });

  it("leaves a server what it may always hold, however much the others have", async () => {
    const total = create();
    expect(await total.admits("1", { count: 5, bytes: 100 })).toBe(true);
    expect(await total.admits("2", { count: 1, bytes: 10 })).toBe(true);
    expect(await total.admits("2", { count: 2, bytes: 10 })).toBe(false);
    expect(await total.admits("3", { count: 1, bytes: 11 })).toBe(false);
    expect(await total.admits("3", { count: 1, bytes: 10 })).toBe(true);
  });

  it("is known to another process, and to this one again after 10 minutes", async () => {
    const total = create();
    await total.admits("1", { count: 1, bytes: 1 });
    expect(await create().admits("2", { count: 5, bytes: 1 })).toBe(false);

    await storage.table(sumsTable("things")).set("2", { count: 4, bytes: 4 });
    expect(await total.admits("1", { count: 2, bytes: 1 })).toBe(true);
    clock = 10 * minute + 1;
    expect(await total.admits("1", { count: 3, bytes: 1 })).toBe(false);
  });

  it("counts nothing that could not be written, and is read by the next one where it could not be", async () => {
    const total = create();
    isBroken = true;
    await expect(total.admits("1", { count: 5, bytes: 1 })).rejects.toThrow(StorageError);
    isBroken = false;
    expect(await total.admits("2", { count: 1, bytes: 1 })).toBe(true);
    isBroken = true;
    await expect(total.admits("1", { count: 4, bytes: 1 })).rejects.toThrow(StorageError);
    isBroken = false;
    expect(await total.admits("3", { count: 4, bytes: 1 })).toBe(true);
  });
});
