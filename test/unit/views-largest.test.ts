import { describe, expect, it } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { locales } from "../../src/basics/locale.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { plain } from "../../src/views/parts/text.ts";
import { bestOf3, once } from "../support/thread-time.ts";
import { expectAccepted, expectModalAccepted } from "../support/views-support.ts";
import { fillers } from "./hostile-support.ts";
import { largestViews } from "./largest-views.ts";

describe("no view blocks the event loop, and Discord accepts each", () => {
  it.each(Object.entries(largestViews))("%s with the largest input, in every language", (view, make) => {
    const made = (filler: string, locale: ViewContext["locale"]) => {
      const fill = fillers.get(filler);
      if (fill === undefined) throw new Error(`no filler ${filler}`);
      return make(fill, { locale, currency: "BRL", privacy: "full" });
    };
    const taken = (work: () => object | string, label: string) => {
      const shown = work();
      if (typeof shown === "string" || !("components" in shown)) return;
      if ("custom_id" in shown) expectModalAccepted(shown, label);
      else expectAccepted(shown as MessagePayload, label);
    };
    const first = [...fillers.keys()].map((filler) => {
      const work = made(filler, "en");
      taken(work, filler);
      return [filler, once(work)] as const;
    });
    const hardest = first.sort(([, one], [, other]) => other - one).slice(0, 3);
    for (const [filler] of hardest) {
      for (const locale of locales) {
        const work = made(filler, locale);
        taken(work, `${filler} ${locale}`);
        expect(bestOf3(work), `${view} of ${filler}`).toBeLessThan(budgets.eventLoopMs);
      }
    }
  });
});

it.each([...fillers])("4,000 characters of %s are shown in less than 10 ms (0.1.0: 245 ms of stars)", (_, fill) => {
  const mostShown = 3_900;
  // Several texts at once, because some machines count this time in larger steps.
  const texts = Array(5).fill(fill(4_000));

  const ms = bestOf3(() => texts.map((text) => plain(text, mostShown))) / texts.length;

  expect(ms).toBeLessThan(10);
});
