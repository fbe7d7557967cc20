import { expect, it } from "vitest";
import { locales } from "../../../src/basics/locale.ts";
import { untranslated } from "../../locales/untranslated.ts";

it("a language without a folder lacks every text, those of the commands included", async () => {
  const { all, missing, unchanged, surplus } = await untranslated("xx");
  expect(missing).toHaveLength(all);
  expect(missing).toContain("commands.ts commands.alerts.groups.route.subcommands.add.options.from.name");
  expect(missing).toContain("problems.ts problems.cooldown");
  expect([...unchanged, ...surplus]).toEqual([]);
});

it("a copy of the English texts lacks none, and is all unchanged", async () => {
  const { all, missing, unchanged } = await untranslated("en");
  expect(missing).toEqual([]);
  expect(unchanged).toHaveLength(all);
});

it.each(locales.filter((locale) => locale !== "en"))("%s is translated", async (locale) => {
  const { missing, unchanged, surplus } = await untranslated(locale);
  expect([...missing, ...surplus]).toEqual([]);
  // Such as Pix, PayPal and Total.
  expect(unchanged.length).toBeLessThan(30);
});
