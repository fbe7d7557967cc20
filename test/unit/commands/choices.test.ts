import { expect, it, onTestFinished, vi } from "vitest";
import { searchFor } from "../../../src/basics/choices.ts";
import { orderSchema } from "../../../src/store-api/schemas.ts";
import type { Store } from "../../../src/store-api/store-api.ts";
import { categoryTyped, suggestCategories, titlesInCategory } from "../../../src/store-queries/categories.ts";
import { suggestOrders } from "../../../src/store-queries/find-order.ts";
import { suggestMethods } from "../../../src/store-queries/payment-methods.ts";
import { createStoreCache } from "../../../src/store-queries/store-cache.ts";
import { suggest } from "../../../src/views/parts/suggest.ts";
import { aProduct } from "../../support/views-support.ts";

const numbers = Array.from({ length: 1_000 }, (_, index) => index);
const choiceOf = (index: number) => ({ name: `choice ${index}`, value: String(index) });

it("the first 25 choices are made, and no further items are read", () => {
  let looked = 0;
  const choices = suggest("even", numbers, choiceOf, (index) => {
    looked += 1;
    return [index % 2 === 0 ? "even" : "odd"];
  });
  expect(choices.map(({ value }) => Number(value))).toEqual(numbers.filter((index) => index % 2 === 0).slice(0, 25));
  expect(looked).toBe(49);
});

it("items are searched for 20 ms, no matter how many there are (0.1.0: 5.5 s)", () => {
  let now = 0;
  const textsOf = () => {
    now += 7;
    return [""];
  };
  const choices = suggest("", numbers, choiceOf, textsOf, () => now);
  expect(choices).toEqual([0, 1, 2].map(choiceOf));
});

it("typed text is found regardless of case; only the beginning of a long text counts", () => {
  expect(searchFor(" SWord ")("A sword")).toBe(true);
  expect(searchFor("são")("America/Sao_Paulo")).toBe(true);
  expect(searchFor("pokemon")("Pokémon")).toBe(true);
  expect(searchFor("x")("sword")).toBe(false);
  expect(searchFor("a".repeat(6_000))(`b${"a".repeat(100)}`)).toBe(true);
});

it("a value that Discord refuses is left out, for every kind of item (was: one long id of an order left no choice)", () => {
  const values = ["x".repeat(101), "", "\ud83d", "x".repeat(100)];
  const choices = suggest("", values, (value) => ({ name: "choice", value }));
  expect(choices.map(({ value }) => value)).toEqual(["x".repeat(100)]);
});

it("a category whose id is too long for a choice is not offered (0.1.0: Discord refused all choices)", async () => {
  const uuid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
  const store = {} as Store;
  const cache = createStoreCache()("", store);
  cache.recentProducts = async () => [uuid, `${"x".repeat(100)}${uuid}`].map((categoryId) => aProduct({ categoryId }));
  const choices = await suggestCategories("", { guildId: "1", store, cache });
  expect(choices.map(({ value }) => value)).toEqual([uuid]);
});

it("the name of a category's suggestion is that category, unless two have the name (was: no category)", async () => {
  const [one, other, same] = Array.from({ length: 3 }, () => crypto.randomUUID());
  const store = {} as Store;
  const cache = createStoreCache()("", store);
  const inside = [one, one, one, one, other, same].map((categoryId, index) =>
    aProduct({
      categoryId: categoryId ?? "",
      info: { ...aProduct().info, title: index < 4 ? `Game ${index}` : "Book" },
    }),
  );
  cache.recentProducts = async () => inside;
  const shop = { guildId: "1", store, cache };
  const [games] = await suggestCategories("game 3", shop);
  expect(games?.name).toBe("Game 0, Game 1, Game 2, … (4)");
  expect(await categoryTyped(`${games?.name} `, shop)).toBe(one);
  expect(await categoryTyped("Book", shop)).toBe("Book");
  expect(await categoryTyped("Game", shop)).toBe("Game");
});

it("the name of a category's suggestion is that category if the store takes 2 s (before: no category)", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = {} as Store;
  const cache = createStoreCache()("", store);
  const answer = Promise.withResolvers<ReturnType<typeof aProduct>[]>();
  cache.recentProducts = () => answer.promise;
  const product = aProduct();
  const found = categoryTyped(product.info.title, { guildId: "1", store, cache });
  await vi.advanceTimersByTimeAsync(2_000);
  answer.resolve([product]);
  expect(await found).toBe(product.categoryId);
});

it("a product without a category is in none with others (before: its card named them as its category)", async () => {
  const store = {} as Store;
  const cache = createStoreCache()("", store);
  cache.recentProducts = async () => [aProduct({ categoryId: "" })];
  expect(await titlesInCategory("", { guildId: "1", store, cache })).toEqual([]);
});

it("a choice shows customers and payment methods as the store wrote them (was: with backslashes before * and _)", async () => {
  const customer = { email: "_ana_@example.com", name: "Ana *VIP*" };
  const order = orderSchema.parse({ id: "1041", status: "PAID", items: [], customer, paymentMethod: "_GIFT_" });
  const store = {} as Store;
  const cache = createStoreCache()("", store);
  cache.recentOrders = async () => [order];
  const [choice] = await suggestOrders("*vip", "en", { guildId: "1", store, cache }, { privacy: "full" });
  expect(choice?.name).toBe("1041 · Paid · 0 · Ana *VIP* · _ana_@example.com");
  expect(suggestMethods("", [order], "en")).toEqual([{ name: "_GIFT_", value: "_GIFT_" }]);
});
