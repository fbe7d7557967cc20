import { describe, expect, it } from "vitest";
import { createVault } from "../../../src/guilds/vault.ts";
import { decryptCustomer, encryptCustomer } from "../../../src/orders/customer-encryption.ts";
import { alertKey, outboxTable } from "../../../src/orders/outbox-row.ts";
import { fails, pollOnce, ready } from "../../support/engine/alert-lives.ts";
import { type AlertWorld, guildId } from "../../support/engine/alert-world.ts";
import { stored } from "../../support/stored.ts";

const customer = { email: "ana.martins@example.com", name: "Ana Martins" };
const by = (key: number, guild = "1") => ({ vault: createVault([Buffer.alloc(32, key)]), guildId: guild });

it("a customer is decrypted only for the same order and server, with the same key", () => {
  const sealed = encryptCustomer(by(2), customer, "a");
  expect(sealed).not.toMatch(/Ana|example/);
  expect(decryptCustomer(by(2), sealed, "a")).toEqual(customer);
  const others = [
    decryptCustomer(by(2), sealed, "b"),
    decryptCustomer(by(2, "2"), sealed, "a"),
    decryptCustomer(by(1), sealed, "a"),
    decryptCustomer(by(2), "7", "a"),
    decryptCustomer(by(2), "v1.0", "a"),
  ];
  expect(others).toEqual(others.map(() => undefined));
});

describe("an alert that cannot be posted for now", () => {
  async function waiting() {
    const { world, life, place, mend } = await ready();
    await life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
    fails(world, "send", "channel_gone");
    const [id = ""] = await place(1, 0.25);
    mend();
    return { world, id };
  }
  /** Everything stored about the orders and their messages. */
  async function allIn({ storage }: AlertWorld): Promise<string> {
    const found: unknown[] = [];
    for (const name of ["orders", "outbox"]) {
      for await (const entry of storage.table(stored(`${name}:${guildId}`)).rows()) found.push(entry);
    }
    return JSON.stringify(found);
  }
  async function deliver(world: AlertWorld, id: string) {
    await pollOnce(world.start());
    return world.channel.messages.map(({ payload }) => JSON.stringify(payload)).filter((text) => text.includes(id));
  }

  it("waits without its customer in plain text, shows it once it is posted, and keeps it no longer", async () => {
    const { world, id } = await waiting();
    expect(await allIn(world)).toContain('"state":"planned"');
    expect(await allIn(world)).not.toContain("ana@example.com");
    expect(await deliver(world, id)).toEqual([expect.stringContaining("ana@example.com")]);
    expect(await allIn(world)).not.toMatch(/customer/i);
  });

  it("is posted without its customer if the key is lost", async () => {
    const { world, id } = await waiting();
    const rows = world.storage.table(outboxTable, guildId);
    const row = await rows.get(alertKey(id));
    const sealed = encryptCustomer(by(1, guildId), customer, id);
    if (row?.kind === "alert") await rows.set(alertKey(id), { ...row, customer: sealed });
    expect(await deliver(world, id)).toEqual([expect.not.stringContaining("ana@example.com")]);
  });
});
