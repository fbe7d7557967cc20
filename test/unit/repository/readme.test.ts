import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { type Locale, locales } from "../../../src/basics/locale.ts";
import { commandTexts } from "../../../src/locales/texts.ts";
import { typedCommands } from "../../support/typed-commands.ts";

const pages = ["README", "docs/commands"] as const;
type Page = (typeof pages)[number];
const fileOf = (page: Page, locale: Locale) => `${page}${locale === "en" ? "" : `.${locale}`}.md`;
const textIn = (page: Page, locale: Locale) =>
  readFileSync(new URL(`../../../${fileOf(page, locale)}`, import.meta.url), "utf8");

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, what = ""]) => what);
/** Each language has pages and the picture. A link to one counts as a link to the English one. */
const withoutLanguage = (link: string) =>
  link.replace(new RegExp(`[.-](?:${locales.join("|")})(?=\\.(?:md|webp)$)`), "");
/** The first cell of each row is a command with its options. */
const rows = (text: string) => found(text, /^\| (`.+?) \|/gm);

/** As the table has it: "/loja configurar" with `[moeda]`, … where an option may be left out. */
function commandRows(locale: Locale, english: readonly string[]): string[] {
  const texts = Object.entries(commandTexts(locale));
  const inEnglish = commandTexts("en");
  return english.map((row) => {
    const [whole = "", ...options] = found(row, /`([^`]+)`/g);
    const [name = "", ...steps] = whole.slice(1).split(" ");
    const [, command] = texts.find(([key]) => inEnglish[key]?.name === name) ?? [];
    const [sub = "", inside = ""] = steps;
    const group = steps.length > 1 ? command?.groups?.[sub] : undefined;
    const text = group?.subcommands[inside] ?? command?.subcommands?.[sub] ?? command;
    const names = [command, group, ...(text === command ? [] : [text])].flatMap((one) => one?.name ?? []);
    const typed = `\`/${names.join(" ")}\``;
    const named = options.map((option) => option.replace(/[a-z-]+/, (key) => text?.options?.[key]?.name ?? key));
    return [typed, ...named.map((option) => `\`${option}\``)].join(" ");
  });
}

it("the page of commands has a row for every command, with its options", () => {
  const documented = new Map(
    rows(textIn("docs/commands", "en")).map((row) => {
      const [command = "", ...options] = found(row, /`([^`]+)`/g);
      return [command, options.map((option) => option.replace(/[^a-z-]/g, "")).sort()];
    }),
  );
  for (const { typed, text } of typedCommands("en")) {
    expect(documented.get(typed), `docs/commands.md, the row of ${typed}`).toEqual(
      Object.keys(text.options ?? {}).sort(),
    );
  }
});

/** Numbers that a README promises, however the language writes thousands. Links do not count. */
const numbers = (text: string) =>
  found(text.replace(/\]\([^)]*\)/g, ""), /(\d+(?:[.,]\d{3})*)/g).map((number) => number.replace(/[.,]/g, ""));
const shellBlocks = (text: string) => found(text, /^ *```sh\n([^`]*)^ *```$/gm);
const slashCommands = (text: string) => found(text, /(`\/[^`]+`)/g);
const itemsOf = (text: string) => found(text, /^(-|\d+\.) /gm);

it.each(locales)("the README in %s has at most 70 lines, and names the Node that the process needs", (locale) => {
  const text = textIn("README", locale);

  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(70);
  expect(`>=${/\[Node\.js\]\([^)]+\) (\d+)/.exec(text)?.[1]}`).toBe(manifest.engines.node);
});

describe.each(locales.filter((locale) => locale !== "en"))("in %s", (locale) => {
  it("the README promises as much, by number, item and step, and has what is to be typed", () => {
    const ours = textIn("README", locale);
    const english = textIn("README", "en");
    for (const facts of [numbers, itemsOf, shellBlocks]) expect(facts(ours), facts.name).toEqual(facts(english));
    expect(slashCommands(ours)).toEqual(commandRows(locale, slashCommands(english)));
    expect(slashCommands(english).length).toBeGreaterThan(1);
  });

  it.each(pages)("%s has the sections, the links and the shell commands of the English one", (page) => {
    for (const pattern of [/^(#+) /gm, /\]\((?!#)([^)]+)\)/g, /^ *```(sh)$/gm, /`(npm [^`]+)`/g]) {
      const [ours, english] = [locale, "en" as const].map((one) =>
        found(textIn(page, one), pattern).map(withoutLanguage),
      );
      expect(ours, String(pattern)).toEqual(english);
    }
  });

  it("the page of commands names every command and option as Discord shows them in that language", () => {
    const english = rows(textIn("docs/commands", "en"));
    expect(english.length).toBeGreaterThan(10);
    const ours = rows(textIn("docs/commands", locale));
    expect(ours).toEqual(commandRows(locale, english));
  });
});
