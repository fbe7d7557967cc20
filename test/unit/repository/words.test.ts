import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type Locale, locales } from "../../../src/basics/locale.ts";
import { texts } from "../../../src/locales/texts.ts";
import { typedCommands } from "../../support/typed-commands.ts";

/** One text that people read, with its full key. */
interface Said {
  readonly key: string;
  readonly text: string;
}

/** Stands for the arguments of a function. */
const ARGUMENT = "\u2039\u2026\u203a";

function saidIn(group: object, at = ""): Said[] {
  return Object.entries(group).flatMap(([key, value]): Said[] => {
    const here = `${at}${key}`;
    if (typeof value === "string") return [{ key: here, text: value }];
    if (typeof value === "function") return [{ key: here, text: String(value(...Array(value.length).fill(ARGUMENT))) }];
    return saidIn(value, `${here}.`);
  });
}

/** Names of commands and options are typed and not read, and a language is written in itself. */
const isRead = ({ key }: Said) => !/^commands\..*\.name$|\.language\.choices\./.test(key);
const said = new Map(locales.map((locale) => [locale, saidIn(texts(locale)).filter(isRead)]));
const saidBy = (locale: Locale) => said.get(locale) ?? [];

/**
 * English names of the commands in a text. An option after a command belongs to it ("/alerts remind after"). Within a frame
 * (`/…` or **\/…**) every word after the command is an option.
 */
function commandsIn(text: string, locale: Locale): string[] {
  const slash = /(?<![\p{L}\p{N}/:.])([`*]?)(\/\p{Ll}[\p{Ll} -]*)/gu;
  return [...text.matchAll(slash)].map(([, frame, words = ""]) => {
    const known = typedCommands(locale).filter(({ typed }) => `${words} `.startsWith(`${typed} `));
    const command = known.sort((one, other) => other.typed.length - one.typed.length)[0];
    if (command === undefined) return `unknown: ${words}`;
    const option = words.slice(command.typed.length).trim();
    if (frame === "" || option === "") return command.key;
    const [key = `unknown: ${option}`] =
      Object.entries(command.text.options ?? {}).find(([, { name }]) => name === option) ?? [];
    return `${command.key} ${key}`;
  });
}

/** English names of options that a text names alone (`from`). Texts about files name columns instead. */
function optionsIn(text: string, locale: Locale): string[] {
  if (text.includes("`categoryId`")) return [];
  const known = typedCommands(locale).flatMap((command) => Object.entries(command.text.options ?? {}));
  const keysOf = (word: string) => new Set(known.flatMap(([key, { name }]) => (name === word ? [key] : [])));
  return [...text.matchAll(/`(\p{Ll}[\p{Ll}-]*)`/gu)].flatMap(([, word = ""]) => [...keysOf(word)]);
}

/** Discord's developer portal has English only. These words, and names of settings, are written as they are there. */
const given = /New Application|Reset Token|Create|General Information|Application ID|(?:DISCORD|STORE)_[A-Z_]+/g;

/** Without code, addresses, names of commands and placeholders. */
const prose = (text: string) =>
  text
    .replace(given, " ")
    .replace(/```.*?```|`[^`]*`/gs, " ")
    .replace(/https?:\/\/\S+/g, " ")
    .replace(/\*\*\/[^*]+\*\*/g, " ")
    .replaceAll(ARGUMENT, " ");

/**
 * English words that do not belong in a Portuguese or Spanish sentence. Names (Open API, Server Members), and words that are
 * the same there (token, bot, status, chat, slug, stock, total), are not in the list.
 */
const english =
  /(?<![\p{L}\p{N}-])(the|and|with|from|your|you|this|that|is|are|not|none|order|orders|store|alert|alerts|product|products|customer|customers|price|discount|payment|page|search|channel|role|server|settings|language|currency|category|title|picture|file|try|again|masked|full|paid|pending|cancelled|refunded|delivered|next|previous|cancel|confirm|edit|create|open(?! API))(?![\p{L}\p{N}-])/iu;

/** Codes of statuses that have words, and anything else in SCREAMING_CASE. */
const { none: _none, ...words } = texts("en").statuses;
const codes = new RegExp(`\\b(${Object.keys(words).join("|").toUpperCase()}|[A-Z]{2,}_[A-Z_]+)\\b`);

/** Native readers found these odd: rare, of another register, or a second word for a thing (CONTRIBUTING.md). */
const wornOut: Readonly<Record<Locale, RegExp>> = {
  en: /(?<!\p{L})(mend(s|ed|ing)?|anew|whoever|done with|begun|lack(s|ed|ing)?|under way|figures?|pretend|, for (the|it|they|you|this))(?!\p{L})/iu,
  "pt-BR":
    /(?<!\p{L})(toque em|aperte|aperta|de mentira|estornad[oa]s?|outros tantos|devolv\p{L}+|restantes|linhas? públicas?)(?!\p{L})/iu,
  es: /(?<!\p{L})(puls[ae]s?|montos?|cifras?|deténl[ao]s?|de mentira|otros tantos|gestionar|comprob\p{L}+|restantes|líneas? públicas?)(?!\p{L})/iu,
};

/** By the name of the fault. Each check returns the faulty part, or undefined. */
const faults: Readonly<Record<string, (text: string, locale: Locale) => string | undefined>> = {
  "a lower-case id": (text) => /(?<![\p{L}\p{N}-])ids?(?![\p{L}\p{N}-])/u.exec(prose(text))?.[0],
  "a raw code": (text) => codes.exec(prose(text))?.[0],
  "an alerta, where the commands say aviso": (text, locale) =>
    locale === "en" ? undefined : /alertas?/i.exec(prose(text))?.[0],
  "an English word": (text, locale) => (locale === "en" ? undefined : english.exec(prose(text))?.[0]),
  "two spaces": (text) => / {2,}/.exec(text)?.[0],
  "a space at its end, or nothing in it": (text) => /^ | $|^$/.exec(text)?.[0],
  "a straight quote": (text) => /["]|(?<=\p{L})'(?!\p{L})|(?<!\p{L})'(?=\p{L})/u.exec(prose(text))?.[0],
  "three dots": (text) => /\.\.\./.exec(text)?.[0],
  // One notice has a time of day, which Portuguese writes with an article: "desde as 14:05".
  "since before a relative time": (text) =>
    /(?<!no usable answer )(since|desde) (?:<t:\d+:R>|\u2039\u2026\u203a)/i.exec(text)?.[0],
  "a word of Spain": (text, locale) =>
    locale === "es"
      ? /vídeo|existencias|introduc|introdúc|añad|\btras\b|vosotros|ordenador/i.exec(prose(text))?.[0]
      : undefined,
  "a word of Portugal": (text, locale) =>
    locale === "pt-BR"
      ? /ecrã|utilizador|ficheiro|encomenda|telemóvel|palavra-passe/i.exec(prose(text))?.[0]
      : undefined,
  "a worn-out word": (text, locale) => wornOut[locale].exec(prose(text))?.[0],
};

describe.each(locales)("in %s", (locale) => {
  it.each(Object.entries(faults))("no text has %s", (_fault, found) => {
    const faulty = saidBy(locale).flatMap(({ key, text }) => {
      const what = found(text, locale);
      return what === undefined ? [] : [`${key}: ${what} — ${text}`];
    });
    expect(faulty).toEqual([]);
  });

  it.each(["README", "docs/commands"])("%s has no worn-out word", async (page) => {
    const text = await readFile(
      new URL(`../../../${page}${locale === "en" ? "" : `.${locale}`}.md`, import.meta.url),
      "utf8",
    );
    expect(wornOut[locale].exec(prose(text))?.[0]).toBeUndefined();
  });

  it("a text names only commands and options that can be typed, and those of the English text", () => {
    expect(saidBy(locale).length).toBeGreaterThan(250);
    const english = new Map(saidBy("en").map(({ key, text }) => [key, text]));
    for (const { key, text } of saidBy(locale)) {
      const original = english.get(key) ?? "";
      const named = commandsIn(text, locale);
      expect(named.join(), key).not.toContain("unknown");
      expect(named.sort(), key).toEqual(commandsIn(original, "en").sort());
      expect(optionsIn(text, locale), key).toEqual(expect.arrayContaining(optionsIn(original, "en")));
    }
  });
});

it("no two languages say the same in more than a few words", () => {
  const long = (text: string) => (prose(text).match(/\p{L}+/gu) ?? []).length > 3;
  const texts = locales.map((locale) => new Map(saidBy(locale).map(({ key, text }) => [key, text])));
  const same = texts.flatMap((one, index) =>
    [...one].filter(([key, text]) => long(text) && texts.slice(index + 1).some((other) => other.get(key) === text)),
  );
  expect(same).toEqual([]);
});
