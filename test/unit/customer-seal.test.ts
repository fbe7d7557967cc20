import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createVault } from "../../src/guilds/vault.ts";
import { CustomerSeal } from "../../src/orders/customer-seal.ts";
import { Ledger } from "../../src/orders/ledger.ts";
import { alertKey, outboxTable } from "../../src/orders/outbox-row.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import { fails, pollOnce } from "../support/alert-lives.ts";
import { createAlertWorld, guildId } from "../support/alert-world.ts";
import { stored } from "../support/stored.ts";

const customer = { email: "ana.martins@example.com", name: "Ana Martins" };
const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

let storage: Storage;
beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
});
afterEach(() => storage.close());

const sealWith = (...keys: Buffer[]) => new CustomerSeal(createVault(keys), "1");

/** Everything of one table, as it is stored. */
async function allIn(name: string, from = storage): Promise<string> {
  const found: unknown[] = [];
  for await (const entry of from.table(stored(name)).entries()) found.push(entry);
  return JSON.stringify(found);
}

describe("the customer of an order that is to be alerted", () => {
  it("is opened for its order and server alone", () => {
    const sealed = sealWith(newer).seal(customer, "a");
    expect(sealed).not.toMatch(/Ana|example/);
    expect(sealWith(newer).open(sealed, "a")).toEqual(customer);
    expect(sealWith(newer).open(sealed, "b")).toBeUndefined();
    expect(new CustomerSeal(createVault([newer]), "2").open(sealed, "a")).toBeUndefined();
  });

  it.each([
    ["no key opens", sealWith(older).seal(customer, "a")],
    ["is no sealed text", "7"],
    ["is cut", "v1.0"],
  ])("that %s is none", (_, sealed) => {
    expect(sealWith(newer).open(sealed, "a")).toBeUndefined();
  });

  it("is sealed with the first key, once in a term, where an older one sealed it", async () => {
    const ledger = new Ledger(storage, "1");
    const keep = async (id: string, sealed: string) =>
      ledger.write([], () => [{ put: [{ kind: "alert", orderId: id, customer: sealed, foundAt: 1, attempts: [] }] }]);
    const kept = async (id: string) => {
      const row = (await ledger.outbox()).get(alertKey(id));
      return row?.kind === "alert" && row.customer !== undefined ? sealWith(newer).open(row.customer, id) : undefined;
    };
    await keep("a", sealWith(older).seal(customer, "a"));
    await keep("lost", sealWith(Buffer.alloc(32, 3)).seal(customer, "lost"));
    const seal = sealWith(newer, older);
    await seal.renew(ledger);
    expect([await kept("a"), await kept("lost")]).toEqual([customer, undefined]);

    await keep("b", sealWith(older).seal(customer, "b"));
    await seal.renew(ledger);
    expect(await kept("b")).toBeUndefined();
    seal.forget();
    await seal.renew(ledger);
    expect(await kept("b")).toEqual(customer);
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

  it("rings without its customer where the key is lost", async () => {
    const { world, id } = await waiting();
    const rows = world.storage.table(outboxTable, guildId);
    const row = await rows.get(alertKey(id));
    const sealed = new CustomerSeal(createVault([older]), guildId).seal(customer, id);
    if (row?.kind === "alert") await rows.set(alertKey(id), { ...row, customer: sealed });
    await deliver(world);

    expect(shown(world, id)).toEqual([expect.not.stringContaining("ana@example.com")]);
  });
});
