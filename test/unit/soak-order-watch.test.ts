import { afterEach, beforeEach, expect, it } from "vitest";
import { type PretendDiscord, startDiscord } from "../sandbox/discord/discord.ts";
import { type PretendStore, startStore } from "../sandbox/store/start-store.ts";
import { FaultWindows } from "../soak/fault-windows.ts";
import { OrderWatch } from "../soak/order-watch.ts";
import type { Tenant } from "../soak/tenants.ts";

let discord: PretendDiscord;
let store: PretendStore;
let watch: OrderWatch;
let tenant: Tenant;

beforeEach(async () => {
  [discord, store] = await Promise.all([startDiscord(), startStore()]);
  const guild = discord.addGuild();
  tenant = { guild, shop: store, channel: guild.channel("new-orders") };
  watch = new OrderWatch(discord, new FaultWindows(1_000), 0);
});
afterEach(() => Promise.all([discord.close(), store.close()]));

/** Places an order that is paid as soon as it rang. */
function place(): string {
  watch.place(tenant, { changesAfterMs: 0, lastStatus: "PAID" });
  return store.orders.at(-1)?.id ?? "";
}

/** What a bot does: a message for these orders, or an edit of one, that gives all of them this status. */
async function tell(ids: readonly string[], status: string, { channel = tenant.channel, edits = "" } = {}) {
  const options = ids.map((id) => ({ value: id, label: id, description: `${status} · 9.90` }));
  const menu = { type: 3, custom_id: "order:pick", options };
  const button = { type: 2, style: 1, label: "Open", custom_id: `order:open:${ids[0]}` };
  const body = {
    content: "New order",
    embeds: [{ title: "9.90", fields: ids.length > 1 ? [] : [{ name: "Status", value: `${status} · now` }] }],
    components: [{ type: 1, components: [ids.length > 1 ? menu : button] }],
  };
  const response = await fetch(`${discord.apiUrl}/v10/channels/${channel}/messages/${edits}`.replace(/\/$/, ""), {
    method: edits === "" ? "POST" : "PATCH",
    headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return discord.messages(channel).at(-1)?.id ?? "";
}

it("an order without an alert is missing, and one whose message keeps its first status is not shown", async () => {
  place();
  await tell([place()], "Pending");

  expect(watch).toMatchObject({ placed: 2, rung: 1, missing: 1, unshown: 1, doubled: 0, settled: 0 });
});

it.each([1, 3])(
  "with %i orders in a message, all are settled once it shows the status that each came to",
  async (count) => {
    const ids = Array.from({ length: count }, place);
    const edits = await tell(ids, "Pending");
    watch.tick();
    expect(ids.map((id) => store.orders.find((order) => order.id === id)?.status)).toEqual(ids.map(() => "PAID"));

    await tell(ids, "Cancelled", { edits });
    expect(watch).toMatchObject({ unshown: count, settled: 0 });
    await tell(ids, "Paid", { edits });
    watch.tick();

    expect(watch).toMatchObject({ missing: 0, unshown: 0, doubled: 0, reverted: 0, settled: count });
    expect(store.orders).toEqual([]);
  },
);

it("counts a second alert as doubled, also when the order was forgotten since", async () => {
  const id = place();
  const edits = await tell([id], "Pending");
  await tell([id], "Pending");
  expect(watch.doubled).toBe(1);

  watch.tick();
  await tell([id], "Paid", { edits });
  watch.tick();
  await tell([id], "Pending");

  expect(watch).toMatchObject({ settled: 1, doubled: 2 });
});

it("counts an alert in another server's channel", async () => {
  await tell([place()], "Pending", { channel: discord.addGuild().channel("new-orders") });

  expect(watch).toMatchObject({ doubled: 1, missing: 1 });
});

it("counts a message that showed the last status, and then another one", async () => {
  const id = place();
  const edits = await tell([id], "Pending");
  watch.tick();
  await tell([id], "Paid", { edits });
  await tell([id], "Pending", { edits });
  watch.end();

  expect(watch).toMatchObject({ settled: 0, reverted: 1 });
});
