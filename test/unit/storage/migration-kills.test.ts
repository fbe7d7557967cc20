import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { moveToOutbox } from "../../../src/storage/migrations/2-to-3-outbox.ts";
import { toRowsOfServers } from "../../../src/storage/migrations/3-to-4-polled-servers.ts";
import { tablesToRecords } from "../../../src/storage/migrations/4-to-5-records.ts";
import type { RawEntry } from "../../../src/storage/table.ts";
import type { Order } from "../../../src/store-api/schemas.ts";
import { become, pollOnce, ready, storeFails } from "../../support/engine/alert-lives.ts";
import {
  type Channel,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  pollFor,
  timesPosted,
} from "../../support/engine/alert-world.ts";
import { factsOf } from "../../support/engine/order-rows.ts";
import { feedChannel, linesIn } from "../../support/engine/rules-world.ts";
import { stored } from "../../support/stored.ts";

const minute = 60_000;

interface Left {
  readonly at: number;
  readonly storage: readonly RawEntry[];
  readonly messages: Channel["messages"];
  readonly orders: readonly Order[];
}

/**
 * A process of data version 2 was killed in these states: seven orders in a message, three of them paid; for each payment a
 * public line and a line to the staff, by rules; a reminder after two minutes.
 */
const worlds: readonly Left[] = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../fixtures/data-2/worlds.json"), "utf8"),
);

it.each(worlds.map((left, index) => [index, left] as const))(
  "what a process of data version 2 left is gone on with: each once (%i)",
  async (_, left) => {
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
    become(world, "PAID", ids.slice(0, 3));
    await pollFor(world, life, 4 * minute);

    // The alert and the reminder have all seven.
    expect(timesPosted(world.channel, ids, channelId)).toEqual(ids.map(() => 2));
    expect(linesIn(world, feedChannel)).toBe(3);
    expect(linesIn(world, "2000000000000000009")).toBe(3);
  },
);

it.each([true, false])(
  "a payment that data version 2 was about to announce is announced once; whether it was already: %s",
  async (isPosted) => {
    const { world, life, place, poll, replies } = await ready({ statuses: ["PENDING", "PAID"] });
    world.channel.nonces = false;
    const [id = ""] = await place();
    const order = factsOf(world.store.orders[0] as Order);
    const messageId = world.channel.messages.at(-1)?.id;
    become(world, "PAID");
    if (isPosted) await pollOnce(life);
    const foundAt = world.now() - minute;
    const entry = {
      state: "posted",
      order,
      channelId,
      messageId,
      batch: [id],
      foundAt,
      isClassic: true,
      paid: "noted",
    };
    for (const name of ["orders", "open", "outbox"]) await world.storage.table(stored(`${name}:${guildId}`)).clear();
    await world.storage.table(stored(`ledger:${guildId}`)).set(id, entry);
    await moveToOutbox(world.storage);

    const next = world.start();
    storeFails(world, "unavailable");
    await pollOnce(next);
    world.store.fault = () => undefined;
    await poll(6, next);
    expect(replies()).toHaveLength(1);
  },
);
