import { PermissionFlagsBits } from "@discordjs/core";
import { describe, expect, test } from "vitest";
import { type ApiMessage, buttonsOf, textOf } from "../sandbox/discord/discord.ts";
import { told } from "../support/checks.ts";
import { useBot } from "../support/scene.ts";
import { alertOf } from "../support/shown-orders.ts";
import { connectStore, run, setAlerts, type World } from "../support/world.ts";

const world = useBot({ isConnected: false });

/** `staff` may use the bot by the staff role, `member` may not, `owner` is a manager. */
async function newServer(staff: readonly string[], role = "Staff"): Promise<World> {
  const guild = world.discord.addGuild({
    channels: ["new-orders", "staff"],
    roles: [{ name: "Managers", permissions: PermissionFlagsBits.ManageGuild }, { name: "Staff" }],
    people: [{ name: "owner" }, { name: "member" }, ...staff.map((name) => ({ name, roles: [role] }))],
  });
  const there = { ...world, guild };
  await connectStore(there);
  await run(there, "store settings", { staff: guild.role("Staff") }).settled();
  await setAlerts(there);
  return there;
}

const press = (there: World, message: ApiMessage, label: string, by: string) =>
  there.discord.press(there.guild.person(by), message, label);
const labels = (message: ApiMessage) => buttonsOf(message).map(({ label }) => label);
const mention = (there: World, name: string) => `<@${there.guild.person(name)}>`;

async function newAlert(there: World) {
  const { id } = there.store.placeOrder();
  // A copy, because the channel's own message changes.
  return { id, alert: structuredClone(await alertOf(there, id)) };
}

describe("an alert", () => {
  test("is taken, done and given back by whoever took it, and says who and since when", async () => {
    const there = await newServer(["ana", "ben"]);
    const { id, alert } = await newAlert(there);
    expect(labels(alert)).toEqual(["Open", "Take"]);

    const [first, second] = [press(there, alert, "Take", "ana"), press(there, alert, "Take", "ben")];
    expect(await told(second)).toContain(`${mention(there, "ana")} has this order: they took it <t:`);
    const taken = structuredClone(await first.settled());
    expect(taken.content).toMatch(new RegExp(`\n🙋 Taken by ${mention(there, "ana")}, <t:\\d+:R>$`));
    expect(taken.mentions).toEqual([]);
    expect(labels(taken)).toEqual(["Open", "Done", "Give back"]);
    expect(await told(press(there, taken, "Done", "ben"))).toContain("Only they, or someone with");
    expect(await told(press(there, taken, "Give back", "ben"))).toContain("Only they, or someone with");
    expect(await told(press(there, taken, "Done", "member"))).toContain("⚠️ Only members with");

    const done = structuredClone(await press(there, taken, "Done", "ana").settled());
    expect(done.content).toContain(`✅ Done by ${mention(there, "ana")}`);
    const free = await press(there, done, "Give back", "ana").settled();
    expect(free.content).toBe(alert.content);
    const again = await press(there, free, "Take", "ben").settled();
    expect((await press(there, again, "Give back", "owner").settled()).content, "a manager may").toBe(alert.content);
    expect((await alertOf(there, id)).embeds).toEqual(alert.embeds);

    const presses = [
      ["↩️ Given back", "owner"],
      ["🙋 Taken", "ben"],
      ["↩️ Given back", "ana"],
      ["✅ Done", "ana"],
      ["🙋 Taken", "ana"],
    ].map(([what, name = ""]) => `${what} by ${mention(there, name)}`);
    const card = await press(there, again, "Open", "ben").settled();
    expect([...textOf(card).matchAll(/^-# (.+), <t:\d+:f>$/gm)].map(([, press]) => press)).toEqual(presses);
    expect(labels(card)).toContain("Take");
    const log = textOf(await run(there, "store log").settled());
    expect(log, "which no press pushes anything out of").not.toContain(id);
  });
});

test("an order of several in one alert is taken on its card, and the alert says so, also once none of it is followed", async () => {
  const there = await newServer(["ana"]);
  const orders = there.store.placeOrders(8);
  const [first, second] = orders;
  if (!first || !second) throw new Error("no orders");
  const alert = await alertOf(there, first.id);
  const choose = (id: string) =>
    there.discord.press(there.guild.person("ana"), alert, "Open an order", { values: [id] }).settled();
  const card = await choose(first.id);
  expect(labels(card)).toContain("Take");
  const taken = await press(there, card, "Take", "ana").settled();
  expect(textOf(taken)).toContain(`🙋 Taken by ${mention(there, "ana")}`);
  const line = `🙋 \`${first.id.slice(0, 8)}\` · ${mention(there, "ana")} · <t:`;
  await alertOf(there, first.id, (text) => text.includes(line));

  for (const { id } of orders) there.store.setStatus(id, "PAID");
  await alertOf(there, first.id, (text) => text.includes("Paid") && text.includes(line));
  const other = await press(there, await choose(second.id), "Take", "ana").settled();
  await alertOf(there, first.id, (text) => text.includes(line) && text.includes(`${second.id.slice(0, 8)}\` · <@`));
  await press(there, other, "Done", "ana").settled();
  await alertOf(there, first.id, (text) => text.includes(`✅ \`${second.id.slice(0, 8)}\``));
  expect(await alertOf(there, first.id)).toMatchObject({ content: expect.stringContaining(line) });
});

test("a press on a card counts while the store does not answer, and the person is told (before: “Nothing was changed”)", async () => {
  const there = await newServer(["ana"], "Managers");
  const { id } = await newAlert(there);
  const card = structuredClone(await run(there, "order", { id }, "ana").settled());
  const undo = there.store.fail({ path: /checkout\/order\/./, status: 500 });
  expect(await told(press(there, card, "Take", "ana"))).toContain("You already have this order: you took it <t:");
  await alertOf(there, id, (text) => text.includes(`🙋 Taken by ${mention(there, "ana")}`));

  undo();
  expect(labels(await run(there, "order", { id }, "ana").settled())).toContain("Give back");
});

test("/orders shows what is mine, free and someone's, and an order is taken from there", async () => {
  const there = await newServer(["ana", "ben"], "Managers");
  const orders = there.store.placeOrders(4);
  for (const { id } of orders) await alertOf(there, id);
  const [first, second, third] = orders;
  if (!first || !second || !third) throw new Error("no orders");
  const take = async (id: string, by: string) =>
    press(there, await run(there, "order", { id }, by).settled(), "Take", by).settled();
  await take(first.id, "ana");
  await take(second.id, "ben");
  await alertOf(there, second.id, (text) => text.includes("🙋"));
  const shown = async (handling: string, by: string) => {
    const list = await run(there, "orders", { handling }, by).settled();
    return orders.map(({ id }) => textOf(list).includes(id.slice(0, 8)));
  };
  expect(await shown("mine", "ana")).toEqual([true, false, false, false]);
  expect(await shown("someones", "ana")).toEqual([false, true, false, false]);
  expect(await shown("free", "ana")).toEqual([false, false, true, true]);

  const free = await run(there, "orders", { handling: "free" }, "ben").settled();
  // Before, the list did not say that it leaves out other statuses.
  expect(textOf(free)).toContain("-# Status: Pending · Handling: Free\n");
  const card = await there.discord
    .press(there.guild.person("ben"), free, "Open an order", { values: [third.id] })
    .settled();
  const taken = await press(there, card, "Take", "ben").settled();
  await alertOf(there, third.id, (text) => text.includes(mention(there, "ben")));
  // Before, the press removed the button that leads back to the list.
  expect(labels(taken)).toEqual(["Done", "Give back", "Their orders", "Back"]);
  expect(textOf(await press(there, taken, "Back", "ben").settled())).toContain("Handling: Free\n");
  await press(there, await run(there, "order", { id: second.id }, "ben").settled(), "Done", "ben").settled();
  expect(await shown("mine", "ben")).toEqual([false, false, true, false]);
});
