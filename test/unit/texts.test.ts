import { expect, it } from "vitest";
import { pluralsOf } from "../../src/locales/plurals-of.ts";
import type { Texts } from "../../src/locales/shape.ts";
import { texts } from "../../src/locales/texts.ts";

it("calls the common buttons Create, Edit, Cancel, Previous, Next and Confirm in English", () => {
  const { create, edit, cancel, previous, next, confirm } = texts("en").common;
  const buttons = [create, edit, cancel, previous, next, confirm];
  expect(buttons).toEqual(["Create", "Edit", "Cancel", "Previous", "Next", "Confirm"]);
});

it("refuses, by its types, a language that lacks a key, has one too many, or takes other arguments", () => {
  const connect = texts("es").connect;
  // @ts-expect-error `label` is missing
  const missing: Texts["connect"] = { title: "", hint: "", placeholder: "" };
  // @ts-expect-error `more` is not in English
  const surplus: Texts["connect"] = { ...connect, more: "" };
  // @ts-expect-error a function in English is one in every language
  const otherKind: Texts["common"]["more"] = "";
  // @ts-expect-error the argument is a string in English
  const otherArguments: Texts["common"]["more"] = (count: number) => String(count);

  expect([missing, surplus, otherKind, otherArguments]).toHaveLength(4);
});

it("counts by each language's own rules", () => {
  const counted = (language: string, ...counts: number[]) =>
    counts.map((count) => pluralsOf(language)(count, { one: "one", many: "many", other: "other" })).join(" ");
  expect(counted("en", 0, 1, 2)).toBe("other one other");
  expect(counted("pt-BR", 0, 1, 2)).toBe("one one other");
  expect(counted("es", 0, 1, 2, 1_000_000)).toBe("other one other many");
  expect(pluralsOf("es")(1_000_000, { one: "one", other: "other" })).toBe("other");
});
