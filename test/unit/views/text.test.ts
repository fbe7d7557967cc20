import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitLines } from "../../../src/views/parts/fit-lines.ts";
import { code, label, plain, shortId } from "../../../src/views/parts/text.ts";
import { sized } from "../../support/sized.ts";
import { anyText } from "../../support/views-support.ts";

const max = fc.integer({ min: 1, max: 300 });
const escaped = /\\[^0-9A-Za-z\s]/g;
/** Right-to-left text is isolated as a whole. */
const isolated = /^\u2068(.*)\u2069$/s;
/** Text on which Discord would act, after escaped characters are removed. */
const active =
  /[*`<]|(?<![0-9a-z])_|_(?![0-9a-z])|~~|\|\||\]\(|:\/|:[\w+-]+:|@everyone|@here|^(?:#{1,3} |> |>>> |[-+] |-# |\d+[.)])|\n|[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/i;

describe("escaping a text for Discord", () => {
  it("leaves an ordinary title as it is", () => {
    const titles = [
      "Sword (2 pcs) | -10%",
      "[NEW] Café: 10:30, 50% off!",
      "João's e-book - part 1",
      "日本語",
      "Steam_Key",
    ];
    for (const title of titles) expect(plain(title, 100)).toBe(title);
  });

  it.each([
    ["**bold** _it_", "\\*\\*bold\\*\\* \\_it\\_"],
    ["~~gone~~ ||secret||", "\\~\\~gone\\~\\~ \\|\\|secret\\|\\|"],
    ["# big", "\\# big"],
    ["-# small", "\\-# small"],
    ["- a list", "\\- a list"],
    ["1. a list", "1\\. a list"],
    ["> quote", "\\> quote"],
    ["[x](https://evil.example)", "[x]\\(https\\://evil.example)"],
    ["<@123> <#4> <t:0:R>", "\\<@123> \\<#4> \\<t\\:0:R>"],
    ["@everyone and @here", "\\@everyone and \\@here"],
    [":smile:", "\\:smile:"],
    ["a\nb\r\n\tc", "a b c"],
    ["a\u200bb\u202ec\u0000d", "abcd"],
    ["e\u0301", "é"],
  ])("makes of %j the text %j", (text, shown) => {
    expect(plain(text, 100)).toBe(shown);
  });

  it("keeps joined emoji and flags whole", () => {
    for (const emoji of ["👩‍👩‍👧", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👍🏽"]) expect(plain(emoji, 50)).toBe(emoji);
    expect(plain("👩‍👩‍👧👩‍👩‍👧", 10)).toBe("👩‍👩‍👧…");
  });

  it("shows the fallback if nothing is visible", () => {
    expect(plain(" \u200b\n", 20)).toBe("—");
    expect(plain("", 20, "Untitled")).toBe("Untitled");
  });

  it("keeps right-to-left text from reordering the text next to it", () => {
    expect(plain("שלום **5**", 50)).toBe("\u2068שלום \\*\\*5\\*\\*\u2069");
    expect(plain("\u202eabc", 50)).toBe("abc");
  });

  it("caps the marks that are piled on one letter", () => {
    expect(plain(`Z${"\u0330".repeat(300)}!`, 50)).toBe(`Z${"\u0330".repeat(4)}!`);
  });

  it("reads a long text only as far as it may be shown, and says that there is more", () => {
    expect(plain(`Z${"\u0330".repeat(3_000)}!`, 50)).toBe(`Z${"\u0330".repeat(4)}…`);
    expect(label(`${"\u200b".repeat(300)}Moon`, 100)).toBe("Moon");
  });

  it("keeps its limit, and leaves nothing active, for any text", () => {
    fc.assert(
      fc.property(anyText, max, (text, most) => {
        const shown = plain(text, most);
        expect(shown.length).toBeLessThanOrEqual(most);
        expect(shown.trim()).not.toBe("");
        expect(shown.isWellFormed()).toBe(true);
        expect(shown.replace(isolated, "$1").replace(escaped, "\u0001")).not.toMatch(active);
      }),
      { numRuns: sized(200, 1_000) },
    );
  });

  /** Pieces do not change how others look, except those that escape each other. */
  const pieces = fc.array(
    fc.constantFrom(
      ..."a¦Zed¦ ¦*¦_¦`¦\\¦<@1>¦~¦~~¦|¦||¦[x](¦](¦:¦:/¦:a:¦@¦@here".split("¦"),
      ..."@everyone¦#¦# ¦##¦>¦> ¦-¦- ¦-# ¦1¦1.¦12)¦é¦👩‍👩‍👧¦❤️¦🇩🇪¦日本".split("¦"),
    ),
    { maxLength: 120, size: "max" },
  );

  it("shows the longest prefix of whole characters that fits", () => {
    fc.assert(
      fc.property(pieces, max, (parts, most) => {
        const line = label(parts.join(""), 5_000);
        const whole = plain(line, 10_000);
        const ends = [...new Intl.Segmenter("en").segment(line)].map(({ index, segment }) => index + segment.length);
        const beginnings = ends.map((end) => line.slice(0, end).trimEnd()).filter((text) => text !== "");

        const fitting = beginnings.map((text) => `${plain(text, 10_000)}…`).filter((text) => text.length <= most);

        expect(plain(parts.join(""), most)).toBe(whole.length <= most ? whole : (fitting.at(-1) ?? "…"));
      }),
      { numRuns: sized(200, 500) },
    );
  });
});

describe("cleaning a text for a label, where no markdown acts,", () => {
  it("joins lines and cuts, but escapes nothing", () => {
    expect(label("a_b\n**c**", 100)).toBe("a_b **c**");
    expect(label("abcdef", 4)).toBe("abc…");
  });

  it("keeps its limit for any text", () => {
    fc.assert(
      fc.property(anyText, max, (text, most) => {
        const shown = label(text, most);
        expect(shown.length).toBeLessThanOrEqual(most);
        expect(shown.trim()).not.toBe("");
      }),
    );
  });
});

describe("a text in code marks", () => {
  it("cannot end them by its contents", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(code(text, 80)).toMatch(/^`[^`\n]+`$/);
      }),
    );
  });

  it("is, of an id in a list, its first eight characters", () => {
    expect(shortId("3f2a91bc-5d0e-4c1a-9b7e-0123456789ab")).toBe("`3f2a91bc`");
  });
});

describe("fitting lines into a message", () => {
  const same = (line: string) => line;

  it("keeps all lines that fit, and counts what it leaves out", () => {
    expect(fitLines(["a", "b"], same, 3, "en")).toBe("a\nb");
    const lines = Array<string>(100).fill("12345");
    expect(fitLines(lines, same, 40, "en")).toBe("12345\n12345\n12345\n12345\n… and 96 more");
  });

  it("never returns more characters than fit", () => {
    const someLines = fc.array(fc.string({ maxLength: 100 }), { maxLength: 100 });
    fc.assert(
      fc.property(someLines, fc.integer({ min: 20, max: 500 }), (lines, most) => {
        expect(fitLines(lines, same, most, "en").length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
