import { expect, it } from "vitest";
import { pluralsOf } from "../../../src/locales/plurals-of.ts";

it("counts by each language's own rules", () => {
  const counted = (language: string, ...counts: number[]) =>
    counts.map((count) => pluralsOf(language)(count, { one: "one", many: "many", other: "other" })).join(" ");
  expect(counted("en", 0, 1, 2)).toBe("other one other");
  expect(counted("pt-BR", 0, 1, 2)).toBe("one one other");
  expect(counted("es", 0, 1, 2, 1_000_000)).toBe("other one other many");
  expect(pluralsOf("es")(1_000_000, { one: "one", other: "other" })).toBe("other");
});
