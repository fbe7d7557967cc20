import { glob } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { locales } from "../../src/basics/locale.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { plain } from "../../src/views/parts/text.ts";
import { auditActs, auditPage, auditPageSize } from "../../src/views/settings/audit-log.ts";
import { bestOf3, once } from "../support/thread-time.ts";
import { expectAccepted, expectModalAccepted } from "../support/views-support.ts";
import { fillers } from "./hostile-support.ts";
import { largestViews } from "./largest-views.ts";

/** Names of the exported functions of views that make a whole message or window. */
async function messagesAndWindows(): Promise<string[]> {
  const views = new URL("../../src/views/", import.meta.url);
  const found: string[] = [];
  for await (const file of glob("**/*.ts", { cwd: views })) {
    const exported: Record<string, unknown> = await import(new URL(file, views).href);
    found.push(...Object.keys(exported).filter((key) => typeof exported[key] === "function" && isWhole.test(key)));
  }
  return found.sort();
}
const isWhole =
  /^(?!is)\w*(?:Alert|Card|Chart|List|Message|Modal|Notice|Page|Panel|Post|Preview|Problems|Test|Window)$/;

describe("no view blocks the event loop, and Discord accepts each", () => {
  it("and none is forgotten in `largest-views.ts`", async () => {
    const views = await messagesAndWindows();
    expect(views.length).toBeGreaterThan(30);
    expect(views.filter((view) => !(view in largestViews))).toEqual([]);
  });

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

it.each(locales)("Discord accepts a page of the longest entries of the audit log (%s)", (locale) => {
  const [at, by] = [8.64e15, "9".repeat(20)];
  for (const what of ["9".repeat(100), "9".repeat(20), null]) {
    for (const did of auditActs) {
      const entry = { at, firstAt: at, times: Number.MAX_VALUE, by, did, what };
      expectAccepted(auditPage({ entries: Array(auditPageSize).fill(entry), page: 1, hasMore: true }, locale));
    }
  }
});
