import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createServices } from "../../../src/discord/commands/services.ts";
import { createGuilds } from "../../../src/guilds/guilds.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { guildId, manager } from "../../support/engine/alert-desk.ts";
import { useStorage } from "../../support/use-storage.ts";

const storage = useStorage();

it("a command that began before the token changed fills no cache for the new token", async () => {
  let time = 0;
  const vault = createVault([randomBytes(32)]);
  const guilds = createGuilds({ storage, vault, now: () => time++ });
  const forToken = (token: string) => ({
    listOrders: async () => ({ items: [{ id: `of ${token}` }], lastPage: 1, skipped: 0 }),
  });
  const services = createServices({ storage, vault, guilds, storeApi: { forToken } } as never).for(manager);
  await guilds.connect(guildId, "former");
  const former = await services.connected();
  await guilds.connect(guildId, "present");

  await former.cache.recentOrders();
  const present = await services.connected();
  expect(await present.cache.recentOrders()).toMatchObject([{ id: "of present" }]);
});

it("a command stores nothing about a server without a store", async () => {
  const vault = createVault([randomBytes(32)]);
  const guilds = createGuilds({ storage, vault });
  const { auditLog } = createServices({ storage, vault, guilds, now: Date.now } as never).for(manager);
  await auditLog.note(manager, { did: "connected" });
  for await (const page of storage.rawEntries()) expect(page).toEqual([]);
});
