import { describe, expect, it } from "vitest";
import { locales } from "../../../src/basics/locale.ts";
import { texts } from "../../../src/locales/texts.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { type Problem, problemNotice, problemText } from "../../../src/views/parts/problem.ts";
import { exportDone } from "../../../src/views/reports/export.ts";
import { importDone } from "../../../src/views/reports/import.ts";
import { nodes, textOf } from "../../support/views-support.ts";

const { invalid_because: _, forbidden_without: __, ...sentences } = texts("en").problems;
const withArguments: readonly Problem[] = [
  { code: "cooldown", seconds: 3 },
  { code: "bad_page", about: "7" },
  { code: "bad_day", about: "2026-11-21" },
  { code: "import_broken", about: "7" },
  { code: "import_wide", about: "7" },
  { code: "import_columns", about: "title, price" },
  { code: "import_twice", about: "title" },
  { code: "bad_route", why: "exists" },
];
/** One problem of each code. */
const each: readonly Problem[] = [
  ...withArguments,
  ...Object.keys(sentences)
    .filter((code) => withArguments.every((problem) => problem.code !== code))
    .map((code) => ({ code }) as Problem),
];

describe.each(locales)("problems in %s", (locale) => {
  it("each have a sentence of their own", () => {
    const said = each.map((problem) => problemText(problem, locale));
    expect(new Set(said).size).toBe(said.length);
    for (const sentence of said) expect(sentence).toMatch(/^\p{Lu}.{30,}[.?!]$/su);
  });
});

describe("a problem", () => {
  it("of the store can be shown as it was thrown", () => {
    const refused = new StoreError("invalid", "create product", { detail: "price is required" });
    expect(problemText(refused, "en")).toContain("It says: “price is required”");
  });

  it("says what to do next", () => {
    expect(problemText({ code: "unauthorized" }, "en")).toMatch(/`\/store connect`.*Settings, then Open API/);
    // The person may have entered nothing, or the token may lack a right.
    expect(problemText({ code: "invalid" }, "en")).toMatch(/If you entered something.*the person who runs this bot/);
    expect(problemText({ code: "unauthorized" }, "en")).toContain("or does not allow this with it");
    expect(problemText({ code: "rate_limited", retryAfterMs: 1_500 }, "en")).toContain("in 2 seconds");
    expect(problemText({ code: "cooldown", seconds: 1 }, "pt-BR")).toContain("em 1 segundo.");
    expect(problemText({ code: "cooldown", seconds: Number.NaN }, "es")).toContain("en 1 segundo.");
    // The limit may be that of the whole server, so the sentence is not about the person.
    expect(problemText({ code: "cooldown", seconds: 3 }, "en")).toBe(
      "The bot got too many requests. Try again in 3 seconds.",
    );
    expect(problemText({ code: "forbidden", missing: ["SendMessages"] }, "en")).toContain("**Send Messages**");
  });

  it("repeats the API's own words harmlessly", () => {
    expect(problemText({ code: "invalid", detail: "price **must** be > 0 @everyone" }, "en")).toContain(
      "“price \\*\\*must\\*\\* be > 0 \\@everyone”",
    );
  });

  it("of a member without access is one sentence (0.1.0: two, and \u201cnothing was done\u201d)", () => {
    for (const locale of locales) {
      const text = textOf(problemNotice({ code: "not_allowed" }, locale));
      expect(text.match(/[.!?](?=\s|$)/g), text).toHaveLength(1);
    }
  });

  it("shows the reference that is in the log", () => {
    const shown = problemNotice({ code: "internal" }, "en", "a1b2c3");
    expect(textOf(shown)).toMatch(/\n-# Reference: `a1b2c3`$/);
    expect(nodes(shown)[0]?.accent_color).toBe(0xda373c);
    expect(shown.flags & 64).toBe(0);
  });
});

describe("work that a failing store stopped half-way", () => {
  const csv = { name: "some.csv", contentType: "text/csv", data: Buffer.from("x") };

  it("is an import that says what was created (before: “Nothing was changed”, below the number of created products)", () => {
    const counts = { all: 9, created: 5, before: 0, refused: 0, unclear: 0 };

    const text = textOf(importDone("s", { ...counts, end: { failed: "unavailable" } }, csv, "en"));

    expect(text).toContain(
      "Products created: **5**\nNot sent: **4**\nThe import stopped: The store could not be reached, or had a fault.\n",
    );
    expect(text).not.toContain("Nothing was changed");
  });

  it("is an export that names the cause (before: “the store stopped answering”, to every cause)", () => {
    const counts = { read: 3, about: 9, written: 3, skipped: 0, undated: 0, files: 1, isCertain: true };
    const result = {
      ...counts,
      what: "orders",
      end: { failed: "rate_limited" },
      privacy: "full",
      zone: undefined,
    } as const;

    const text = textOf(exportDone(result, csv, "en"));

    expect(text).toContain("The store got too many requests.\nThe file is incomplete: 3 of about 9 were read.");
    expect(text).not.toMatch(/stopped answering|Nothing was changed/);
    const empty = textOf(exportDone({ ...result, written: 0, files: 0 }, undefined, "en"));
    expect(empty, "was: “The file is incomplete”, without a file").toMatch(
      /so there is no file\.\nRun the command again/,
    );
    expect(empty).not.toContain("incomplete");
  });
});
