import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Locale } from "../../src/basics/locale.ts";
import { texts } from "../../src/views/catalogue/catalogue.ts";
import { defineTexts, plural } from "../../src/views/catalogue/define-texts.ts";
import { locales } from "../support/views-support.ts";

type Message = string | ((...args: never[]) => string);
interface Group {
  readonly [key: string]: Message | Group;
}
type Topic = Readonly<Record<Locale, Group>>;

const folder = new URL("../../src/views/catalogue/", import.meta.url);

function isTopic(value: unknown): value is Topic {
  return typeof value === "object" && value !== null && locales.every((locale) => locale in value);
}

/** Every topic that a file of the catalogue exports, whoever uses it. */
async function topics(): Promise<[string, Topic][]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".ts"));
  const modules = await Promise.all(files.map((file): Promise<object> => import(new URL(file, folder).href)));
  return modules.flatMap((module) =>
    Object.entries(module).filter((entry): entry is [string, Topic] => isTopic(entry[1])),
  );
}

/** Messages by their full keys. */
function flat(group: Group, at = ""): Map<string, Message> {
  return new Map(
    Object.entries(group).flatMap(([key, value]): [string, Message][] =>
      typeof value === "object" ? [...flat(value, `${at}${key}.`)] : [[at + key, value]],
    ),
  );
}

describe.each(await topics())("the topic %s", (_name, topic) => {
  const english = flat(topic.en);

  it.each(locales)("has every message in %s, none empty, with the same arguments", (locale) => {
    const messages = flat(topic[locale]);
    expect([...messages.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, message] of messages) {
      const original = english.get(key);
      expect(typeof message, key).toBe(typeof original);
      if (typeof message === "string") expect(message.trim(), key).not.toBe("");
      if (typeof message === "function") expect(message.length, key).toBe(original?.length);
    }
  });
});

describe("the catalogue", () => {
  it("calls the common buttons Create, Edit, Cancel, Previous, Next and Confirm in English", () => {
    const { create, edit, cancel, previous, next, confirm } = texts("en").common;
    expect([create, edit, cancel, previous, next, confirm]).toEqual([
      "Create",
      "Edit",
      "Cancel",
      "Previous",
      "Next",
      "Confirm",
    ]);
  });

  it("has other words in each language", () => {
    const total = locales.map((locale) => JSON.stringify(texts(locale).problems));
    expect(new Set(total).size).toBe(locales.length);
  });

  it("refuses, by its types, a language that lacks a key or has one too many", () => {
    const hi = { hi: "hi" };
    // @ts-expect-error `hi` is missing in Spanish
    const lacking = () => defineTexts({ en: { hi: "hi" }, "pt-BR": hi, es: {} });
    // @ts-expect-error `bye` is not in English
    const beyond = () => defineTexts({ en: { hi: "hi" }, "pt-BR": hi, es: { hi: "hola", bye: "adiós" } });
    const named = { hi: (name: string) => name };
    // @ts-expect-error a function in English is one in every language
    const otherKind = () => defineTexts({ en: named, "pt-BR": hi, es: named });

    expect([lacking, beyond, otherKind]).toHaveLength(3);
  });

  it("counts by each language's own rules", () => {
    const forms = { one: "one", other: "other" };
    expect([0, 1, 2].map((count) => plural("en", count, forms))).toEqual(["other", "one", "other"]);
    expect([0, 1, 2].map((count) => plural("pt-BR", count, forms))).toEqual(["one", "one", "other"]);
    expect([0, 1, 2, 1_000_000].map((count) => plural("es", count, forms))).toEqual(["other", "one", "other", "other"]);
  });
});
