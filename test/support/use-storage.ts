import { afterEach, beforeEach } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { WholeStorage } from "../../src/storage/table.ts";
import { silentLog } from "./recorded-log.ts";

/** A storage in memory, which is empty when a test begins. It is the same object in all tests, so it may be destructured. */
export function useStorage(): WholeStorage {
  let storage: WholeStorage;
  beforeEach(async () => {
    storage = await openStorage("sqlite://:memory:", silentLog);
  });
  afterEach(() => storage.close());
  return {
    table: (shape, part) => storage.table(shape, part),
    commit: (steps) => storage.commit(steps),
    rawEntries: () => storage.rawEntries(),
    writeRaw: (entries) => storage.writeRaw(entries),
    moveToHashes: () => storage.moveToHashes(),
    close: () => storage.close(),
  };
}
