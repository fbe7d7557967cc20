import { expect, it } from "vitest";
import { hiddenMark, hiddenMarksIn } from "../../src/views/alerts/hidden-mark.ts";

it("is found between words, each time it occurs", () => {
  const marks = [hiddenMark(["order 1", "rule a"]), hiddenMark(["order 2", "rule a"])];
  const text = marks.map((mark, index) => `Someone bought 👩‍🍳${mark} 🎉 ${index}`).join("\n");

  expect(hiddenMarksIn(text)).toEqual(marks);
  expect(new Set(marks).size).toBe(2);
});

it("is the same for the same parts, and differs if only the joined text is the same", () => {
  expect(hiddenMark(["a", "b"])).toBe(hiddenMark(["a", "b"]));
  expect(hiddenMark(["a", "b"])).not.toBe(hiddenMark(["ab"]));
  expect(hiddenMark(["a\nb"])).not.toBe(hiddenMark(["a", "b"]));
});

it("is invisible", () => {
  expect(hiddenMark(["anything"])).toMatch(/^[\u200b-\u200d\u2060]{30}$/);
});

it("differs for each of 20,000 orders", () => {
  const marks = new Set(Array.from({ length: 20_000 }, (_, index) => hiddenMark([String(index), "rule"])));

  expect(marks.size).toBe(20_000);
});
