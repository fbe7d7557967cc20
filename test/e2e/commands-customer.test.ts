import { beforeAll, describe, expect, test } from "vitest";
import { type ApiMessage, buttonsOf, customIdsOf, type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { plant, plantedButton, sentenceOf } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { connectStore, run, type World } from "../support/process/world.ts";

const ana = { name: "Ana Souza", email: "ana.souza@example.com" };
const susana = { name: "Susana", email: "susana.souza@example.com" };
const hidden = /^This server's privacy setting hides customers/;

const from = Date.UTC(2026, 0, 1);
const world = useBot({ managers: 40 }, ({ store }) =>
  store.placeOrders(30, (index) => ({
    customer: index % 2 ? susana : ana,
    status: index % 5 ? "PAID" : "CANCELLED",
    pricing: { subtotal: 10.1, discount: 0, total: 10.1 },
    createdAt: new Date(from + index * 24 * 60 * 60_000).toISOString(),
  })),
);
const { act, person, press, pressed } = world;
const labels = (message: ApiMessage) => buttonsOf(message).map(({ label }) => label);
const shown = (message: ApiMessage) => [...textOf(message).matchAll(/`([0-9a-f]{8})` · /g)].map(([, id]) => id);
const newest = (email: string) =>
  world.store.orders
    .filter(({ customer }) => customer.email === email)
    .map(({ id }) => id)
    .reverse();
const short = (ids: readonly string[]) => ids.map((id) => id.slice(0, 8));
const customer = async (email: string) => act("customer", { email }).settled();

beforeAll(() => act("store settings", { privacy: "masked" }).settled());

describe("a customer's orders", () => {
  test("stand below what all of them come to, ten a page, and open in place", async () => {
    const requests = world.store.requests.length;
    const first = await customer(` ${ana.email.toUpperCase()} `);

    const day = (index: number) => Date.UTC(2026, 0, 1 + index) / 1_000;
    expect(textOf(first)).toContain("### Customer · Page 1 of 2\n");
    expect(textOf(first)).toContain(`**Ana Souza · ${ana.email}**`);
    expect(textOf(first)).toContain("Orders: **15** · Total: **151.50**\n");
    expect(textOf(first)).toContain(`First: <t:${day(0)}:f> · Last: <t:${day(28)}:f>`);
    expect(textOf(first)).toContain("-# The total includes orders of every status.");
    expect(shown(first)).toEqual(short(newest(ana.email).slice(0, 10)));
    expect(world.store.requests.length - requests).toBe(1);

    const second = await pressed(first, "Next");
    expect(shown(second)).toEqual(short(newest(ana.email).slice(10)));
    const [id = ""] = newest(ana.email).slice(12);
    const card = await pressed(second, "Open an order", [id]);
    expect(textOf(card)).toContain(`ID: \`${id}\``);
    expect(labels(card)).toEqual(["Take", "Back"]);
    const taken = await pressed(card, "Take");
    expect(labels(taken)).toEqual(["Done", "Give back", "Back"]);
    expect(shown(await pressed(taken, "Back"))).toEqual(shown(second));

    const opener = press(second, "Page 2 of 2");
    await opener.answer();
    const jumped = await world.discord.submit(person(), opener, { page: "1" }).settled();
    expect(shown(jumped)).toEqual(short(newest(ana.email).slice(0, 10)));
  });

  test("are one press away from the card of any of them, which stays where it is; no custom id has the address", async () => {
    const [id = ""] = newest(ana.email);
    const alone = await act("order", { id }).settled();
    expect(labels(alone)).toEqual(["Take", "Their orders"]);
    const theirs = await pressed(alone, "Their orders");
    expect(theirs.id).not.toBe(alone.id);
    expect(textOf(theirs)).toContain("Orders: **15**");
    for (const customId of [...customIdsOf(alone), ...customIdsOf(theirs)]) {
      expect(decodeURIComponent(customId)).not.toContain(ana.email);
    }

    const card = await pressed(await act("orders", { email: ana.email }).settled(), "Open an order", [id]);
    expect(labels(card)).toEqual(["Take", "Their orders", "Back"]);
    expect(textOf(await pressed(card, "Their orders"))).toContain(`**Ana Souza · ${ana.email}**`);
    expect(textOf(await pressed(card, "Back"))).toContain("### Orders");
  });

  test("of whom none are found are said to be none", async () => {
    const none = await customer("nobody@example.com");
    expect(textOf(none)).toBe("### Customer\n**nobody@example.com**\nNo orders found for this customer.");
    expect(labels(none)).toEqual([]);
  });
});

describe("what is refused", () => {
  test("is what is no e-mail address, and nothing is asked", async () => {
    const before = world.store.requests.length;
    for (const email of ["ana", "@", "a b@example.com", " ", "a@b@c"]) {
      expect(await sentenceOf(act("customer", { email }), world), email).toMatch(/^That is not an e-mail address/);
    }
    expect(world.store.requests).toHaveLength(before);
  });

  test("is everything to the staff role where the server shows nothing of customers, a card of before included", async () => {
    const { discord, store } = world;
    const guild = discord.addGuild();
    const there: World = { ...world, guild };
    await connectStore(there);
    const settings = { staff: guild.role("Helpers"), privacy: "masked" };
    await run(there, "store settings", settings).settled();
    const helper = guild.person("helper");
    const ask = (command: string, options: Record<string, string>) =>
      run(there, command, options, "helper", { force: true });
    const [id = ""] = newest(ana.email);
    const card = await ask("order", { id }).settled();
    const list = await ask("customer", { email: ana.email }).settled();
    await run(there, "store settings", { privacy: "none" }).settled();
    const before = store.requests.length;
    const pressing: [string, () => Interaction][] = [
      ["the command", () => ask("customer", { email: ana.email })],
      ["the button on a card", () => discord.press(helper, card, "Their orders")],
      ["Next", () => discord.press(helper, list, "Next")],
      ["the menu", () => discord.press(helper, list, "Open an order", { values: [id] })],
    ];
    for (const [what, interaction] of pressing) {
      expect(await sentenceOf(interaction(), world), what).toMatch(hidden);
    }
    expect(store.requests).toHaveLength(before);
    expect(labels(await ask("order", { id }).settled())).toEqual(["Take"]);

    expect(labels(await run(there, "order", { id }).settled())).toEqual(["Take", "Their orders"]);
    const owners = await run(there, "customer", { email: ana.email }).settled();
    expect(textOf(owners)).toContain(`**${ana.name} · ${ana.email}**`);
  });

  test("is an order without an address, or one that is gone", async () => {
    const { id } = world.store.placeOrder({ customer: { name: "Nameless", email: "" } });
    expect(labels(await act("order", { id }).settled())).toEqual(["Take"]);
    const gone = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
    const message = await plant(world, ...[id, gone, "x"].map((one) => [plantedButton(`customer:orders:${one}`)]));
    for (const one of [id, gone, "x"]) {
      expect(await sentenceOf(press(message, `customer:orders:${one}`), world), one).toMatch(/^The store has nothing/);
    }
    world.store.removeOrder(id);
  });
});
