import { MessageFlags } from "@discordjs/core";
import { describe, expect, test } from "vitest";
import { buttonsOf, type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { sentenceOf } from "../support/checks.ts";
import { holdStore } from "../support/hold-store.ts";
import { recordsOf } from "../support/imports.ts";
import { useBot } from "../support/scene.ts";
import { connectStore, disconnectStore, run, type World } from "../support/world.ts";

const orderPath = /checkout\/order$/;
const form = "-# Times are in UTC, decimals use a point, and columns are separated by commas.";

const world = useBot({ managers: 40 }, ({ store }) => {
  const day = (index: number) => new Date(Date.UTC(2026, 4, 30 - Math.floor(index / 10))).toISOString();
  store.placeOrders(250, (index) => ({
    status: index % 5 === 0 ? "PAID" : "PENDING",
    createdAt: day(249 - index),
    paymentMethod: index === 7 ? "PIX ".repeat(300) : "PIX",
  }));
  store.seedProducts(23);
  for (const { info } of store.products.slice(0, 1)) info.description = "Long. ".repeat(1_500);
});
const { act } = world;

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
  const options = { from: "2026-05-30" };

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
    await world.discord.waitFor(() => answer.followups()[0], "the first part");

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
