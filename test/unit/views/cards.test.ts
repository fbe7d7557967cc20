import { describe, expect, it } from "vitest";
import type { Locale } from "../../../src/basics/locale.ts";
import { orderSchema } from "../../../src/store-api/schemas.ts";
import { type AlertOrder, alertBatchSize, alertMessage } from "../../../src/views/alerts/alert-message.ts";
import type { OrderHandling } from "../../../src/views/orders/handling.ts";
import { orderCard } from "../../../src/views/orders/order-card.ts";
import { orderPage } from "../../../src/views/orders/order-page.ts";
import type { ViewContext } from "../../../src/views/parts/context.ts";
import { pictureUrl, productCard } from "../../../src/views/products/product-card.ts";
import {
  anAlertOrder,
  anOrder,
  aProduct,
  buttonOf,
  expectAccepted,
  nodes,
  textOf,
  valuesOf,
} from "../../support/views-support.ts";

const ctx: ViewContext = { locale: "en", privacy: "none" };

const many = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    anAlertOrder({ id: `${String(index).padStart(8, "0")}-5d0e-4c1a-9b7e-0123456789ab` }),
  );

describe("an order card", () => {
  it("leaves a discount of nothing out (0.1.0: showed it)", () => {
    const card = orderCard(anOrder({ pricing: { subtotal: 25, discount: 0, total: 25 } }), ctx);
    expect(textOf(card)).toContain("Subtotal: 25\n**Total: 25**");
  });

  it("shows the person who has it, and below that the earlier presses, the newest first", () => {
    const shown = (...[handling, locale]: [OrderHandling, Locale]) =>
      textOf(orderCard(anOrder(), { ...ctx, locale }, { handling })).split("Pix\n")[1];
    const ana = { by: "1", at: 60_000 };
    const ben = { by: "2", at: 120_000 };
    const past = [
      { press: "take", ...ana } as const,
      { press: "done", ...ana } as const,
      { press: "back", ...ben } as const,
    ];
    expect(shown({ take: undefined, past: [] }, "en")).toBeUndefined();
    expect(shown({ take: ana, past: [] }, "en")).toBe("🙋 Taken by <@1>, <t:60:R>");
    expect(shown({ take: { ...ana, done: ben }, past: [] }, "en")).toBe(
      "✅ Done by <@2>, <t:120:R>\n-# 🙋 Taken by <@1>, <t:60:f>",
    );
    expect(shown({ take: undefined, past }, "es")).toBe(
      "-# ↩️ Lo liberó <@2>, <t:120:f>\n-# ✅ Lo terminó <@1>, <t:60:f>\n-# 🙋 Empezó a atenderlo <@1>, <t:60:f>",
    );
    expect(shown({ take: ben, past: past.slice(-1) }, "pt-BR")).toBe(
      "🙋 Assumido por <@2>, <t:120:R>\n-# ↩️ Deixado livre por <@2>, <t:120:f>",
    );
  });

  it("counts the items that do not fit", () => {
    const items = Array(500).fill({ productId: "", productTitle: "x".repeat(100), quantity: 1, price: 1 });
    expect(textOf(orderCard(anOrder({ items }), ctx))).toMatch(/… and 4\d\d more/);
    expect(textOf(orderCard(anOrder({ items: [] }), ctx))).toContain("No items");
  });

  it("counts an item that cannot be read, as lists do (before: left it out without a word)", () => {
    const item = { productTitle: "Sword", quantity: 1, price: 5 };
    const order = orderSchema.parse({ id: "1", status: "PAID", items: [item, { ...item, quantity: "two boxes" }] });
    expect(textOf(orderCard(order, ctx))).toContain("**Items (2)**\n1 × Sword · 5\n… and 1 more\n");
    const page = orderPage({ items: [order], page: 1, lastPage: 1, session: "s", notes: [], filter: [] }, ctx);
    expect(textOf(page)).toContain("-# 1 × Sword, … and 1 more");
  });
});

it("a page of orders shows statuses in words in its menu, unknown ones unchanged (0.1.0: raw)", () => {
  const menu = (status: string) =>
    nodes(
      orderPage({ items: [anOrder({ status })], page: 1, lastPage: 1, notes: [], filter: [], session: "abc" }, ctx),
    ).flatMap(({ options = [] }) => options.map(({ description }) => description));
  expect(menu("PENDING")).toEqual(["Pending · 25"]);
  expect(menu("ON_HOLD")).toEqual(["ON_HOLD · 25"]);
  expect(menu("")).toEqual(["No status · 25"]);
});

it("a page that has a row twice shows it once", () => {
  const twice = [anOrder(), anOrder({ id: "b2c3d4e5-0000-4000-8000-000000000001" }), anOrder()];
  const page = orderPage({ items: twice, page: 1, lastPage: 1, notes: [], filter: [], session: "abc" }, ctx);
  expect(textOf(page).match(/Pending/g)).toHaveLength(2);
});

describe("a product card", () => {
  it("says everything about the product", () => {
    const card = productCard(aProduct(), ctx);
    expect(textOf(card)).toBe(
      [
        "### Sword",
        "**10** ~~15~~",
        "Sharp.",
        "Category: ID `99999999-2222-4333-8444-555555555555`",
        "Slug: `sword`",
        "ID: `11111111-2222-4333-8444-555555555555`",
        "Created: <t:1735787045:f> (<t:1735787045:R>)",
      ].join("\n"),
    );
    expect(JSON.stringify(card)).toContain('"media":{"url":"https://cdn.example.com/sword.png"}');
  });

  it("describes its category by other products in it (0.1.0: by an id)", () => {
    const inCategory = ["Shield", " ", "*Potion*", "x".repeat(50), "Bow", "Axe"];
    expect(textOf(productCard(aProduct(), ctx, { inCategory }))).toContain(
      `\nCategory: the one with Shield, \\*Potion\\*, ${"x".repeat(39)}…, … and 2 more\n`,
    );
    expect(textOf(productCard(aProduct(), { ...ctx, locale: "es" }, { inCategory: ["Espada"] }))).toContain(
      "\nCategoría: la que tiene Espada\n",
    );
  });

  it.each([10, 0, undefined])("shows no comparison price that is the same, or none: %s", (comparation) => {
    expect(textOf(productCard(aProduct({ pricing: { price: 10, comparation } }), ctx))).not.toContain("~~");
  });

  it.each([
    ["https://cdn.example.com/a b.png", "https://cdn.example.com/a%20b.png"],
    ["javascript:alert(1)", undefined],
    ["ftp://example.com/x.png", undefined],
    ["https://user:pass@example.com/x.png", undefined],
    ["http://localhost/x.png", undefined],
    ["picture.png", undefined],
    [`https://example.com/${"x".repeat(3_000)}`, undefined],
  ])("takes the picture %j as %j", (text, url) => {
    expect(pictureUrl(text)).toBe(url);
  });
});

describe("an alert", () => {
  it("shows one order in full, without its customer", () => {
    const alert = alertMessage([anAlertOrder()], ctx);
    expect(textOf(alert)).toBe(
      [
        "🔔 New order · 25 · Pix · 2 × Sword",
        "🟡 25",
        "2 × Sword",
        "Payment: Pix",
        "Status: Pending",
        "ID 3f2a91bc-5d0e-4c1a-9b7e-0123456789ab",
      ].join("\n"),
    );
    expect(alert.embeds[0]?.timestamp).toBe("2025-01-02T03:04:05.000Z");
    expect(buttonOf(alert, "Open")?.custom_id).toBe("order:open:3f2a91bc-5d0e-4c1a-9b7e-0123456789ab");
    expect(alert.allowed_mentions).toEqual({ parse: [], roles: [] });
  });

  it("shows where an order went, and when", () => {
    const changed = { status: "PAID", changedAt: 1_735_787_100_000 };
    const one = alertMessage([anAlertOrder(changed)], ctx);

    expect(textOf(one)).toContain("Status: Paid · <t:1735787100:R>");
    expect(one.embeds[0]?.title).toBe("🟢 25");
    expect(one.embeds[0]?.color).toBe(0x23a55a);

    const [first, second] = many(2);
    const two = alertMessage([{ ...first, ...changed } as AlertOrder, second as AlertOrder], ctx);

    expect(textOf(two)).toContain("🟢 **25** · Pix · Paid · <t:1735787100:R>\n`00000000` · 2 × Sword");
  });

  it("has a line for every order of the largest batch", () => {
    const items = Array(500).fill({ title: "👩‍👩‍👧".repeat(50), quantity: -1e9 });
    const long = { status: "*".repeat(500), total: -1e300, paymentMethod: "_".repeat(500), changedAt: 8e15, items };
    const worst = many(alertBatchSize).map((order) => ({ ...order, ...long }));
    const alert = alertMessage(worst, { locale: "pt-BR", currency: "BHD", privacy: "full" }, { sample: true });
    expectAccepted(alert);

    const text = textOf(alert);
    for (const { id } of worst) expect(text).toContain(`\`${id.slice(0, 8)}\``);
    expect(valuesOf(alert)).toEqual(worst.map(({ id }) => id));
    expect(nodes(alert).find(({ type }) => type === 3)?.custom_id).toBe("order:pick");
    expect(text.match(/\n`\d{8}` · .+× /g)).toHaveLength(alertBatchSize);
  });

  it("puts what a locked phone shows first: the role, how much, how paid, the first item and how many more (0.1.0: nothing)", () => {
    const items = ["Steam key", "Shield", "Potion"].map((title) => ({ title, quantity: 1 }));
    const shop = { locale: "pt-BR", currency: "BRL", privacy: "full" } as const;

    const one = alertMessage([anAlertOrder({ items, total: 49.9, paymentMethod: "CREDIT_CARD" })], shop, {
      roleId: "1",
    });

    expect(one.content.replaceAll("\u00a0", " ")).toBe(
      "<@&1> 🔔 Novo pedido · R$ 49,90 · Cartão de crédito · 1 × Steam key +2",
    );

    const three = alertMessage(many(3), shop);
    expect(three.content.replaceAll("\u00a0", " ")).toBe(
      "🔔 3 novos pedidos · R$ 75,00 · 2 × Sword, 2 × Sword, 2 × Sword",
    );
    const [first, ...others] = many(3);
    const onePaid = alertMessage([{ ...first, status: "PAID" } as AlertOrder, ...others], shop);
    expect(onePaid.content).toContain("🔔 3 novos pedidos · 1 pago · R$");
  });

  it("leaves the button out if the id is too long for it, and throws for no orders and for more than a batch", () => {
    expect(buttonOf(alertMessage([anAlertOrder({ id: "é".repeat(50) })], ctx), "Open")).toBeUndefined();
    expect(() => alertMessage([], ctx)).toThrow(RangeError);
    expect(() => alertMessage(many(alertBatchSize + 1), ctx)).toThrow(RangeError);
  });
});
