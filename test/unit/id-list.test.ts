import { afterEach, beforeEach, expect, test } from "vitest";
import { createIdList, type IdList } from "../../src/alerts/id-list.ts";
import { createLog } from "../../src/operations/log.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage, Table, TableShape, WholeStorage } from "../../src/storage/table.ts";
import { killAt, killableTable } from "../support/alert-world.ts";

let storage: WholeStorage;
/** Keys that were read. */
let read: number;

beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", createLog({ level: "silent", terminal: false }));
  read = 0;
});
afterEach(() => storage.close());

const counted = <T>(table: Table<T>): Table<T> => ({
  ...table,
  getMany(keys) {
    read += keys.length;
    return table.getMany(keys);
  },
});
const listOn = (wrap: <T>(table: Table<T>) => Table<T>): IdList => {
  const wrapped: Storage = {
    table: <T>(shape: TableShape<T>, part?: string) => wrap(storage.table(shape, part)),
    commit: storage.commit,
    close: async () => undefined,
  };
  return createIdList(wrapped, "list");
};
const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `id-${from + index}`);

/** So many come and go behind those that stay, but for the last 50. */
async function pass(list: IdList, count: number) {
  for (let from = 0; from < count; from += 50) {
    await list.add(names(from, 50));
    await list.remove(names(from - 50, 50));
  }
}

test("is read with few keys, however many came and went behind an id that stays", async () => {
  const list = listOn(counted);
  await list.add(["first", "second"]);
  await pass(list, 10_000);
  await list.remove(names(9_950, 50));

  read = 0;
  expect(await list.read()).toEqual(["first", "second"]);
  expect(read).toBeLessThan(30);
});

test("is read with few keys where one of each fifty stays, in their sequence", async () => {
  const list = listOn(counted);
  const stays: string[] = [];
  for (let from = 0; from < 10_000; from += 50) {
    await list.add(names(from, 50));
    await list.remove(names(from + 1, 49));
    stays.push(`id-${from}`);
  }

  read = 0;
  expect(await list.read()).toEqual(stays);
  expect(read).toBeLessThan(40);
});

test("loses none and brings back none, wherever the process is killed", async () => {
  const stays = names(100_000, 120);
  for (let step = 0, isKilled = true; isKilled; step++) {
    const [list, killer] = [listOn((table) => table), killAt(step)];
    await list.clear();
    await list.add(stays);
    const killed = listOn((table) => killableTable(table, killer));
    await pass(killed, 1_500).catch(() => undefined);
    isKilled = killer.killed;
    expect((await list.read()).filter((id) => stays.includes(id))).toEqual(stays);
    await list.remove(names(0, 1_500));
    expect(await list.read()).toEqual(stays);
  }
});
