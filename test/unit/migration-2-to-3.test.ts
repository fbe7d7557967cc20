import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { moveToOutbox } from "../../src/storage/migrations/2-to-3-outbox.ts";
import { toRowsOfServers } from "../../src/storage/migrations/3-to-4-polled-servers.ts";
import { tablesToRecords } from "../../src/storage/migrations/4-to-5-records.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { RawEntry, WholeStorage } from "../../src/storage/table.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { type Channel, channelId, createAlertWorld, idsOf, pollFor, timesPosted } from "../support/alert-world.ts";
import { cutShortAnywhere } from "../support/cut-short.ts";
import { feedChannel, linesIn, setStatus } from "../support/rules-world.ts";
import { keysIn, stored, storedBefore } from "../support/stored.ts";

const minute = 60_000;
const quiet = { warn: () => undefined };

interface Left {
  readonly at: number;
  readonly storage: readonly RawEntry[];
  readonly messages: Channel["messages"];
  readonly orders: readonly Order[];
}

/**
 * States in which a process of data version 2 was killed: seven orders in a message, three of them paid; a public line, and a line
 * to the staff of a rule, for each payment; a reminder after two minutes.
 */
const worlds: readonly Left[] = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../fixtures/data-2/worlds.json"), "utf8"),
);

/** All rows of some tables, by table and key. */
async function rowsIn(storage: WholeStorage, ...names: readonly string[]) {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    for await (const [key, value] of storage.table(stored(name)).entries()) found[`${name} ${key}`] = value;
  }
  return found;
}

describe("what a process of data version 2 left", () => {
  it.each(worlds.map((left, index) => [index, left] as const))("is gone on with: each once (%i)", async (_, left) => {
    const world = await createAlertWorld();
    await world.storage.writeRaw(left.storage);
    world.channel.messages.push(...left.messages);
    world.store.orders.push(...left.orders);
    world.pass(left.at - world.now());
    await moveToOutbox(world.storage);
    await toRowsOfServers(world.storage);
    await tablesToRecords(world.storage);
    const life = world.start();
    await pollFor(world, life, minute);
    const ids = idsOf(left.orders).toReversed();
    for (const id of ids.slice(0, 3)) setStatus(world, id, "PAID");
    await pollFor(world, life, 4 * minute);

    // The alert, and the reminder of all seven.
    expect(timesPosted(world.channel, ids, channelId)).toEqual(ids.map(() => 2));
    expect(linesIn(world, feedChannel)).toBe(3);
    expect(linesIn(world, "2000000000000000009")).toBe(3);
  });
});

describe("data of version 2", () => {
  const order = { id: "a", status: "PENDING", items: [{ title: "x", quantity: 1 }], total: 5, paymentMethod: "PIX" };
  const facts = (id: string, more = {}) => ({ ...order, id, ...more });
  const posted = { order, channelId: "c", messageId: "m", batch: ["d", "e"], foundAt: 3, isClassic: true };
  let storage: WholeStorage;

  beforeEach(async () => {
    storage = await openStorage("sqlite://:memory:", quiet);
    const before: Record<string, Record<string, unknown>> = {
      "ledger:1": {
        seen: { state: "seen", isFormer: true },
        owed: { state: "owed", order: facts("owed"), channelIds: ["b", "c"], batch: ["owed", "x"], foundAt: 2 },
        restored: {
          state: "owed",
          order: facts("restored"),
          sealedCustomer: "v1",
          channelIds: [],
          foundAt: 2,
          sentSince: 1,
          route: "r",
          isUnsure: true,
        },
        d: { ...posted, state: "posted", order: facts("d", { changedAt: 4 }), paid: "noted", rungIn: "b", route: "r" },
        e: { ...posted, state: "settled", order: facts("e"), paid: "rung", refunded: "noted" },
        strange: 5,
      },
      "sights:1": { seen: { statuses: ["", "PAID"], rung: ["PAID"] }, noticed: { statuses: ["PAID"] } },
      "routed:1": {
        "r a": { route: "r", order, event: "PAID", channelIds: ["k"], foundAt: 6, sentSince: 5 },
        "r strange": null,
      },
      reminders: {
        1: [
          ["d", "c", "m", 3, true],
          ["e", "c", "m", 2, false],
          ["owed", "c", "n", 5, 4],
        ],
      },
      "id-lists": { "1:owed": { first: 1, last: 1 } },
      "id-list-parts": { "1:owed:1": ["owed"] },
    };
    for (const [name, rows] of Object.entries(before)) {
      for (const [key, value] of Object.entries(rows)) await storage.table(stored(name)).set(key, value);
    }
    // 0.1.0 kept customers as plain text.
    const customer = { email: "ana@example.com", name: "Ana" };
    const bare = { state: "owed", order: { ...facts("b"), customer }, channelIds: ["c"], foundAt: 1 };
    await storage.table(storedBefore("ledger:2")).set("b", bare);
    await storage.table(storedBefore("open-orders")).set("2", ["b"]);
  });
  afterEach(() => storage.close());

  const after = {
    "orders:1 seen": { state: "closed", isFormer: true, seen: ["PAID"], alertedFor: ["PAID"] },
    "orders:1 owed": { state: "planned", facts: facts("owed"), foundAt: 2 },
    "orders:1 restored": { state: "planned", facts: facts("restored"), foundAt: 2 },
    "orders:1 d": {
      state: "open",
      facts: facts("d", { changedAt: 4 }),
      foundAt: 3,
      stand: { channelId: "c", messageId: "m", members: ["d", "e"], route: "r", isClassic: true },
      paid: true,
    },
    "orders:1 e": {
      state: "kept",
      facts: facts("e"),
      foundAt: 3,
      stand: { channelId: "c", messageId: "m", members: ["d", "e"], isClassic: true },
      paid: true,
      refunded: true,
    },
    "orders:1 strange": { state: "closed" },
    "orders:1 noticed": { state: "noticed", seen: ["PAID"] },
    "open:1 d": 3,
    "outbox:1 alert/owed": {
      kind: "alert",
      orderId: "owed",
      foundAt: 2,
      attempts: ["b", "c"].map((where) => ({ channelId: where, members: ["alert/owed"], shown: ["PENDING"], at: 2 })),
    },
    "outbox:1 alert/restored": {
      kind: "alert",
      orderId: "restored",
      customer: "v1",
      route: "r",
      isUnsure: true,
      foundAt: 2,
      since: 1,
      attempts: [],
    },
    "outbox:1 reply/paid/d": {
      kind: "reply",
      what: "paid",
      facts: facts("d", { changedAt: 4 }),
      channelId: "c",
      messageId: "m",
      route: "r",
      foundAt: 4,
      attempts: [{ channelId: "b", members: [], shown: [], at: 3 }],
    },
    "outbox:1 reply/refunded/e": {
      kind: "reply",
      what: "refunded",
      facts: facts("e"),
      channelId: "c",
      messageId: "m",
      foundAt: 3,
      attempts: [{ channelId: "c", members: [], shown: [], at: 3 }],
    },
    "outbox:1 rule/r/a": {
      kind: "rule",
      route: "r",
      facts: order,
      foundAt: 6,
      since: 5,
      attempts: [{ channelId: "k", members: [], shown: [], at: 6 }],
    },
    "outbox:1 reminder/m": {
      kind: "reminder",
      channelId: "c",
      messageId: "m",
      route: "r",
      orderIds: ["d", "e"],
      foundAt: 2,
      attempts: [{ channelId: "c", members: [], shown: [], at: 2 }],
    },
    "outbox:1 reminder/n": {
      kind: "reminder",
      channelId: "c",
      messageId: "n",
      orderIds: ["owed"],
      foundAt: 5,
      since: 4,
      attempts: [],
    },
    "orders:2 b": { state: "planned", facts: facts("b"), foundAt: 1 },
    "outbox:2 alert/b": {
      kind: "alert",
      orderId: "b",
      foundAt: 1,
      attempts: [{ channelId: "c", members: ["alert/b"], shown: ["PENDING"], at: 1 }],
    },
  };
  const tables = ["orders", "open", "outbox"].flatMap((name) => [`${name}:1`, `${name}:2`]);

  it("becomes a row for each order and for each message, wherever it was cut short, and nothing of it is left", async () => {
    await cutShortAnywhere(storage, moveToOutbox);

    expect(await rowsIn(storage, ...tables)).toEqual(after);
    for (const name of ["ledger:1", "ledger:2", "sights:1", "routed:1", "reminders", "id-lists", "id-list-parts"]) {
      expect(await keysIn(storage, name), name).toEqual([]);
    }
    expect(await keysIn(storage, "open-orders")).toEqual([]);
  });
});
