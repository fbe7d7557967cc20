import { beforeEach, describe, expect, test } from "vitest";
import { type ApiMessage, buttonsOf, customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { categories, type StoredOrder } from "../sandbox/store/start-store.ts";
import { plant, plantedButton, problemIn, sentenceOf, told } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { suggested } from "../support/process/world.ts";

const world = useBot({ managers: 40 }, ({ store }) => {
  store.placeOrders(25, (index) => ({
    status: index % 5 === 0 ? "PAID" : "PENDING",
    createdAt: new Date(Date.now() - (25 - index) * 1_000).toISOString(),
  }));
  store.seedProducts(23);
});
const { act, name, person, press, pressed } = world;

beforeEach(() => {
  world.store.honours.email = true;
});

const short = ({ id }: { id: string }) => id.slice(0, 8);

/** In reading order. */
const shown = (message: ApiMessage) => [...textOf(message).matchAll(/`([0-9a-f]{8})` · /g)].map(([, id]) => id);
const newestFirst = () => [...world.store.orders].reverse();
const ids = (orders: readonly StoredOrder[]) => orders.map(short);
const enabled = (message: ApiMessage) =>
  buttonsOf(message)
    .filter(({ disabled }) => !disabled)
    .map(({ label }) => label);

const suggestions = (command: string, focused: string, typed: string) =>
  suggested(world, command, focused, { [focused]: typed }, name());

describe("paging", () => {
  test("leads from page to page and back, ten at a time", async () => {
    const first = await act("orders").settled();
    expect(textOf(first)).toContain("### Orders · Page 1 of 3");
    expect(shown(first)).toEqual(ids(newestFirst().slice(0, 10)));
    expect(enabled(first)).toEqual(["Page 1 of 3", "Next"]);

    const second = await pressed(first, "Next");
    expect(second.id).toBe(first.id);
    expect(shown(second)).toEqual(ids(newestFirst().slice(10, 20)));
    expect(enabled(second)).toEqual(["Previous", "Page 2 of 3", "Next"]);

    const third = await pressed(second, "Next");
    expect(textOf(third)).toContain("### Orders · Page 3 of 3");
    expect(shown(third)).toEqual(ids(newestFirst().slice(20)));
    expect(enabled(third)).toEqual(["Previous", "Page 3 of 3"]);
    expect(shown(await pressed(third, "Previous"))).toEqual(ids(newestFirst().slice(10, 20)));
  });

  test("leads to any page by the jump modal, which says what is none", async () => {
    const first = await act("orders").settled();
    const opener = press(first, "Page 1 of 3");
    const { modal } = await opener.answer();
    expect(modal?.title).toBe("Go to a page");

    const jumped = await world.discord.submit(person(), opener, { page: " 3 " }).settled();
    expect(jumped.id).toBe(first.id);
    expect(textOf(jumped)).toContain("### Orders · Page 3 of 3");

    const again = press(jumped, "Page 3 of 3");
    await again.answer();
    for (const typed of ["three", "0", "-1", "1.5"]) {
      const sentence = await sentenceOf(world.discord.submit(person(), again, { page: typed }), world);
      expect(sentence).toBe("This list has no such page. Type a number from 1 to 3.");
    }
  });

  test("beyond the last page says so, and leads back to the last", async () => {
    const beyond = await act("orders", { page: 9 }).settled();
    expect(textOf(beyond)).toContain("There is no page 9. The last one is page 3: **Previous** takes you there.");
    expect(shown(beyond)).toEqual([]);

    const last = await pressed(beyond, "Previous");
    expect(textOf(last)).toContain("### Orders · Page 3 of 3");
    expect(shown(last)).toHaveLength(5);
  });

  test("of a list that shrinks meanwhile ends on the page that is the last by then", async () => {
    const pending = world.store.orders.filter(({ status }) => status === "PENDING");
    const second = await pressed(await act("orders", { status: "PENDING" }).settled(), "Next");
    expect(textOf(second)).toContain("### Orders · Page 2 of 2");

    for (const { id } of pending.slice(0, 12)) world.store.setStatus(id, "CANCELLED");
    const one = await pressed(second, "Previous");
    expect(textOf(one)).toContain("### Orders · Page 1 of 1");

    const gone = await pressed(await act("orders", { status: "PENDING", page: 2 }).settled(), "Previous");
    expect(shown(gone)).toHaveLength(8);

    for (const { id } of pending.slice(0, 12)) world.store.setStatus(id, "PENDING");
  });

  test("an empty list says what was looked for, and Clear shows the whole one (0.1.0: three dead buttons)", async () => {
    const empty = await act("orders", { status: "NEVER_SEEN, paid", email: "nobody@example.com" }).settled();
    expect(textOf(empty)).toBe(
      "### Orders\n-# Status: NEVER_SEEN, Paid · E-mail: nobody@example.com\nNo orders found.\nClear",
    );

    const whole = await pressed(empty, "Clear");
    expect(whole.id).toBe(empty.id);
    expect(textOf(whole)).toContain("### Orders · Page 1 of 3\n🟡");
    expect(shown(await pressed(whole, "Next"))).toEqual(ids(newestFirst().slice(10, 20)));

    const none = await act("products", { title: "nothing like it", category: categories[0]?.id ?? "" }).settled();
    expect(textOf(none)).toMatch(
      /^### Products\n-# Title: nothing like it · Category: the one with .+\nNo products found\.\nClear$/,
    );
    expect(textOf(await pressed(none, "Clear"))).toContain("### Products · Page 1 of 3\n`");
  });

  test("the menu opens an entry in place, and Back returns to its page", async () => {
    const second = await act("orders", { page: 2 }).settled();
    const order = newestFirst()[12];
    const card = await pressed(second, "Open an order", [order?.id ?? ""]);
    expect(card.id).toBe(second.id);
    expect(textOf(card)).toContain(`ID: \`${order?.id}\``);

    const back = await pressed(card, "Back");
    expect(back.id).toBe(second.id);
    expect(textOf(back)).toContain("### Orders · Page 2 of 3");
    expect(shown(back)).toEqual(shown(second));
  });

  test("products page, open and return like orders", async () => {
    const first = await act("products").settled();
    expect(textOf(first)).toContain("### Products · Page 1 of 3");
    expect(shown(first)).toEqual(world.store.products.slice(0, 10).map(short));

    const second = await pressed(first, "Next");
    expect(shown(second)).toEqual(world.store.products.slice(10, 20).map(short));

    const product = world.store.products[15];
    const card = await pressed(second, "Open a product", [product?.id ?? ""]);
    expect(textOf(card)).toContain(`### ${product?.info.title}\n`);
    expect(textOf(card)).toContain(`ID: \`${product?.id}\``);
    expect(textOf(await pressed(card, "Back"))).toContain("### Products · Page 2 of 3");
  });
});

describe("filters of a list", () => {
  const paid = () => newestFirst().filter(({ status }) => status === "PAID");

  test("ask the store for a status, however its letters are typed", async () => {
    const list = await act("orders", { status: "paid" }).settled();
    expect(shown(list)).toEqual(ids(paid()));
    expect(textOf(list)).not.toContain("bot filtered");
    expect(world.store.requests.at(-1)?.query).toEqual({ page: "1", limit: "10", status: "PAID" });
  });

  test("take several statuses, told apart by commas", async () => {
    const list = await act("orders", { status: "PAID, PENDING" }).settled();
    expect(textOf(list)).toContain("### Orders · Page 1 of 3");
    expect(shown(list)).toEqual(ids(newestFirst().slice(0, 10)));
  });

  test("are in /store status, as far as the store was seen to honour them", async () => {
    await pressed(await act("orders").settled(), "Next");
    const status = textOf(await pressed(await act("store status").settled(), "Details"));
    for (const what of ["status filter", "page size", "page number"]) {
      expect(status).toContain(`**Store accepts · ${what}:** yes`);
    }
  });

  test.each([true, false])("find the orders of an e-mail address (honoured by the store: %s)", async (honoured) => {
    world.store.honours.email = honoured;
    const order = world.store.orders[7];
    const list = await act("orders", { email: ` ${order?.customer.email.toUpperCase()} ` }).settled();

    expect(shown(list)).toEqual([short(order ?? { id: "" })]);
    expect(textOf(list).includes("bot filtered")).toBe(!honoured);
  });

  test("find products by title and by category, and refuse what is no category", async () => {
    const gifts = await act("products", { title: "gift CARD" }).settled();
    const named = world.store.products.filter(({ info }) => info.title.startsWith("Gift card"));
    expect(shown(gifts)).toEqual(named.map(short));

    const [, software] = categories;
    const list = await act("products", { category: software.id }).settled();
    const inside = world.store.products.filter(({ categoryId }) => categoryId === software.id);
    expect(shown(list)).toEqual(inside.map(short));
    expect(textOf(await act("products", { title: "nothing like it" }).settled())).toContain("No products found.");
    expect(await sentenceOf(act("products", { category: "Games" }), world)).toBe(
      "That is not a category. Choose one of the suggestions, or paste its ID.",
    );
  });
});

describe("suggestions", () => {
  /** Waits for all suggestions. The bot searches for 20 ms at most, so on a busy machine it may find fewer. */
  const offered = (command: string, focused: string, typed = "") =>
    expect.poll(async () => (await suggestions(command, focused, typed)).map(({ value }) => value), { interval: 500 });

  test("of /orders are the statuses that the store has shown, after what stands before the comma", async () => {
    await offered("orders", "status").toEqual(expect.arrayContaining(["PAID", "PENDING"]));
    await offered("orders", "status", "pai").toEqual(["PAID"]);
    await offered("orders", "status", "PAID, pen").toEqual(["PAID,PENDING"]);
  });

  test("of /order come by id, by product title, and by customer only where the privacy setting allows", async () => {
    const order = world.store.orders[3];
    const byId = await suggestions("order", "id", short(order ?? { id: "" }));
    expect(byId.map(({ value }) => value)).toEqual([order?.id]);
    expect(byId[0]?.name).toContain(`${order?.items[0]?.productTitle}`);

    const byTitle = await suggestions("order", "id", "gift card 100");
    expect(byTitle.length).toBeGreaterThan(0);
    for (const { name } of byTitle) expect(name).not.toContain("@");
    expect(await suggestions("order", "id", order?.customer.email ?? "")).toEqual([]);
    await offered("order", "id").toHaveLength(25);

    await act("store settings", { privacy: "full" }).settled();
    await offered("order", "id", order?.customer.email).toEqual([order?.id]);

    await act("store settings", { privacy: "none" }).settled();
  });

  test("of /products are titles, and categories by what is in them, whose names can be typed", async () => {
    const titles = ["Pixel Farm Deluxe", "Pixel Farm Deluxe #2", "Pixel Farm Deluxe #3"];
    await offered("products", "title", "pixel").toEqual(titles);
    await offered("products", "category", "antivirus").toEqual([categories[1].id]);
    const [found] = await suggestions("products", "category", "antivirus");
    const named = await act("products", { category: `${found?.name}` }).settled();
    expect(shown(named)).toEqual(shown(await act("products", { category: categories[1].id }).settled()));
  });
});

describe("buttons of others and of other times", () => {
  test("a press on what is expired, unknown or mangled says which of these it is", async () => {
    const expired = /^⚠️ This has expired\. Run the command again to start over\.\n-# Reference: `\w{8}`$/;
    // Anybody can send this id, so the log has no line with a reference.
    const unknown = /^❌ This is from an earlier version of the bot\. Run the command again\.$/;
    const answers = {
      "orders:page:gone:2": expired,
      "products:page:gone:2": expired,
      "orders:fly:x": unknown,
      "coupons:page:x": unknown,
      "no-such-shape": unknown,
      "orders:%E0%A4%A:x": unknown,
    };
    const message = await plant(world, ...Object.keys(answers).map((id) => [plantedButton(id)]));

    for (const [id, answer] of Object.entries(answers)) expect(await told(press(message, id)), id).toMatch(answer);
  });

  test("after a restart of the bot the buttons go on", async () => {
    const list = await act("orders", { status: "PENDING" }).settled();
    const opener = press(list, "Page 1 of 2");
    await opener.answer();
    expect(await world.bot.stop()).toMatchObject({ code: 0 });

    await world.start();
    const second = await pressed(list, "Next");
    expect(textOf(second)).toContain("### Orders · Page 2 of 2");
    expect(shown(second)).toHaveLength(10);
    expect(textOf(await world.discord.submit(person(), opener, { page: "1" }).settled())).toContain("Page 1 of 2");

    const [order] = world.store.orders.filter(({ status }) => status === "PENDING");
    const card = await pressed(await act("orders", { page: 3 }).settled(), "Open an order", [order?.id ?? ""]);
    expect(textOf(card)).toContain(`ID: \`${order?.id}\``);
  });
});

test("an order that is gone when it is opened leaves the list as it is", async () => {
  const list = await act("orders").settled();
  const before = textOf(list);
  const undo = world.store.fail({ path: /checkout\/order\/./, status: 404 });
  const interaction = press(list, "Open an order", [world.store.orders.at(-1)?.id ?? ""]);
  expect(problemIn(await told(interaction)).sentence).toBe(
    "The store has nothing with that ID. It may be mistyped, deleted, or of a store that was connected before.",
  );

  undo();
  const now = world.discord.messagesFor(person(), list.channel_id).find(({ id }) => id === list.id);
  expect(now && textOf(now)).toBe(before);
});

describe("Copy on the card of a product", () => {
  const categoryId = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
  const pricing = { price: 1234.5, comparation: 1500 };
  const info = {
    title: "Moon Key",
    description: "Opens *the* moon.",
    images: ["https://cdn.example.com/a.png", "not a link"],
    slug: "moon",
  };

  /** Opened from the list. */
  async function newCard(more: Partial<typeof info> = {}, comparation = pricing.comparation) {
    const { price } = pricing;
    const { id } = world.store.addProduct({ categoryId, info: { ...info, ...more }, pricing: { price, comparation } });
    const list = await act("products", { category: categoryId }).settled();
    return { id, card: await pressed(list, "Open a product", [id]) };
  }

  test("opens the window with what the list shows, and Create makes another product of it", async () => {
    const { id, card } = await newCard();
    expect(buttonsOf(card).map(({ label }) => label)).toEqual(["Copy", "Back"]);

    const opener = press(card, "Copy");
    const { modal } = await opener.answer();
    expect(JSON.stringify(modal)).toContain(info.description);
    const filled = { description: info.description, stock: "KEY-AAAA" };
    const preview = await world.discord.submit(person(), opener, filled).settled();
    expect(textOf(preview)).toContain("### Moon Key\n**1,234.50** ~~1,500~~");
    expect(textOf(preview)).toContain("Opens \\*the\\* moon.");
    await pressed(preview, "Create");

    const { title, description, images } = info;
    expect(world.store.products.at(-1)?.id).not.toBe(id);
    expect(world.store.products.at(-1)).toMatchObject({
      categoryId,
      info: { title, description, images: images.slice(0, 1) },
      pricing,
    });
  });

  test("has no compare-at price if the store lists 0 (was: a warning that it is lower than the price)", async () => {
    const { card } = await newCard({}, 0);
    const opener = press(card, "Copy");
    await opener.answer();
    const preview = await world.discord.submit(person(), opener, {}).settled();
    expect(textOf(preview)).not.toContain("compare-at");
    await pressed(preview, "Create");
    expect(world.store.products.at(-1)?.pricing).toEqual({ price: pricing.price });
  });

  test("says that the end of a description is missing if a window cannot have it (was: cut without a word)", async () => {
    const said = async (description: string) => {
      const { card } = await newCard({ description });
      return JSON.stringify((await press(card, "Copy").answer()).modal);
    };
    expect(await said(`${"a".repeat(3_990)}${" ".repeat(20)}The end.`)).toContain("its end is missing here");
    expect(await said("a".repeat(3_000))).not.toContain("missing");
  });

  test("is a sentence if the product is gone, or if no new product may be like it", async () => {
    const { id, card } = await newCard();
    const gone = (customIdsOf(card)[0] ?? "").replace(id, crypto.randomUUID());
    const forged = await plant(world, [plantedButton(gone)]);
    expect(await sentenceOf(press(forged, gone), world)).toMatch(/^The store has nothing with that ID\./);

    const nameless = await newCard({ title: " " });
    expect(await sentenceOf(press(nameless.card, "Copy"), world)).toMatch(
      /^A product needs a title that can be read\./,
    );
  });

  test("opens the window in time if the store is slow (was: “The store took too long”, however often it was pressed)", async () => {
    const { card } = await newCard();
    const undo = world.store.fail({ path: /catalog\/product$/, delayMs: 6_000 });
    const slow = press(card, "Copy");
    expect((await slow.answer()).modal).toBeDefined();
    undo();
    expect(slow.answeredAfterMs()).toBeLessThan(3_000);
  });
});
