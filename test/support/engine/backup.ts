import { copyStamp } from "../../../src/storage/data-record.ts";
import type { RawEntry } from "../../../src/storage/table.ts";
import { stored } from "../stored.ts";
import type { AlertWorld } from "./alert-world.ts";

/** Returns a function that restores the copy. `aheadMs`: by how much the clock is fast while the copy is made. */
export async function backup({ storage, now }: AlertWorld, aheadMs = 0): Promise<() => Promise<void>> {
  const copiedAt = now() + aheadMs;
  const all = async () => {
    const entries: RawEntry[] = [];
    for await (const page of storage.rawEntries()) entries.push(...page);
    return entries;
  };
  const entries = await all();
  return async () => {
    for (const table of new Set((await all()).map((entry) => entry.table))) await storage.table(stored(table)).clear();
    await storage.writeRaw(entries);
    await copyStamp.write(storage, { copiedAt });
  };
}
