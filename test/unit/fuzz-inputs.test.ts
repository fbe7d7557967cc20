import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { productFrom } from "../../commands/add-product/fields.ts";
import { addProductOptions } from "../../commands/add-product/options.ts";
import { stockAsSent, stockIn, withoutStock } from "../../commands/add-product/stock.ts";
import type { Submission } from "../../src/discord/commands/define-command.ts";
import { pageNumber } from "../../src/discord/commands/paged-list.ts";
import { createUploads } from "../../src/discord/commands/uploads.ts";
import { parseTime } from "../../src/store-api/parse-time.ts";
import { retryAfterMs } from "../../src/store-api/retry-after.ts";
import { newProductSchema } from "../../src/store-api/schemas.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import { habitsOf } from "../../src/store-queries/price.ts";
import { statusesIn, suggestStatuses } from "../../src/store-queries/statuses.ts";
import { pageIn } from "../../src/views/parts/custom-ids.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { addProductModal } from "../../src/views/products/add-product-modal.ts";
import { addProductPreview } from "../../src/views/products/add-product-preview.ts";
import { codeOf } from "../support/code-of.ts";
import { anyContext, expectModalAccepted } from "../support/views-support.ts";
import { expectHarmless, patience, runs, tricks } from "./fuzz-support.ts";
import { manager } from "./hostile-services.ts";

const uuid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";

/** What it makes, or undefined where people are told of a problem. Any other failure is one of ours. */
function unlessRefused<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    expect(error).toBeInstanceOf(ProblemError);
    return undefined;
  }
}

describe("options of commands", () => {
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    tricks,
    fc.constantFrom(0, -0, 1e-9, 1e12, 1e13, 9.99, "1e3", " 5 "),
  );
  const link = fc.oneof(
    tricks,
    fc.webUrl(),
    fc.tuple(fc.constantFrom("https://youtu.be/", "https://a.b/"), tricks).map((parts) => parts.join("")),
  );
  const links = fc.array(link, { maxLength: 12 }).map((all) => all.join(" "));
  const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: bad });
  const amount = fc.integer({ min: 0, max: 1e14 }).map((cents) => (cents / 100).toFixed(2));
  const price = mostly<unknown>(
    fc.tuple(fc.constantFrom("", "R$ ", "US$"), amount, fc.boolean()).map(([sign, text, isComma]) => {
      return sign + (isComma ? text.replace(".", ",") : text);
    }),
    number,
  );
  const anyOptions = fc.record(
    {
      title: mostly(tricks, fc.constant(" ")),
      price,
      category: mostly(fc.constant(uuid), tricks),
      "compare-at": price,
      image: mostly(
        fc.array(fc.webUrl(), { minLength: 1, maxLength: 10 }).map((all) => all.join(",")),
        links,
      ),
      youtube: mostly(fc.constant("https://youtu.be/a_b*c*"), link),
      "min-quantity": mostly<unknown>(fc.integer({ min: 1 }), number),
      "hide-sales": fc.boolean(),
      "hide-product": fc.boolean(),
      chat: fc.boolean(),
    },
    { requiredKeys: ["title", "price", "category"] },
  );

  it("of /add-product make a product that the API may be sent and Discord shows, or a problem", patience, () => {
    expect(Object.keys(addProductOptions)).toHaveLength(10);

    const long = fc.tuple(tricks, tricks, tricks, tricks);
    let shown = 0;
    fc.assert(
      fc.property(anyOptions, long, anyContext, (options, [description, instructions, content, message], ctx) => {
        const made = unlessRefused(() => productFrom(options as never, habitsOf({ language: ctx.locale })));
        if (made === undefined) return;
        const { product, ...notes } = made;
        expect(newProductSchema.safeParse(product).error).toBeUndefined();
        expect(product.pricing.price).toBeGreaterThanOrEqual(0);
        const whole = {
          ...product,
          info: { ...product.info, description, instructions },
          inventory: { type: "SERIAL", content, fileName: message } as const,
          chat: { enabled: true, autoMessages: [message, description] },
        };
        expectHarmless(addProductPreview("AbCdEfGhIjKl", whole, ctx, notes));
        expectModalAccepted(addProductModal("edit", "AbCdEfGhIjKl", whole, ctx.locale));
        expect((stockAsSent(whole.inventory).content ?? "").length).toBeLessThanOrEqual(content.length);
        shown += 1;
      }),
      runs,
    );
    expect(shown).toBeGreaterThan(runs.numRuns / 4);
  });

  it("that are pages, statuses, categories and times are what they say, or refused", patience, () => {
    fc.assert(
      fc.property(fc.oneof(tricks, fc.nat().map(String), fc.date().map(String)), tricks, (typed, other) => {
        const page = unlessRefused(() => pageNumber(typed, pageIn(other)));
        if (page !== undefined) expect(Number.isSafeInteger(page) && page >= 1).toBe(true);
        expect(Number.isSafeInteger(pageIn(typed)) && pageIn(typed) >= 1).toBe(true);
        const statuses = statusesIn(typed, [other], "en") ?? ["-"];
        expect(new Set(statuses).size).toBe(statuses.length);
        expect(statuses.length).toBeGreaterThan(0);
        expect(statuses.length).toBeLessThanOrEqual(25);
        expect(statuses).not.toContain("");
        for (const { name, value } of suggestStatuses(typed, [other, "PAID"], "en")) {
          expect(name.trim()).not.toBe("");
          expect(name.length).toBeLessThanOrEqual(100);
          expect(value.length).toBeLessThanOrEqual(100);
        }
        const category = unlessRefused(() => categoryIn(typed + other));
        if (category !== undefined) expect(category).toMatch(/^[0-9a-f-]{36}$/i);
        const time = parseTime(typed);
        if (time !== undefined) expect(Number.isInteger(time) && time > 0 && time <= 8.64e15).toBe(true);
        const wait = retryAfterMs(typed, 1_700_000_000_000);
        if (wait !== undefined) expect(wait >= 0 && wait <= 300_000).toBe(true);
      }),
      runs,
    );
  });
});

describe("uploads", () => {
  const file = (url: string, size: unknown = 1) => ({ id: "1", filename: "a.txt", size, url, proxy_url: url }) as never;

  it("are asked for nowhere but at Discord's file hosts", patience, async () => {
    let asked = 0;
    const read = async () => {
      asked += 1;
      return new Response("x");
    };
    const uploads = createUploads({ apiUrl: "https://discord.com/api", read });
    const host = fc.constantFrom(
      "127.0.0.1",
      "cdn.discordapp.com",
      "cdn.discordapp.com.evil.example",
      "[::1]",
      "e.example",
    );
    const scheme = fc.constantFrom("http:", "file:", "ftp:", "data:", "blob:", "javascript:");
    const url = fc.oneof(
      tricks,
      fc.tuple(scheme, host, tricks).map(([first, middle, last]) => `${first}//${middle}/${last}`),
      fc.tuple(tricks, tricks).map(([user, path]) => `https://cdn.discordapp.com@e.example/${user}${path}`),
      tricks.map((path) => `https://cdn.discordapp.com.e.example/${path}`),
    );
    await fc.assert(
      fc.asyncProperty(url, async (address) => {
        expect(await codeOf(uploads.readText(file(address), "stock"))).toBe("stock_unread");
        expect(asked).toBe(0);
      }),
      runs,
    );
  });

  it("are texts that the API may be sent, or a problem, and are not repeated by a refusal", patience, async () => {
    await fc.assert(
      fc.asyncProperty(tricks, fc.option(tricks), tricks, async (content, typed, said) => {
        const submission: Submission = {
          ...manager,
          args: [],
          fields: typed === null ? {} : { stock: typed },
          files: { "stock-file": typed === null ? [file("https://cdn.discordapp.com/a")] : [] },
        };
        const stock = await stockIn(submission, { readText: async () => content }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ProblemError);
          return undefined;
        });
        if (stock?.content === undefined) return;
        expect(stock.content.trim()).not.toBe("");
        const inventory = { type: "SERIAL", ...stock } as const;
        const [line = ""] = (stock.content ?? "").split("\n");
        const refusal = withoutStock(new StoreError("invalid", "x", { detail: `no: ${line} ${said}` }), inventory);
        if (/^[a-z0-9]{4,8}$/i.test(line)) expect(refusal.detail).toBeUndefined();
      }),
      runs,
    );
  });
});
