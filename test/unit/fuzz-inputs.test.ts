import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stockIn, withoutStock } from "../../commands/add-product/stock.ts";
import { pageNumber } from "../../commands/paged-list.ts";
import type { Submission } from "../../src/discord/commands/define-command.ts";
import { createUploads } from "../../src/discord/commands/uploads.ts";
import { parseTime } from "../../src/store-api/parse-time.ts";
import { retryAfterMs } from "../../src/store-api/retry-after.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import { statusesIn, suggestStatuses } from "../../src/store-queries/statuses.ts";
import { pageIn } from "../../src/views/parts/custom-ids.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { manager } from "../largest/services.ts";
import { codeOf } from "../support/code-of.ts";
import { patience, runs, tricks } from "./fuzz-support.ts";

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
