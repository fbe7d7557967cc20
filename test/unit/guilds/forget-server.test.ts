import { beforeEach, expect, it } from "vitest";
import { zoneOf } from "../../../src/basics/zones.ts";
import { forgetServer } from "../../../src/forget-server.ts";
import { createGuilds, type Guilds } from "../../../src/guilds/guilds.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { createAuditLog } from "../../../src/handling/audit-log.ts";
import { createHandling } from "../../../src/handling/takes.ts";
import { ImportRecords } from "../../../src/reports/import-records.ts";
import { createStoredSums } from "../../../src/reports/stored-sums.ts";
import { listsKind } from "../../../src/sessions/session-kinds.ts";
import { createSessions } from "../../../src/sessions/sessions.ts";
import { changesTable } from "../../../src/storage/polled-servers.ts";
import type { WholeStorage } from "../../../src/storage/table.ts";
import { useStorage } from "../../support/use-storage.ts";

const who = { guildId: "1", userId: "2", isManager: false };
const none = { statuses: [], methods: [], products: [], otherProducts: 0, hours: new Array<number>(24).fill(0) };
const sums = { orders: 0, sold: { count: 0, amount: "0" }, ...none };
const sumsOfDay = new Map([["2026-11-21", { readAt: 1, isWhole: true, sums }]]);
const vault = createVault([Buffer.alloc(32, 1)]);

const storage = useStorage();
let guilds: Guilds;
/** Whether another process forgets the server before the next commit of a writer. */
let isLate: boolean;

beforeEach(async () => {
  guilds = createGuilds({ storage, vault });
  isLate = false;
  await guilds.connect("1", "token");
});

function deps() {
  const late: WholeStorage = {
    ...storage,
    async commit(steps) {
      if (isLate) {
        isLate = false;
        await guilds.disconnect("1");
        await forgetServer(storage, "1");
      }
      return storage.commit(steps);
    },
  };
  return { storage: late, vault, mayKeep: guilds.mayKeep, now: Date.now, log: { warn: () => undefined } };
}
type Deps = ReturnType<typeof deps>;

async function noteRow(all: Deps) {
  isLate = false;
  const run = await new ImportRecords(all).begin("1", "store", ["a"]);
  isLate = true;
  await run.note("a", { state: "sent", since: 1, at: 1 });
}

it.each<[string, (deps: Deps) => Promise<unknown>]>([
  ["an act", (all) => createAuditLog(all).note(who, { did: "connected" })],
  ["a press", (all) => createHandling(all).press("take", who, "a")],
  ["a session", (all) => createSessions(all, listsKind).keep(who, {})],
  ["sums", (all) => createStoredSums(all).keep({ guildId: "1", store: "1", zone: zoneOf("UTC") }, sumsOfDay)],
  ["an import", (all) => new ImportRecords(all).begin("1", "store", ["a"])],
  ["a row of an import", noteRow],
])("%s that is stored while its server is forgotten leaves nothing", async (_, store) => {
  const all = deps();
  isLate = true;
  await store(all).catch(() => undefined);

  expect(isLate).toBe(false);
  // The record is deleted last, so until then it is there without a token.
  await guilds.remove("1");
  // This row is of a partition. Many servers share it, and it has no data of any.
  for await (const page of storage.rawEntries())
    expect(page.filter(({ table }) => table !== changesTable.name)).toEqual([]);
});
