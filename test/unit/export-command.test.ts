import { expect, it } from "vitest";
import { exportCommand } from "../../commands/export.ts";
import type { Alerts } from "../../src/alerts/alerts.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createServices } from "../../src/services.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { StoreApi } from "../../src/store-api/store-api.ts";
import { pressJob, typedJob, unseenReply } from "../support/command-jobs.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const guildId = "5";
const caller: Caller = { guildId, userId: "666", channelId: "1", roleIds: [], permissions: 0n, locale: "en" };
const orders = Array.from({ length: 600 }, (_, at) => ({
  id: `order ${at}`,
  status: "PAID",
  createdAt: 1e12,
  paymentMethod: "PIX",
  items: [],
  pricing: { subtotal: 1, discount: 0, total: 1 },
  customer: { name: `Customer ${at}`, email: `customer${at}@example.com` },
}));

it("an export that is cancelled after its first part is in the log", async () => {
  const storage = await openStorage("sqlite://:memory:", log);
  const vault = createVault([Buffer.alloc(32, 1)]);
  const guilds = createGuilds({ storage, vault });
  await guilds.connect(guildId, "token");
  const listOrders = async ({ page = 1, limit = 100 }: { page?: number; limit?: number }) => ({
    items: orders.slice((page - 1) * limit, page * limit),
    lastPage: Math.ceil(orders.length / limit),
    skipped: 0,
  });
  const store = { listOrders, capabilities: { of: () => undefined } };
  const services = createServices({
    storage,
    vault,
    guilds,
    alerts: {} as Alerts,
    storeApi: { forToken: () => store } as unknown as StoreApi,
    inspectChannel: () => Promise.reject(new Error("not looked at")),
    uploads: { readText: () => Promise.reject(new Error("not read")) },
    storeHost: "store.example",
    pollIntervalMs: 15_000,
    log,
    now: Date.now,
  }).for(caller);
  let session = "";
  let parts = 0;
  const reply = {
    ...unseenReply(60_000),
    // A few orders fill a part.
    fileBytes: 20_000,
    async show(payload: unknown) {
      session ||= /export:cancel:([\w-]{12})/.exec(JSON.stringify(payload))?.[1] ?? "";
    },
    async send() {
      parts++;
      await pressJob(exportCommand, `export:cancel:${session}`, caller).run(services, unseenReply());
    },
  };

  await typedJob(exportCommand, "orders", caller).run(services, reply);

  expect(parts).toBe(1);
  expect((await services.auditLog.page(guildId, 1, 10)).entries).toMatchObject([
    { by: "666", did: "exported", what: "orders" },
  ]);
  await storage.close();
});
