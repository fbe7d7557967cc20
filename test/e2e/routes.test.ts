import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hiddenMarksIn } from "../../src/views/alerts/hidden-mark.ts";
import { type ApiMessage, textOf } from "../sandbox/discord/discord.ts";
import { type BotForm, byQueue, onSqlite } from "../support/bot-forms.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { seed, sized } from "../support/sized.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

/** How often the process is killed at a random moment. */
const kills = sized(2, 100);

async function newWorld(): Promise<World> {
  const world = await createWorld();
  const guild = world.discord.addGuild({
    channels: ["new-orders", "staff", "keys", "wins"],
    roles: [{ name: "Staff" }, { name: "Packers" }],
  });
  return { ...world, guild };
}

const add = (world: World, name: string, channel: string, options: Record<string, string | boolean> = {}) =>
  run(world, "alerts route add", { name, channel: world.guild.channel(channel), ...options }).settled();

const messagesIn = ({ discord, guild }: World, channel: string): readonly ApiMessage[] =>
  discord.messages(guild.channel(channel));
/** Messages by rules in a channel: those without an alert's own. */
const linesIn = (world: World, channel: string): string[] =>
  messagesIn(world, channel).flatMap(({ content }) =>
    content.split("\n").filter((line) => hiddenMarksIn(line).length > 0),
  );
const marksIn = (world: World, channel: string): string[] =>
  messagesIn(world, channel).flatMap(({ content }) => hiddenMarksIn(content));

const settled = (world: World, channel: string, count: number, deadlineMs = 20_000) =>
  world.discord.waitFor(
    () => (new Set(marksIn(world, channel)).size >= count ? true : undefined),
    `${count} orders in #${channel}`,
    deadlineMs,
  );

describe("rules about where orders go", () => {
  test("send alerts where they say, lines to the public, and rings when an order enters a status", async () => {
    await using world = await newWorld();
    await world.start();
    await connectStore(world);
    await setAlerts(world);
    await add(world, "Paid", "keys", { status: "PAID", role: world.guild.role("Packers") });
    await add(world, "Wins", "wins", { style: "feed" });
    await add(world, "Wins in money", "wins", { style: "feed", status: "PAID", amount: true });
    const order = world.store.placeOrder();
    await allShown(world, [order.id], 15_000);
    await settled(world, "wins", 1);

    const [line] = messagesIn(world, "wins");
    expect(line?.content).toMatch(/^🛍️ Someone bought .* 🎉$/);
    expect(line?.content).not.toContain(order.id.slice(0, 8));
    expect([line?.components, line?.embeds, line?.mention_roles]).toEqual([[], [], []]);
    expect(JSON.stringify(line)).not.toContain(order.customer.email);
    expect(messagesIn(world, "keys")).toEqual([]);

    world.store.setStatus(order.id, "PAID");
    await settled(world, "keys", 1);
    await settled(world, "wins", 2);
    const [ring] = messagesIn(world, "keys");
    expect(ring?.mention_roles).toEqual([world.guild.role("Packers")]);
    expect(textOf(ring as ApiMessage)).toContain(order.id);
    expect(ring?.content).toContain("📌 Paid");
    expect(messagesIn(world, "wins")).toHaveLength(2);
  });

  test("have alerts that fit the first of them ring there, and nowhere else", async () => {
    await using world = await newWorld();
    await world.start();
    await connectStore(world);
    await setAlerts(world);
    await add(world, "All", "keys");
    await add(world, "Never", "wins");
    const ids = world.store.placeOrders(7).map(({ id }) => id);
    await world.discord.waitFor(
      () => {
        const text = messagesIn(world, "keys").map(textOf).join();
        return ids.every((id) => text.includes(id.slice(0, 8))) ? true : undefined;
      },
      "alerts in #keys",
      15_000,
    );
    expect(timesShown(world, ids)).toEqual(ids.map(() => 0));
    expect(messagesIn(world, "wins")).toEqual([]);
    await run(world, "alerts route remove", { name: "All" }).settled();
    await run(world, "alerts route remove", { name: "Never" }).settled();
    const next = world.store.placeOrder();
    await allShown(world, [next.id], 15_000);
  });

  test("wait for a feed's channel, and ring in the alerts' own where the rule has lost its own", async () => {
    await using world = await newWorld();
    await world.start();
    await connectStore(world);
    await setAlerts(world);
    await add(world, "Packing", "keys", { from: "1" });
    await add(world, "Wins", "wins", { style: "feed" });
    const ends = ["keys", "wins"].map((channel) =>
      world.discord.fail({
        method: "POST",
        path: new RegExp(`${world.guild.channel(channel)}/messages$`),
        times: 1_000,
        status: 403,
        body: { message: "Missing Access", code: 50_001 },
      }),
    );
    const order = world.store.placeOrder();
    await allShown(world, [order.id], 30_000);

    const [alert] = messagesIn(world, "new-orders").filter((message) => textOf(message).includes(order.id));
    expect(alert?.content).toContain("📌 Packing");
    expect(alert?.content).toContain(`<#${world.guild.channel("keys")}>`);
    for (const end of ends) end();
    await settled(world, "wins", 1, 45_000);
    expect(messagesIn(world, "wins")).toHaveLength(1);
  });
});

// Kills of single workers are in `workers-kill.test.ts`.
const forms: readonly (readonly [BotForm, number])[] = [[onSqlite, kills], ...sized([], [[byQueue, 1] as const])];

describe.each(forms.filter(([{ isInstalled }]) => isInstalled).map(([form, times]) => ({ ...form, times })))(
  "$name",
  ({ open, times }) => {
    test(`SIGKILL ${times} times amid rules: each order once by each (seed ${seed})`, {
      timeout: 120_000 + times * 8_000,
    }, async () => {
      await using form = await open();
      await using world = await newWorld();
      let bot = await form.start(world);
      await connectStore(world);
      await setAlerts(world);
      await add(world, "Paid", "keys", { status: "PAID" });
      await add(world, "Wins", "wins", { style: "feed" });
      await add(world, "Paid wins", "wins", { style: "feed", status: "PAID" });
      const chances = fc.sample(
        fc.record({
          lifeMs: fc.integer({ min: 0, max: 1_500 }),
          orders: fc.integer({ min: 0, max: 8 }),
          paid: fc.integer({ min: 0, max: 8 }),
          discord: fc.constantFrom("", "500", "before", "after", "slow"),
        }),
        { seed, numRuns: times },
      );
      const placed: string[] = [];
      const paid: string[] = [];
      const place = (count: number) => placed.push(...world.store.placeOrders(count).map(({ id }) => id));
      const pay = (count: number) => {
        // One that was paid before anybody saw it rings for that alone.
        const shown = placed.filter((id) => !paid.includes(id) && timesShown(world, [id])[0] === 1).slice(0, count);
        for (const id of shown) world.store.setStatus(id, "PAID");
        paid.push(...shown);
      };
      const heal: (() => void)[] = [];
      for (const { lifeMs, orders, paid: count, discord } of chances) {
        const at = { method: "POST", path: /messages$/, times: 1 };
        if (discord === "500") heal.push(world.discord.fail({ ...at, status: 500, body: {} }));
        else if (discord === "slow") heal.push(world.discord.fail({ ...at, delayMs: 400 }));
        else if (discord !== "") heal.push(world.discord.fail({ ...at, drop: discord as "before" | "after" }));
        place(orders);
        pay(count);
        // The moment of the kill is what is random here: nothing is waited for.
        await wait(lifeMs);
        pay(count);
        await bot.kill();
        bot = await form.start(world);
      }
      for (const end of heal) end();
      place(2);
      await allShown(world, placed, 60_000 + form.takeoverMs);
      pay(placed.length);
      await settled(world, "keys", paid.length, 60_000);
      await settled(world, "wins", placed.length + paid.length, 60_000);
      const last = world.store.placeOrder();
      await allShown(world, [last.id], 30_000);
      await settled(world, "wins", placed.length + paid.length + 1, 30_000);

      console.info(`${times} kills, ${placed.length} orders, ${paid.length} paid, seed ${seed}`);
      expect(timesShown(world, placed)).toEqual(placed.map(() => 1));
      expect(marksIn(world, "keys")).toHaveLength(paid.length);
      expect(linesIn(world, "wins")).toHaveLength(placed.length + paid.length + 1);
    });
  },
);
