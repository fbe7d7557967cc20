import { MessageFlags } from "@discordjs/core";
import { describe, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { plant, plantedButton, sentenceOf, told } from "../support/checks.ts";
import { holdStore } from "../support/hold-store.ts";
import { useBot } from "../support/scene.ts";
import { connectStore, run, withManagers } from "../support/world.ts";

const orderPath = /checkout\/order$/;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

const world = useBot({ managers: 30 }, ({ store }) => {
  const noon = Math.floor(Date.now() / dayMs) * dayMs - 12 * hourMs;
  // 250 orders of the 50 days before today, 5 a day, at noon and an hour later.
  store.placeOrders(250, (index) => ({
    status: index % 5 === 0 ? "PENDING" : "PAID",
    paymentMethod: index % 2 === 0 ? "PIX" : "CREDIT_CARD",
    createdAt: new Date(noon - Math.floor((249 - index) / 5) * dayMs + (index % 5 === 4 ? hourMs : 0)).toISOString(),
    items: [{ productId: "", productTitle: index % 3 === 0 ? "**Moon** @everyone" : "Sun", quantity: 2, price: 0.1 }],
    pricing: { subtotal: 0.2, discount: 0, total: 0.1 },
  }));
});

const listed = () => world.store.requests.filter(({ path }) => orderPath.test(path)).length;

describe("/stats", () => {
  test("tells the caller alone what a week's orders came to, against the week before", async () => {
    const message = await world.act("stats", { period: "week" }).settled();

    expect((message.flags ?? 0) & MessageFlags.Ephemeral).not.toBe(0);
    const text = textOf(message);
    expect(text).toMatch(
      /^### Orders · .+\nToday is not over yet\.\n.*Bar chart of .+Today is not over yet\..*\n\*\*Orders:/,
    );
    expect(text).toContain("**Orders:** 30 · previous 7 days: 35 ▼ 14%");
    expect(text).toContain("**Sold:** 2.40 (orders: 24) · previous 7 days: 2.80 ▼ 14%");
    expect(text).toContain("**Waiting for payment:** 6 · 0.60");
    expect(text).toContain("Time zone: UTC");
    expect(text).not.toContain("By status");

    const before = listed();
    const details = await world.pressed(message, "Details");
    expect((details.flags ?? 0) & MessageFlags.Ephemeral).not.toBe(0);
    const rest = textOf(details);
    expect(rest).toContain("**By status** · all orders\n🟢 Paid: 24 · 2.40\n🟡 Pending: 6 · 0.60");
    expect(rest).toContain("**Top products** · sold only\n1\\. Sun × ");
    expect(rest).toContain("\\*\\*Moon\\*\\* \\@everyone × ");
    expect(rest).toMatch(/\*\*Payment methods\*\* · sold only\n(Pix|Credit card): 12 · 1\.20\n/);
    expect(rest).toContain("**Busiest hours** · all orders\n12:00–13:00: 24\n13:00–14:00: 6");
    expect(rest).toContain("Time zone: UTC");
    expect(listed(), "what is known is not read again").toBe(before);
  });

  test("goes by the server's time zone, also where its digests have another one", async () => {
    const other = withManagers(world, 1);
    await connectStore(other);
    const ask = async () => textOf(await run(other, "stats", { period: "yesterday" }, "manager0").settled());
    const place = { channel: other.guild.channel("new-orders"), every: "day", hour: 9 };
    await run(other, "digest set", { ...place, timezone: "Asia/Tokyo" }).settled();
    await run(other, "store settings", { timezone: "America/Sao_Paulo" }).settled();
    expect(await ask()).toContain("Time zone: America/Sao_Paulo");
    const message = await plant(other, [plantedButton("stats:today:day.2026-11-21")]);
    const today = other.discord.press(other.guild.person("manager0"), message, "Press");
    expect(textOf(await today.settled()), "below a digest").toContain("Time zone: Asia/Tokyo");
    await run(other, "digest off").settled();
  });

  test.each([
    ["a day that is none", "2026-99-99:2026-99-99:UTC"],
    ["all days since 1970", "1970-01-01:2026-11-22:UTC"],
    ["no time zone", "2026-11-21:2026-11-21:Mars"],
  ])("reads nothing for Details of %s", async (_, days) => {
    const before = listed();
    const message = await plant(world, [plantedButton(`stats:details:${days}`)]);
    expect(await told(world.press(message, "Press"))).toMatch(/^❌ This is from an earlier version/);
    expect(listed()).toBe(before);
  });

  test("shows how far it is, ends by Cancel, and leaves room for the next", async () => {
    const { discord, store } = world;
    const other = withManagers(world, 1);
    await connectStore(other);
    let pages = 0;
    const release = holdStore(store, { path: orderPath, when: () => pages++ > 0 });
    const ask = () => run(other, "stats", { period: "month" }, "manager0");
    const answer = ask();
    const shown = await discord.waitFor(() => {
      const messages = discord.messagesFor(other.guild.person("manager0"), other.guild.channel("staff"));
      return messages.find((message) => textOf(message).includes("read."));
    }, "how far the reading is");
    expect(textOf(shown)).toBe("### ℹ️ Reading orders\n100 of about 300 read.\nCancel");

    const cancelled = await discord.press(other.guild.person("manager0"), shown, "Cancel").settled();
    expect(textOf(cancelled)).toMatch(/^ℹ️ Cancelled\. To get the statistics, run/);
    await discord.waitFor(
      () => answer.requests.find(({ method, body }) => method === "PATCH" && /Cancelled/.test(JSON.stringify(body))),
      "the end of the reading",
    );
    release();
    expect(textOf(await ask().settled())).toContain("**Orders:** 145 · previous 30 days: 105 ▲ 38%");
  });
});

test("/digest takes a suggested time zone, refuses what is no time zone, and ends with /digest off", async () => {
  const other = withManagers(world, 1);
  await connectStore(other);
  const channel = other.guild.channel("new-orders");
  const set = (timezone: string) => run(other, "digest set", { channel, every: "day", hour: 9, timezone });
  for (const timezone of ["Mars/Olympus", "+03:00"]) {
    expect(await sentenceOf(set(timezone), world)).toMatch(/^That is not a time zone\. Nothing was changed\./);
  }
  expect(await sentenceOf(run(other, "digest off"), world)).toMatch(/^The digest is already off/);
  expect(textOf(await set("europe/lisbon (12:00)").settled())).toContain("**Europe/Lisbon**");
  expect(textOf(await run(other, "digest off").settled())).toContain("The digest is off.");
});
