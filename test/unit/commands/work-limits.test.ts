import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { importProducts } from "../../../commands/import-products/import-products.ts";
import { createWorkLimits, workBudgets } from "../../../src/reports/work-limits.ts";
import { createStoreCache } from "../../../src/store-queries/store-cache.ts";
import { hostileServices, manager } from "../../largest/services.ts";
import { codeOf } from "../../support/code-of.ts";
import { messageOf, typedJob } from "../../support/command-jobs.ts";
import { product } from "../../support/store-client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const refusal = (work: () => unknown) => codeOf((async () => work())());

it.each([
  ["exports", "exportLimit", workBudgets.exports, "export_running", "exports_full"],
  ["imports", "importLimit", workBudgets.imports, "imports_full", "import_running"],
  ["files that are read", "readingLimit", workBudgets.importReadings, "import_readings_full", "import_readings_full"],
  ["figures", "statsLimit", workBudgets.stats, "stats_running", "stats_running"],
] as const)(
  "%s are limited for each person in all servers, each server and the process",
  async (_, limit, most, ofPerson, ofServer) => {
    const places = createWorkLimits()[limit];
    const enter = (guildId: string, userId: string) => places.acquire({ guildId, userId });
    const place = enter("1", "ana");
    expect(await refusal(() => enter("2", "ana"))).toBe(ofPerson);
    for (let other = 1; other < most.ofServer; other++) enter("1", `${other}`);
    expect(await refusal(() => enter("1", "eva"))).toBe(ofServer);

    for (let other = most.ofServer; other < most.ofProcess; other++) enter(`1${other}`, `${other}`);
    expect(await refusal(() => enter("99", "99"))).toMatch(/full$|stats_running/);
    place[Symbol.dispose]();
    place[Symbol.dispose]();
    enter("99", "99");
    expect(await refusal(() => enter("98", "98"))).toMatch(/full$|stats_running/);
  },
);

it("the exports of a server send its store 30 requests at once, and then four a second", () => {
  let at = 0;
  vi.spyOn(performance, "now").mockImplementation(() => at);
  const places = createWorkLimits().exportLimit;
  const sentNow = () => {
    let count = 0;
    while (places.waitMs("1") === 0) count += 1;
    return count;
  };
  expect(sentNow()).toBe(30);
  at += 1_000;
  expect(sentNow()).toBe(4);
  expect(places.waitMs("2")).toBe(0);
});

it("a store that does not answer keeps no place of the files of all servers", async () => {
  const upload = "title,price,categoryId\nKey,1,3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
  const services = hostileServices({ orders: [], products: [], draft: product, query: {}, upload, statuses: [] });
  const { readingLimit } = createWorkLimits();
  const preview = async (userId: string, work = services) =>
    messageOf(typedJob(importProducts, undefined, { ...manager, userId }, { file: { url: "", size: 1 } }), {
      ...work,
      readingLimit,
    });
  const shop = await services.connected();
  const store = { ...shop.store, listProducts: () => new Promise<never>(() => undefined) };
  const slow = { ...services, connected: async () => ({ ...shop, cache: createStoreCache()("", store), store }) };

  for (let person = 0; person < workBudgets.importReadings.ofProcess; person++) void preview(`${person}`, slow);
  await turn();

  expect(JSON.stringify(await preview("another"))).toContain("Key");
});
