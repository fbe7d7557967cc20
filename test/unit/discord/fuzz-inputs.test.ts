import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutStock } from "../../../commands/add-product/refusal-without-stock.ts";
import { uploadedStock } from "../../../commands/add-product/stock.ts";
import type { Submission } from "../../../src/discord/commands/define-command.ts";
import { createUploads } from "../../../src/discord/commands/uploads.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { ProblemError } from "../../../src/views/parts/problem.ts";
import { manager } from "../../largest/services.ts";
import { codeOf } from "../../support/code-of.ts";
import { patience, runs, tricks } from "../../support/fuzz.ts";

describe("uploads", () => {
  const file = (url: string) => ({ id: "1", filename: "a.txt", size: 1, url, proxy_url: url }) as never;

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
        const uploaded = await uploadedStock(submission, { readText: async () => content }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ProblemError);
          return undefined;
        });
        expect(uploaded?.content?.trim()).not.toBe("");
        const accepted = typed ?? uploaded?.content;
        if (accepted === undefined) return;
        const inventory = { type: "SERIAL", content: accepted } as const;
        const [line = ""] = accepted.split("\n");
        const refusal = withoutStock(new StoreError("invalid", "x", { detail: `no: ${line} ${said}` }), inventory);
        if (/^[a-z0-9]{4,8}$/i.test(line)) expect(refusal.detail).toBeUndefined();
      }),
      runs,
    );
  });
});
