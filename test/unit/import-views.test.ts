import { expect, it } from "vitest";
import { locales } from "../../src/basics/locale.ts";
import { importDone } from "../../src/views/reports/import.ts";
import { textOf } from "../support/views-support.ts";

const session = "AbCdEfGhIjKl";
const file = { name: "import-result.csv", contentType: "text/csv; charset=utf-8", data: Buffer.from("row") };

it.each(locales)("one and many have their own words (%s)", (locale) => {
  const counts = { all: 9, created: 0, before: 0, refused: 0 };
  const said = [1, 2].map((unclear) => textOf(importDone(session, { ...counts, unclear, end: "whole" }, file, locale)));
  expect(said[0]).not.toBe(said[1]);
});
