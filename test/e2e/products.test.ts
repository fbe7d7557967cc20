import { expect, test } from "vitest";
import { type ApiMessage, buttonsOf, customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { plant, plantedButton, sentenceOf } from "../support/checks.ts";
import { useBot } from "../support/scene.ts";

const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";

const world = useBot({ managers: 40 });
const { act, person, press, pressed } = world;

/** The card of a product, opened in the list. */
const cardOf = async (id: string) => pressed(await act("products").settled(), "Open a product", [id]);
const copyOn = (card: ApiMessage) => press(card, "Copy");

function seed(info: object = {}) {
  return world.store.addProduct({
    categoryId: category,
    info: {
      title: "Moon Key",
      description: "Opens *the* moon.",
      images: ["https://cdn.example.com/a.png", "not a link"],
      slug: "moon",
      ...info,
    },
    pricing: { price: 1234.5, comparation: 1500 },
  });
}

test("Copy opens the window with what the list shows, and Create makes another product of it", async () => {
  const { id } = seed();
  const card = await cardOf(id);
  expect(buttonsOf(card).map(({ label }) => label)).toEqual(["Copy", "Back"]);

  const opener = copyOn(card);
  const { modal } = await opener.answer();
  expect(JSON.stringify(modal)).toContain("Opens *the* moon.");
  const { discord, store } = world;
  const filled = { description: "Opens *the* moon.", stock: "KEY-AAAA" };
  const preview = await discord.submit(person(), opener, filled).settled();
  expect(textOf(preview)).toContain("### Moon Key\n**1,234.50** ~~1,500~~");
  expect(textOf(preview)).toContain("Opens \\*the\\* moon.");
  await pressed(preview, "Create");

  expect(store.products.at(-1)?.id).not.toBe(id);
  expect(store.products.at(-1)).toMatchObject({
    categoryId: category,
    info: { title: "Moon Key", description: "Opens *the* moon.", images: ["https://cdn.example.com/a.png"] },
    pricing: { price: 1234.5, comparation: 1500 },
  });
});

test("a product that is gone, or that no new product may be like, is a sentence", async () => {
  const { id } = seed();
  const gone = (customIdsOf(await cardOf(id))[0] ?? "").replace(id, crypto.randomUUID());
  const forged = await plant(world, [plantedButton(gone)]);
  expect(await sentenceOf(press(forged, gone), world)).toMatch(/^The store has nothing with that ID\./);

  const nameless = await cardOf(seed({ title: " " }).id);
  expect(await sentenceOf(copyOn(nameless), world)).toMatch(/^A product needs a title that can be read\./);
});

test("a store that is slow is no window, but a sentence in time", async () => {
  const card = await cardOf(seed().id);
  const undo = world.store.fail({ path: /catalog\/product$/, delayMs: 2_500 });
  const pressed = copyOn(card);
  expect(await sentenceOf(pressed, world)).toMatch(/^The store took too long to answer\./);
  undo();
  expect(pressed.answeredAfterMs()).toBeLessThan(2_500);
});
