import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localeOf, locales } from "../../../src/basics/locale.ts";
import { habitsOf } from "../../../src/store-queries/price.ts";
import { pricedItem } from "../../../src/views/orders/order-lines.ts";
import { statusView } from "../../../src/views/orders/status.ts";
import { customIds, parseCustomId } from "../../../src/views/parts/custom-ids.ts";
import { customerLine } from "../../../src/views/parts/masked-customer.ts";
import { money, quantity } from "../../../src/views/parts/money.ts";
import { relativeTime, when } from "../../../src/views/parts/time.ts";
import { anyNumber, anyText } from "../../support/views-support.ts";

it.each([
  ["pt-BR", "pt-BR"],
  ["es-ES", "es"],
  ["es-419", "es"],
  ["es", "es"],
  ["en-GB", "en"],
  ["de", "en"],
  ["pt-PT", "en"],
  ["", "en"],
])("the language of an answer to somebody with the locale %j is %s", (discord, locale) => {
  expect(localeOf(discord)).toBe(locale);
});

describe("an amount of money", () => {
  it.each([
    [12, "12"],
    [12.5, "12.50"],
    [0.1 + 0.2, "0.30"],
    [1234567.891, "1,234,567.891"],
    [-0, "0"],
    [-3, "-3"],
    [0.00012, "0.00012"],
    [1e21, "> 1,000,000,000,000,000"],
    [-Infinity, "< -1,000,000,000,000,000"],
    [Number.NaN, "—"],
  ])("without a currency, %d, is shown as %s", (amount, shown) => {
    expect(money(amount, { locale: "en" })).toBe(shown);
  });

  it.each([
    [1234.5, "pt-BR", undefined, "1.234,50"],
    [1234.5, "en", "USD", "$1,234.50"],
    [1234.5, "pt-BR", "BRL", "R$\u00a01.234,50"],
    [1234, "en", "JPY", "¥1,234"],
    [12_500.5, "en", "JPY", "¥12,500.50"],
    [12_500.5, "es", "CLP", "12.500,50\u00a0$"],
    [12_500.25, "es", "COP", "12.500,25\u00a0$"],
    [0.125, "en", "USD", "$0.125"],
    [1.5, "en", "KWD", "KWD\u00a01.500"],
    [258.9, "es", "BRL", "258,90\u00a0R$"],
    [258.9, "pt-BR", "USD", "$\u00a0258,90"],
    [5, "en", "nonsense", "5"],
  ] as const)("of %d, in %s and %s, is %s (0.1.0: 258,90 BRL)", (amount, locale, currency, shown) => {
    expect(money(amount, { locale, currency })).toBe(shown);
  });

  it.each([
    ["MXN", "$12,345.50"],
    ["pen", "S/\u00a012,345.50"],
    ["ARS", "12.345,50\u00a0$"],
    [undefined, "12.345,50"],
  ])("is written in Spanish as %s is read: %s", (currency, shown) => {
    expect(money(12_345.5, { locale: "es", currency })).toBe(shown);
    expect(shown).toContain(`12${habitsOf({ language: "es", currency }).thousands}345`);
  });

  it("is short and never scientific, whatever the number", () => {
    const currencies = fc.constantFrom(undefined, "BHD", "EUR");
    fc.assert(
      fc.property(anyNumber, fc.constantFrom(...locales), currencies, (amount, locale, currency) => {
        const shown = money(amount, { locale, currency });
        expect(shown.length).toBeLessThanOrEqual(34);
        expect(shown).not.toMatch(/\d[eE][+-]?\d|NaN|∞/);
      }),
    );
  });
});

it.each([
  [0.1, 3, "3 × Key · 0.10 each · 0.30"],
  [0.001, 3, "3 × Key · 0.001 each · 0.003"],
  [10, 1.5, "1.5 × Key · 10 each · 15"],
  [10, 1, "1 × Key · 10"],
])("an item with the price %d, %d pieces, is %s", (price, count, shown) => {
  expect(pricedItem({ title: "Key", quantity: count, price }, { locale: "en", privacy: "none" })).toBe(shown);
});

it("a quantity is a short number", () => {
  expect(quantity(3, "en")).toBe("3");
  expect(quantity(1.5, "pt-BR")).toBe("1,5");
  expect(quantity(1e9, "en")).toBe("> 1,000,000");
  expect(quantity(Number.NaN, "en")).toBe("—");
});

describe("the line about the customer", () => {
  const maria = { email: "maria@example.com", name: "Maria Silva" };

  const nobody = { email: "", name: "" };

  it.each([
    [maria, "none", undefined],
    [maria, "masked", "m•••@example.com"],
    [maria, "full", "Maria Silva · maria@example.com"],
    [{ email: "", name: "Maria" }, "masked", "M•••"],
    [{ email: "not-an-address", name: "" }, "masked", "n•••"],
    [nobody, "masked", undefined],
    [nobody, "full", undefined],
  ] as const)("of %o with the setting %s is %s", (customer, privacy, shown) => {
    expect(customerLine(customer, privacy)).toBe(shown);
  });

  it("never shows more of a masked address than its first letter and its host", () => {
    fc.assert(
      fc.property(fc.emailAddress(), anyText, (email, name) => {
        const host = email.slice(email.lastIndexOf("@"));
        const shown = customerLine({ email, name }, "masked")?.replaceAll("\\", "") ?? "";

        expect(shown.slice(1)).toBe(`•••${host}`);
      }),
    );
  });
});

describe("times", () => {
  it("are Discord's timestamps, of whole seconds", () => {
    expect(relativeTime(1_735_787_045_999)).toBe("<t:1735787045:R>");
    expect(when(1_735_787_045_000)).toBe("<t:1735787045:f> (<t:1735787045:R>)");
  });

  it("are a dash if there is none", () => {
    for (const none of [undefined, Number.NaN, Number.POSITIVE_INFINITY, 1e300, -1e300]) {
      expect([when(none), relativeTime(none)]).toEqual(["—", "—"]);
    }
  });
});

describe("a status", () => {
  it.each([
    ["PENDING", "pt-BR", "🟡", "Pendente"],
    ["paid", "es", "🟢", "Pagado"],
    ["in-progress", "en", "🔵", "Processing"],
    ["WAITING_FOR_MOON", "pt-BR", "⚪", "WAITING_FOR_MOON"],
    ["constructor", "en", "⚪", "constructor"],
    ["", "en", "⚪", "No status"],
  ] as const)("%j in %s is %s %s: a word if it is common, else unchanged", (status, locale, emoji, text) => {
    expect(statusView(status, locale)).toMatchObject({ emoji, text });
  });

  it("has the colour of its group", () => {
    const colors = ["PENDING", "PROCESSING", "PAID", "CANCELLED", "REFUNDED", "?"].map(
      (status) => statusView(status, "en").color,
    );
    expect(new Set(colors).size).toBe(colors.length);
  });

  it("is never longer than its limit", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...locales), (status, locale) => {
        expect(statusView(status, locale, 20).text.length).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe("custom ids", () => {
  const { open } = customIds.order.buttons;

  it("read back as they were made", () => {
    fc.assert(
      fc.property(anyText, anyText, (id, of) => {
        const made = open.makeIfFits({ id, of });
        if (made === undefined) return;
        expect(made.length).toBeLessThanOrEqual(100);
        expect(parseCustomId(made)).toEqual({ command: "order", action: "open", args: [id, of] });
      }),
    );
  });

  it("throw if they do not fit", () => {
    expect(open.make({ id: "a:b c", of: undefined })).toBe("order:open:a%3Ab%20c");
    expect(() => open.make({ id: "x".repeat(100), of: undefined })).toThrow(RangeError);
    expect(open.makeIfFits({ id: "\ud800", of: undefined })).toBeUndefined();
  });

  it("of other programs are not read", () => {
    for (const id of ["", "x", ":", "a:", ":b", "a:b:%"]) expect(parseCustomId(id)).toBeUndefined();
  });
});
