import { expect, it } from "vitest";
import { pluralsOf } from "../../src/locales/plurals-of.ts";
import { texts } from "../../src/locales/texts.ts";

it("calls the common buttons Create, Edit, Cancel, Previous, Next and Confirm in English", () => {
  const { create, edit, cancel, previous, next, confirm } = texts("en").common;
  const buttons = [create, edit, cancel, previous, next, confirm];
  expect(buttons).toEqual(["Create", "Edit", "Cancel", "Previous", "Next", "Confirm"]);
});

it("counts by each language's own rules", () => {
  const counted = (language: string, ...counts: number[]) =>
    counts.map((count) => pluralsOf(language)(count, { one: "one", many: "many", other: "other" })).join(" ");
  expect(counted("en", 0, 1, 2)).toBe("other one other");
  expect(counted("pt-BR", 0, 1, 2)).toBe("one one other");
  expect(counted("es", 0, 1, 2, 1_000_000)).toBe("other one other many");
  expect(pluralsOf("es")(1_000_000, { one: "one", other: "other" })).toBe("other");
});
