import { describe, expect, it } from "vitest";
import { statusesFor } from "../../../commands/typed-statuses.ts";
import { locales } from "../../../src/basics/locale.ts";
import { texts } from "../../../src/locales/texts.ts";
import { earlierOrders } from "../../../src/views/alerts/server-notice.ts";
import { currencyMenu } from "../../../src/views/settings/currencies.ts";
import { setUpPanel } from "../../../src/views/settings/set-up.ts";
import { alertsStatusNotice, storeStatusLine, storeStatusNotice } from "../../../src/views/settings/status-notices.ts";
import { anOrder, buttonOf, textOf } from "../../support/views-support.ts";

const session = "AbCdEfGhIjKl";
const channelId = "100000000000000001";
const settings = { language: "en", privacy: "none" } as const;

describe("the set-up", () => {
  it("cannot be finished without a channel", () => {
    const panel = setUpPanel({ session, rings: "both", guild: { settings }, now: 0 }, "en");
    expect(buttonOf(panel, "Send a sample")?.disabled).toBe(true);
  });

  it.each(locales)("names no button that it does not have (before: “Try again”), in %s", (locale) => {
    const channelProblems = { missing: ["EmbedLinks"], roleProblem: "silent", showsCustomers: true } as const;
    const view = { session, channelId: "1", roleId: "2", rings: "both", guild: { settings }, now: 0 } as const;

    const panel = setUpPanel({ ...view, channelProblems }, locale);

    const { tryAgain, confirm } = texts(locale).common;
    expect(buttonOf(panel, tryAgain)).toBeUndefined();
    expect(textOf(panel)).not.toContain(`**${tryAgain}**`);
    expect(buttonOf(panel, confirm)).toBeDefined();
    expect(textOf(panel)).toContain(`**${confirm}**`);
  });

  it("offers the present currency together with those used most", () => {
    for (const reader of locales) {
      const offered = currencyMenu(reader, "AFN").map(({ value }) => value);
      expect(offered.length).toBeGreaterThan(15);
      expect(offered.length).toBeLessThanOrEqual(25);
      expect(offered.slice(0, 2)).toEqual(["none", "AFN"]);
      expect(offered).toEqual(expect.arrayContaining(["BRL", "USD", "EUR"]));
    }
  });
});

describe("orders from before alerts were on", () => {
  it.each([
    [0, true, []],
    [1, true, ["**1** earlier order gets no alert."]],
    [1_200, true, ["**1,200** earlier orders get no alert."]],
    [1_200, false, ["**1,200+** earlier orders get no alert."]],
  ])("are counted where there are some: %i (complete: %s)", (pending, complete, said) => {
    expect(earlierOrders({ pending, complete }, "en")).toEqual(said);
  });
});

describe("triggers, in the store's own statuses", () => {
  const orders = (...statuses: string[]) => statuses.map((status) => anOrder({ status }));
  it.each([
    [[], ["PAID"]],
    [["PENDING", "CANCELLED", "shop_status_7"], ["PAID"]],
    [["approved", "PENDING", "approved", "PAID"], ["approved"]],
    [["COMPLETED", "DELIVERED", "DELIVERED", "REFUNDED", "REFUNDED", "REFUNDED"], ["DELIVERED"]],
    [["DELIVERED", "PAID", "DELIVERED", "COMPLETED", "SHIPPED"], ["PAID"]],
    [["Entregue", "Entregue", "Pago"], ["Pago"]],
  ])("paid, of %j, is %j", (seen, paid) => {
    expect(statusesFor("paid", orders(...seen))).toEqual(paid);
    expect(statusesFor("both", orders(...seen))).toEqual(["PENDING", ...paid]);
    expect(statusesFor("new", orders(...seen))).toEqual(["PENDING"]);
  });

  it.each([
    [["PENDENTE", "PAGO", "PROCESSING"], "PENDENTE", "PAGO"],
    [["pending", "Aguardando pagamento", "Aguardando pagamento", "ENVIADO"], "Aguardando pagamento", "ENVIADO"],
    [["CANCELLED", "PROCESSING", "shop_status_7"], "PENDING", "PAID"],
  ])("new, of %j, is %j", (seen, placed, paid) => {
    expect(statusesFor("new", orders(...seen))).toEqual([placed]);
    expect(statusesFor("both", orders(...seen))).toEqual([placed, paid]);
  });
});

it("/alerts status says where refunds go, as /alerts set does (before: it did not)", () => {
  const polls = { lagMs: 0, isFailing: false, planned: 0, followed: 0 };
  const shownFor = (...statuses: string[]) =>
    textOf(alertsStatusNotice({ channelId, statuses, since: 0, ...polls }, "en"));

  expect(shownFor("PENDING", "PAID")).toContain("**Refunds:** a reply to the alert");
  expect(shownFor("PENDING")).not.toContain("Refunds");
});

describe("/store status", () => {
  const well = {
    host: "store.example",
    guild: { settings, alerts: { channelId, statuses: [], since: 0 } },
    now: undefined,
    capabilities: { of: () => true },
    lagMs: 0,
    lastPollAt: 1,
    isFailing: false,
    blockedElsewhere: new Map(),
  };
  const lineOf = (changes: object) => textOf(storeStatusLine({ ...well, ...changes }, "store:details", "en"));

  it.each([
    [{}, /^✅ All is well: store\.example answers\./],
    [{ guild: { settings } }, /^ℹ️ .+ alerts are off/],
    [{ now: { code: "unavailable" } }, /The store cannot be reached/],
    [
      { refusedSince: 60_000, now: { code: "unauthorized" } },
      /The store refuses the API token \(first noticed <t:60:R>\)\. Enter/,
    ],
    [{ blockedSince: 60_000 }, /Alerts cannot be posted in <#100000000000000001>/],
    // Before: "All is well".
    [
      { blockedElsewhere: new Map([["7", 60_000]]) },
      /^### ⚠️.+\nThe last message of a rule or the digest for <#7> could not be posted \(first noticed <t:60:R>\)/,
    ],
    [
      { channelProblems: { missing: ["EmbedLinks"], roleProblem: "gone" } },
      /^### ⚠️.+\n⚠️ In <#100000000000000001>, the bot is missing: .+\n⚠️ The role that alerts mention was deleted/,
    ],
    [{ capabilities: { of: (feature: string) => feature !== "page" } }, /^### ⚠️.+\nThe store ignores the page number/],
    [{ lagMs: 90_000 }, /was late \(delay: 90 s\)/],
    [
      { lagMs: 90_000, lastError: { code: "timeout", at: 60_000 }, isFailing: true },
      /Last problem: <t:60:R> · The store took too long to answer\. Nothing is lost/,
    ],
    // Before: only the page number.
    [
      { lagMs: 90_000, capabilities: { of: (feature: string) => feature !== "page" } },
      /was late \(delay: 90 s\).+\nThe store ignores the page number/,
    ],
    // Before, in the first minute: "All is well".
    [{ lastError: { code: "timeout", at: 60_000 }, isFailing: true }, /^### ⚠️.+\nLast problem: <t:60:R>/],
    [{ lagMs: 59_000, lastError: { code: "timeout", at: 1 } }, /All is well/],
  ])("%# says what is well or not", (changes, line) => {
    expect(lineOf(changes)).toMatch(line);
  });

  it.each([
    [{}, /^### ✅.+\*\*Channel:\*\* <#100000000000000001>\n/s],
    [
      { blockedSince: 60_000 },
      /^### ⚠️.+\*\*Channel:\*\* <#100000000000000001> · posting fails \(first noticed <t:60:R>\)\n/s,
    ],
    [{ lagMs: 90_000 }, /^### ⚠️/],
    [{ guild: { settings } }, /^### ✅(?!.*Channel)/s],
  ])("%#: Details shows the channel, and warns whenever the line warns", (changes, details) => {
    expect(textOf(storeStatusNotice({ ...well, ...changes }, "en"))).toMatch(details);
  });
});
