import { describe, expect, it } from "vitest";
import { createVault } from "../../src/guilds/vault.ts";
import { decryptCustomer, encryptCustomer } from "../../src/orders/customer-encryption.ts";
import { alertKey, outboxTable } from "../../src/orders/outbox-row.ts";
import type { Storage } from "../../src/storage/table.ts";
import { fails, pollOnce } from "../support/alert-lives.ts";
import { createAlertWorld, guildId } from "../support/alert-world.ts";
import { stored } from "../support/stored.ts";

const customer = { email: "ana.martins@example.com", name: "Ana Martins" };
const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

const by = (key: Buffer, guild = "1") => ({ vault: createVault([key]), guildId: guild });

/** Everything of one table, as it is stored. */
async function allIn(name: string, from: Storage): Promise<string> {
  const found: unknown[] = [];
  for await (const entry of from.table(stored(name)).entries()) found.push(entry);
  return JSON.stringify(found);
}

describe("the customer of an order that is to be alerted", () => {
  it("is decrypted only for its own order and server", () => {
    const sealed = encryptCustomer(by(newer), customer, "a");
    expect(sealed).not.toMatch(/Ana|example/);
    expect(decryptCustomer(by(newer), sealed, "a")).toEqual(customer);
    expect(decryptCustomer(by(newer), sealed, "b")).toBeUndefined();
    expect(decryptCustomer(by(newer, "2"), sealed, "a")).toBeUndefined();
  });

  it.each([
    ["no key decrypts", encryptCustomer(by(older), customer, "a")],
    ["is not an encrypted text", "7"],
    ["is cut off", "v1.0"],
  ])("reads as none if it %s", (_, sealed) => {
    expect(decryptCustomer(by(newer), sealed, "a")).toBeUndefined();
  });
});

describe("an alert that cannot be posted for now", () => {
  async function waiting() {
    const world = await createAlertWorld();
    const life = world.start();
    await life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
    await world.turnOn(life);
    fails(world, "send", "channel_gone");
    const [order] = world.store.place(1);
    await pollOnce(life);
    world.channel.fault = () => undefined;
    return { world, id: order?.id ?? "" };
  }
  type World = Awaited<ReturnType<typeof waiting>>["world"];
  const tables = ["orders", "outbox"].map((name) => `${name}:${guildId}`);
  const allOf = async ({ storage }: World) => Promise.all(tables.map((name) => allIn(name, storage)));
  const shown = (world: World, id: string) =>
    world.channel.messages.map(({ payload }) => JSON.stringify(payload)).filter((text) => text.includes(id));
  const deliver = async (world: World) => {
    const life = world.start();
    await pollOnce(life);
  };

  it("waits without its customer in plain text, shows it once it is posted, and keeps it no longer", async () => {
    const { world, id } = await waiting();
    expect((await allOf(world)).join()).toContain('"state":"planned"');
    expect((await allOf(world)).join()).not.toContain("ana@example.com");

    await deliver(world);
    expect(shown(world, id)).toEqual([expect.stringContaining("ana@example.com")]);
    expect((await allOf(world)).join()).not.toMatch(/customer/i);
  });

  it("is posted without its customer if the key is lost", async () => {
    const { world, id } = await waiting();
    const rows = world.storage.table(outboxTable, guildId);
    const row = await rows.get(alertKey(id));
    const sealed = encryptCustomer(by(older, guildId), customer, id);
    if (row?.kind === "alert") await rows.set(alertKey(id), { ...row, customer: sealed });
    await deliver(world);

    expect(shown(world, id)).toEqual([expect.not.stringContaining("ana@example.com")]);
  });
});
