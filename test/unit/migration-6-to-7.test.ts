import { afterEach, beforeEach, expect, it } from "vitest";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { toFewerTables } from "../../src/storage/migrations/6-to-7-fewer-tables.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { WholeStorage } from "../../src/storage/table.ts";
import { cutShortAnywhere } from "../support/cut-short.ts";
import { keysIn, stored } from "../support/stored.ts";

const guild = (id: string) => ({ id, settings: { language: "en", privacy: "none" } });
const plan = { channelId: "2", every: "week", hour: 9, since: 5 };
/** The row of digests before, and the record's field after. */
const digests = [
  { kept: { timezone: "America/Sao_Paulo", plan }, becomes: { timezone: "America/Sao_Paulo", plan } },
  { kept: { timezone: "Asia/Tokyo" }, becomes: { timezone: "Asia/Tokyo" } },
  { kept: { plan, done: "2026-11-16", blocked: {} }, becomes: { plan } },
  { kept: { plan: 5 }, becomes: undefined },
  { kept: 5, becomes: undefined },
];
const ids = digests.map((_, index) => String(11 + index));
const orphan = "99";
const gone = ["taken", "health"];

let storage: WholeStorage;
beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
  for (const [index, { kept }] of digests.entries()) {
    await storage.table(stored("guilds")).set(String(11 + index), guild(String(11 + index)));
    await storage.table(stored("digests")).set(String(11 + index), kept);
  }
  await storage.table(stored("digests")).set(orphan, { plan });
  for (const name of gone) await storage.table(stored(name)).set("11", 5);
});
afterEach(() => storage.close());

it("data of version 6 keeps the settings of digests, and nothing in the tables that are gone, wherever it was cut short", async () => {
  await cutShortAnywhere(storage, toFewerTables);
  const guilds = createGuilds({ storage, vault: createVault([Buffer.alloc(32, 7)]) });
  for (const [index, id] of ids.entries()) expect((await guilds.get(id)).digest, id).toEqual(digests[index]?.becomes);
  expect(await guilds.find(orphan)).toBeUndefined();
  for (const name of ["digests", ...gone]) expect(await keysIn(storage, name)).toEqual([]);
});
