import { glob } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { budgets } from "../../src/basics/budgets.ts";
import { locales } from "../../src/basics/locale.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import { plain } from "../../src/views/parts/text.ts";
import { bestOf3, once, slowest } from "../support/thread-time.ts";

import { fillers } from "./hostile-support.ts";
import { largestViews } from "./largest-views.ts";

/** The functions that views export, by name. */
async function exportedFunctions(): Promise<string[]> {
  const views = new URL("../../src/views/", import.meta.url);
  const found: string[] = [];
  for await (const file of glob("**/*.ts", { cwd: views })) {
    const exported: Record<string, unknown> = await import(new URL(file, views).href);
    for (const [key, value] of Object.entries(exported)) {
      if (typeof value === "function") found.push(key);
    }
  }
  return found.sort();
}

describe("no view holds the event loop", () => {
  const found = new Map<string, number>();
  /** Fewer would mean that the folder was not read: there were 76 when this was written. */
  const fewestViews = 50;

  it("and none is forgotten in `largest-views.ts`", async () => {
    const exported = await exportedFunctions();
    expect(exported.length).toBeGreaterThan(fewestViews);
    expect([...new Set(Object.keys(largestViews).map((view) => view.replace(/ .*/, "")))].sort()).toEqual(exported);
  });

  it.each(Object.entries(largestViews))(
    "%s is made in time, whatever it is given at most, in every language",
    (view, make) => {
      const made = (filler: string, locale: ViewContext["locale"]) => {
        const fill = fillers.get(filler);
        if (fill === undefined) throw new Error(`no filler ${filler}`);
        return make(fill, { locale, currency: "BRL", privacy: "full" });
      };
      const first = [...fillers.keys()].map((filler) => [filler, once(made(filler, "en"))] as const);
      const hardest = first.sort(([, one], [, other]) => other - one).slice(0, 3);

      const [[filler, worst] = ["", 0]] = hardest
        .flatMap(([filler]) => locales.map((locale) => [filler, bestOf3(made(filler, locale))] as const))
        .sort(([, one], [, other]) => other - one);

      found.set(`${view} of ${filler}`, worst);

      expect(worst, filler).toBeLessThan(budgets.eventLoopMs);
    },
  );

  it("and each was measured; the slowest are printed", () => {
    console.log(slowest(found, 5));
    expect(found.size).toBe(Object.keys(largestViews).length);
  });
});

it.each([...fillers])("4,000 characters of %s are shown in less than 10 ms (0.1.0: 245 ms of stars)", (_, fill) => {
  const mostShown = 3_900;
  // Several at a time: some machines count this time in steps of as many milliseconds.
  const texts = Array(5).fill(fill(4_000));

  const ms = bestOf3(() => texts.map((text) => plain(text, mostShown))) / texts.length;

  expect(ms).toBeLessThan(10);
});
