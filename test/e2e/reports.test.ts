import { MessageFlags } from "@discordjs/core";
import { describe, expect, test } from "vitest";
import { buttonsOf, type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { plant, plantedButton, sentenceOf, told } from "../support/process/checks.ts";
import { holdStore } from "../support/process/hold-store.ts";
import { recordsOf } from "../support/process/imports.ts";
import { useBot } from "../support/process/scene.ts";
import { connectStore, disconnectStore, run, type World, withManagers } from "../support/process/world.ts";

const orderPath = /checkout\/order$/;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const form = "-# Times are in UTC, decimals use a point, and columns are separated by commas.";

const world = useBot({ managers: 40 }, ({ store }) => {
  const noon = Math.floor(Date.now() / dayMs) * dayMs - 12 * hourMs;
  // 250 orders of the 50 days before today, 5 a day, at noon and an hour later.
  store.placeOrders(250, (index) => ({
    status: index % 5 === 0 ? "PENDING" : "PAID",
    paymentMethod: index % 2 === 0 ? "PIX" : "CREDIT_CARD",
    createdAt: new Date(noon - Math.floor((249 - index) / 5) * dayMs + (index % 5 === 4 ? hourMs : 0)).toISOString(),
    items: [{ productId: "", productTitle: index % 3 === 0 ? "**Moon** @everyone" : "Sun", quantity: 2, price: 0.1 }],
    pricing: { subtotal: 0.2, discount: 0, total: 0.1 },
  }));
  store.seedProducts(23);
  // Lists cut these texts, files do not.
  for (const { info } of store.products.slice(0, 1)) info.description = "Long. ".repeat(1_500);
  for (const order of store.orders.slice(0, 1)) order.paymentMethod = "PIX ".repeat(300);
});
const { act } = world;

const listed = () => world.store.requests.filter(({ path }) => orderPath.test(path)).length;

describe("/stats", () => {
  test("tells the caller alone what a week's orders came to, against the week before", async () => {
    const message = await act("stats", { period: "week" }).settled();

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

const byId = <T extends { readonly id?: string }>(list: readonly T[]) =>
  [...list].sort(({ id: one = "" }, { id: other = "" }) => (one < other ? -1 : 1));

/** Resolves when the answer has its button. */
const inProgress = (interaction: Interaction, there: World = world) =>
  there.discord.waitFor(() => {
    const requests = interaction.requests.filter(({ method }) => method === "PATCH");
    const message = requests.length === 0 ? undefined : shownBy(interaction, there);
    return message && buttonsOf(message).length > 0 ? message : undefined;
  }, "progress with a button");

const shownBy = ({ id }: Interaction, { discord, guild }: World) =>
  [...new Set(guild.members.map(({ user }) => user.id))]
    .flatMap((user) => discord.messagesFor(user, guild.channel("staff")))
    .find(({ interaction_metadata }) => interaction_metadata?.id === id);

const ended = (interaction: Interaction, there: World = world) =>
  there.discord.waitFor(() => {
    const message = shownBy(interaction, there);
    return message && textOf(message) !== "" && buttonsOf(message).length === 0 ? message : undefined;
  }, "the end of the export");

/** The store gives the first page, and then waits. The returned function ends the wait. */
const holdSecondPage = () => holdStore(world.store, { path: orderPath, when: ({ page = 1 }) => page > 1 });

describe("/export orders", () => {
  test("is a file of all orders that only the caller sees", async () => {
    const answer = act("export orders");
    const message = await answer.settled();

    expect((message.flags ?? 0) & MessageFlags.Ephemeral).not.toBe(0);
    expect(textOf(message)).toBe(`✅ Orders in the file: **250**\n${form}`);
    expect(message.attachments.map(({ filename, content_type }) => ({ filename, content_type }))).toEqual([
      { filename: expect.stringMatching(/^orders-\d{4}-\d\d-\d\d\.csv$/), content_type: "text/csv; charset=utf-8" },
    ]);
    const expected = world.store.orders.map((order) => ({
      id: order.id,
      status: order.status,
      createdAt: order.createdAt,
      paymentMethod: order.paymentMethod,
      items: order.items.map((item) => `${item.quantity} × ${item.productTitle} (${item.price})`).join("; "),
      quantity: String(order.items.reduce((sum, { quantity }) => sum + quantity, 0)),
      subtotal: String(order.pricing.subtotal),
      discount: String(order.pricing.discount),
      total: String(order.pricing.total),
      customerName: order.customer.name,
      customerEmail: order.customer.email,
    }));
    expect(byId(await recordsOf(message))).toEqual(byId(expected));
    expect(answer.requests.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
  });

  test("says so where there is none", async () => {
    const message = await act("export orders", { from: "today" }).settled();

    expect(textOf(message)).toBe("ℹ️ No orders found, so there is no file.\n-# Days in the time zone UTC.");
    expect(message.attachments).toEqual([]);
  });

  test("is divided at the size that Discord takes", async () => {
    world.guild.attachmentLimit = 20_000;
    const answer = act("export orders");
    const message = await ended(answer);
    delete world.guild.attachmentLimit;

    const parts = answer.followups();
    expect(textOf(message)).toBe(`✅ Orders in ${parts.length} files: **250**\n${form}`);
    expect(message.attachments).toEqual([]);
    expect(parts.map(textOf)).toEqual(parts.map((_, index) => `Part ${index + 1}`));
    for (const part of parts) {
      expect((part.flags ?? 0) & MessageFlags.Ephemeral).not.toBe(0);
      expect(part.attachments).toHaveLength(1);
      expect(part.attachments[0]?.size).toBeLessThanOrEqual(20_000);
    }
    const records = (await Promise.all(parts.map(recordsOf))).flat();
    expect(new Set(records.map(({ id }) => id)).size).toBe(250);
    expect(records).toHaveLength(250);
  });
});

test("/export products is a file of all products", async () => {
  const message = await act("export products").settled();

  expect(textOf(message)).toBe(`✅ Products in the file: **23**\n${form}`);
  const records = await recordsOf(message);
  expect(byId(records).map(({ id }) => id)).toEqual(byId(world.store.products).map(({ id }) => id));
  const [first] = world.store.products;
  expect(records.find(({ id }) => id === first?.id)).toEqual({
    id: first?.id,
    type: first?.type,
    categoryId: first?.categoryId,
    title: first?.info.title,
    description: first?.info.description,
    images: first?.info.images.join(" "),
    slug: first?.info.slug,
    price: String(first?.pricing.price),
    comparation: String(first?.pricing.comparation ?? ""),
    createdAt: first?.createdAt,
  });
});

test.each([
  [
    "none",
    undefined,
    "Customers are left out because of this server's privacy setting. Members with Manage Server get",
  ],
  ["masked", /^[^@]•••@/, "Customers are partly hidden because of this server's privacy setting. Members with Manage"],
])("customers are in a file of the staff role as in channels: %s", async (privacy, shown, said) => {
  const { discord } = world;
  const guild = discord.addGuild();
  const there: World = { ...world, guild };
  await connectStore(there);
  await run(there, "store settings", { staff: guild.role("Helpers"), privacy }).settled();
  const options = { from: world.store.orders.at(-1)?.createdAt.slice(0, 10) ?? "" };

  const helpers = await run(there, "export orders", options, "helper", { force: true }).settled();
  const owners = await run(there, "export orders", options).settled();

  const [first] = await recordsOf(helpers);
  if (shown === undefined) expect(Object.keys(first ?? {})).not.toContain("customerEmail");
  else expect(first?.customerEmail).toMatch(shown);
  expect(textOf(helpers)).toContain(said);
  expect((await recordsOf(owners))[0]?.customerEmail).toMatch(/^[a-z]+\d+@/);
});

describe("where something is in the way,", () => {
  test("an export shows its progress, ends by Cancel, and leaves room for the next; the log has it after its first part", async () => {
    const release = holdSecondPage();
    world.guild.attachmentLimit = 10_000;
    const answer = act("export orders");
    const shown = await inProgress(answer);
    delete world.guild.attachmentLimit;
    expect(textOf(shown)).toMatch(
      /^### ℹ️ Reading orders\n100 of about 300 read · \d+ in the file\nLess than a minute left\.\nCancel$/,
    );
    await answer.firstFollowup();

    const second = await sentenceOf(act("export products"), world);
    expect(second).toMatch(/^You already have an export running\./);

    const cancelled = await world.discord.press(world.person(), shown, "Cancel").settled();
    expect(textOf(cancelled)).toBe("ℹ️ Export cancelled. To get a file, run `/export orders` again.");
    // The export's own last answer frees its place.
    await world.discord.waitFor(
      () =>
        answer.requests
          .filter(({ method, body }) => method === "PATCH" && !JSON.stringify(body).includes("export:cancel"))
          .at(0),
      "the end of the export",
    );
    release();

    const again = await act("export products").settled();
    expect(textOf(again)).toContain("Products in the file: **23**");
    expect(cancelled.attachments).toEqual([]);
    const log = textOf(await act("store log").settled()).split("\n");
    const own = log.filter((line) => line.includes(world.person()));
    expect(own).toEqual(["Products", "Orders"].map((what) => expect.stringContaining(`exported: **${what}**`)));
  });

  test("a server that is disconnected meanwhile, nothing more is read or sent", async () => {
    const there: World = { ...world, guild: world.discord.addGuild() };
    await connectStore(there);
    const release = holdSecondPage();
    const answer = run(there, "export orders");
    await inProgress(answer, there);

    await disconnectStore(there, "staff");

    const message = await ended(answer, there);
    release();
    expect(textOf(message)).toContain("Export cancelled.");
    expect(message.attachments).toEqual([]);
  });
});

describe("a process that ends in the middle of an export", () => {
  test("by SIGKILL leaves the answer as it was, and Cancel says that it ended", async () => {
    const release = holdSecondPage();
    const shown = await inProgress(act("export orders"));
    await world.bot.kill();
    release();
    await world.start();

    expect(textOf(await world.pressed(shown, "Cancel"))).toMatch(/^ℹ️ Export cancelled./);
    expect(textOf(await act("export orders").settled())).toContain("Orders in the file: **250**");
  });

  test("by SIGTERM gives what was read, and says so", async () => {
    holdSecondPage();
    const answer = act("export orders");
    await inProgress(answer);

    expect((await world.bot.stop()).code).toBe(0);

    const message = shownBy(answer, world);
    if (message === undefined) throw new Error("the answer is not there");
    expect(textOf(message)).toContain(
      "The file is incomplete: 100 of about 300 were read.\nThe bot was stopped meanwhile.",
    );
    expect(await recordsOf(message)).toHaveLength(100);
  });
});
