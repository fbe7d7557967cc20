import { describe, expect, it } from "vitest";
import { isOutboxFull } from "../../src/orders/outbox-bounds.ts";
import { type OutboxRow, outboxTable } from "../../src/orders/outbox-row.ts";
import { noticesTable } from "../../src/outbox/notices.ts";
import { fails } from "../support/alert-lives.ts";
import { type AlertWorld, channelId, guildId, pollFor } from "../support/alert-world.ts";
import { begin, feed, feedChannel, linesIn, rule, setRoutes, setStatus } from "../support/rules-world.ts";

const minute = 60_000;

async function waiting({ storage }: AlertWorld): Promise<number> {
  let count = 0;
  for await (const _ of storage.table(outboxTable, guildId).entries()) count += 1;
  return count;
}
const close = (world: AlertWorld) => {
  fails(world, "send", "forbidden");
};

describe("rings by rules that cannot be posted", () => {
  it("count as alerts do: with 5,000 that wait the store is read no further", () => {
    const routes = [rule({ id: "staff" }), feed({ id: "public" })];
    const facts = { id: "a", status: "PAID", items: [], total: 1, paymentMethod: "PIX" };
    const outboxOf = (alerts: number, lines: number, route: string) =>
      new Map<string, OutboxRow>([
        ...Array.from({ length: alerts }, (_, at) => {
          const row: OutboxRow = { kind: "alert", orderId: `${at}`, foundAt: 1, attempts: [] };
          return [`alert ${at}`, row] as const;
        }),
        ...Array.from({ length: lines }, (_, at) => {
          const row: OutboxRow = { kind: "rule", route, facts, foundAt: 1, attempts: [] };
          return [`rule ${at}`, row] as const;
        }),
      ]);
    const isFull = (...of: Parameters<typeof outboxOf>) =>
      isOutboxFull({ id: guildId, settings: { language: "en", privacy: "none" }, routes }, outboxOf(...of));
    expect(isFull(4_000, 999, "staff")).toBe(false);
    expect(isFull(4_000, 1_000, "staff")).toBe(true);
    expect(isFull(4_000, 9_000, "public")).toBe(false);
    expect(isFull(4_000, 9_000, "a rule that is gone")).toBe(false);
  });

  it("wait up to 1,000 for each feed, and hold up neither reading nor another feed", async () => {
    const { world, life } = await begin({}, feed({ status: "PAID" }), feed({ id: "sound", status: "PAID", channelId }));
    fails(world, "send", "forbidden", { place: feedChannel });
    for (let round = 0; round < 2; round += 1) {
      for (const order of world.store.place(600)) order.status = "PAID";
      await pollFor(world, life, 3 * minute);
    }
    expect(await waiting(world)).toBe(1_000);
    expect(linesIn(world, channelId)).toBe(1_200);
  });

  it("go when alerts are turned off, and no table is walked for it but the index of what is open", async () => {
    const { world } = await begin({}, rule({ status: "PAID" }), feed({ status: "PAID" }));
    const walked: string[] = [];
    const life = world.start(undefined, (backend) => ({
      ...backend,
      entries(table) {
        walked.push(table ?? "all");
        return backend.entries(table);
      },
      clear(table) {
        walked.push(table);
        return backend.clear(table);
      },
    }));
    await pollFor(world, life, minute);
    close(world);
    const [order] = world.store.place(1);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, minute);
    expect(await waiting(world)).toBe(2);
    walked.length = 0;
    await life.alerts.turnOff(guildId);
    expect(walked).toEqual([`open:${guildId}`]);
    expect(await waiting(world)).toBe(0);
  });
});

it("what is wrong with a rule's channel is forgotten with the rule", async () => {
  const { world, life } = await begin({}, feed({ id: "first" }));
  fails(world, "send", "forbidden", { place: feedChannel });
  for (const id of ["second", "third", "fourth"]) {
    world.store.place(1);
    await pollFor(world, life, minute);
    await setRoutes(world, life, feed({ id }));
    await pollFor(world, life, 10 * minute);
  }
  world.store.place(1);
  await pollFor(world, life, minute);
  const notices = await world.storage.table(noticesTable).get(guildId);
  expect(Object.keys(notices?.problems ?? {})).toEqual(["fourth"]);
});
