import { describe, expect, it, vi } from "vitest";
import { orderSchema } from "../../../src/store-api/schemas.ts";
import { type Store, StoreError } from "../../../src/store-api/store-api.ts";
import { findOrder, orderIdIn, suggestOrders } from "../../../src/store-queries/find-order.ts";
import { createStoreCache } from "../../../src/store-queries/store-cache.ts";
import { ready } from "../../support/engine/alert-lives.ts";
import { guildId, once } from "../../support/engine/alert-world.ts";
import { killAtEachStep } from "../../support/engine/killer.ts";
import { marksOf } from "../../support/marks-of.ts";
import { sized } from "../../support/sized.ts";

const tooLong = `${"x".repeat(100)}:1`;

async function worldWith(ids: readonly string[]) {
  const scene = await ready({ statuses: ["PENDING", "PAID"] });
  for (const [index, order] of scene.world.store.place(ids.length).entries()) order.id = ids[index] ?? "";
  return scene;
}

describe("orders whose ids are what the store likes", () => {
  it.each([["1042"], ["#A-77/2026"], ["pedido nº 9"], ["注文-1"], ["a:b:c"], [tooLong]])(
    "is announced and followed: %j",
    async (id) => {
      const { world, poll, move } = await worldWith([id]);
      await poll(1);
      await move([id], "PAID");
      const [, alert, ring, ...others] = world.channel.messages;

      expect(others).toEqual([]);
      expect(JSON.stringify(alert?.payload)).toContain("Paid");
      expect(ring?.replyTo).toBe(alert?.id);
    },
  );

  it("have all of their buttons, or none where the longest one has no room", async () => {
    const { world, poll } = await worldWith(["x".repeat(63), "y".repeat(64)]);
    await poll(1);
    const rows = world.channel.messages.slice(1).map(({ payload }) => marksOf(payload.components).length);

    expect(rows.toSorted()).toEqual([0, 2]);
  });

  it("without buttons are alerted alone, and found again after a kill at any step", async () => {
    const ids = [tooLong, `${tooLong}2`, ...Array.from({ length: 6 }, (_, index) => `short-${index}`)];
    await killAtEachStep(sized(5, 1), async (killer, label) => {
      const { world, poll, alertsOf } = await worldWith(ids);
      world.channel.nonces = false;
      const life = world.start(killer);
      for (let polls = 0; polls < 4 && !killer.killed; polls++) await poll(0.25, life);
      await poll(5, world.start());
      const footers = world.channel.messages.map(({ payload }) => JSON.stringify(payload));
      const times = [tooLong, `${tooLong}2`].map((id) => footers.filter((text) => text.includes(`ID ${id}"`)).length);
      expect(times, label).toEqual([1, 1]);
      const short = ids.slice(2);
      expect(alertsOf(short), label).toEqual(once(short));
    });
  });
});

const uuid = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
/** `ids` are those of recent orders. The bot has announced none of these. */
const typedIn = (typed: string, ...ids: string[]) => {
  const orders = ids.map((id) => orderSchema.parse({ id, status: "PENDING" }));
  const store = { listOrders: async () => ({ items: orders, lastPage: 1, skipped: 0 }) } as Partial<Store> as Store;
  return orderIdIn(typed, { guildId, cache: createStoreCache()("", store) }, { alerts: { idsKnown: async () => [] } });
};

it("what is typed as an order's id is what the store's ids look like, or a uuid", async () => {
  expect(await typedIn(" #1042 ", "1041"), "was: no id, unless orders were read before").toBe("1042");
  for (const id of ["#A-77/2026", `order_${uuid}`])
    expect(await typedIn(id, "1041", id), "was: only a part of it").toBe(id);
  expect(await typedIn(`https://shop.example/orders/${uuid}?tab=1`, "1041")).toBe(uuid);
  expect(await typedIn(`  ${uuid.slice(0, 8)} ${uuid.slice(8)}  `, "1041")).toBe(uuid);
  expect(await typedIn("3F2A91BC", uuid, "4f2a91bc-5d0e-4c1a-9b7e-0123456789ab")).toBe(uuid);
  expect(await typedIn(uuid.replaceAll("-", ""), uuid)).toBe(uuid);
  await expect(typedIn("3f2a91bc", uuid, `${uuid.slice(0, -1)}c`)).rejects.toThrow("bad_uuid");
  await expect(typedIn("1042", uuid)).rejects.toMatchObject({ problem: { code: "bad_uuid" } });
  await expect(typedIn("..", "1041")).rejects.toMatchObject({ problem: { code: "bad_uuid" } });
});

it.each([
  [uuid, "4f2a91bc-5d0e-4c1a-9b7e-0123456789ab"],
  ["1041", "1042"],
  ["PEDIDO900007", "PEDIDO900008"],
])("the name of the suggestion of %s is that order (was: no order ID)", async (id, other) => {
  const line = { productTitle: `A game of 4f2a91bc · 2`, quantity: 1 };
  const orders = [id, other].map((one) => orderSchema.parse({ id: one, status: "PAID", items: [line] }));
  const store = { listOrders: async () => ({ items: orders, lastPage: 1, skipped: 0 }) } as Partial<Store> as Store;
  const shop = { guildId, store, cache: createStoreCache()("", store) };
  const [choice] = await suggestOrders(id, "en", shop, { privacy: "none" });
  expect(choice?.name).toMatch(/ · Paid · /);
  expect(await orderIdIn(`${choice?.name} `, shop, { alerts: { idsKnown: async () => [] } })).toBe(id);
});

it("what is typed is an id also if the store lists no orders now (before: that failed)", async () => {
  const listOrders = vi.fn(() => Promise.reject(new StoreError("timeout", "list")));
  const store = { listOrders } as Partial<Store> as Store;
  const typed = (text: string, ...announced: string[]) =>
    orderIdIn(text, { guildId, cache: createStoreCache()("", store) }, { alerts: { idsKnown: async () => announced } });
  expect(await typed(`https://shop.example/orders/${uuid}`)).toBe(uuid);
  expect(listOrders).not.toHaveBeenCalled();
  expect(await typed(`#${uuid}`)).toBe(uuid);
  expect(await typed("1042", "1041")).toBe("1042");
  await expect(typed(uuid.slice(0, 8), uuid)).rejects.toMatchObject({ code: "timeout" });
});

it("an order is found although its id was typed in capitals", async () => {
  const getOrder = async (id: string) => {
    if (id !== uuid) throw new StoreError("not_found", "order");
    return orderSchema.parse({ id });
  };
  expect(await findOrder({ getOrder }, uuid.toUpperCase())).toMatchObject({ id: uuid });
});
