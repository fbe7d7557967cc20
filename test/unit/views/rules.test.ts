import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/guilds/rule.ts";
import { type AlertOrder, alertMessage } from "../../../src/views/alerts/alert-message.ts";
import { fallbackNote } from "../../../src/views/alerts/alert-notes.ts";
import { hiddenMark, hiddenMarksIn } from "../../../src/views/alerts/hidden-mark.ts";
import { ruleLines, ruleTest } from "../../../src/views/alerts/rule-list.ts";
import { feedBatchSize, feedMessage, ruleMessage } from "../../../src/views/alerts/rule-messages.ts";
import { serverNotice } from "../../../src/views/alerts/server-notice.ts";
import { handledAlert } from "../../../src/views/orders/handling.ts";
import type { ViewContext } from "../../../src/views/parts/context.ts";
import { sized } from "../../support/sized.ts";
import {
  anAlertOrder,
  anyContext,
  anyNumber,
  anyText,
  expectAccepted,
  nodes,
  textOf,
} from "../../support/views-support.ts";

const roleId = "123456789012345678";
const ctx: ViewContext = { locale: "en", currency: "BRL", privacy: "full" };
const items = ["Hat", "Cap"].map((title, index) => ({ title, quantity: 2 - index }));
const order = (more: Partial<AlertOrder> = {}) => anAlertOrder({ status: "PAID", items, total: 10, ...more });
const mark = hiddenMark(["order", "rule"]);
const forged = hiddenMark(["another order", "rule"]);
const marksOf = (count: number) => Array.from({ length: count }, (_, index) => hiddenMark(["order", String(index)]));

/** Without escaping, these would act as a mark, a mention or a link. */
const hostile = fc.oneof(
  anyText,
  anyText.map((text) => forged + text + forged),
  fc.constantFrom(`👩‍${forged}`, `${forged}\u200d`),
);
const anyOrder: fc.Arbitrary<AlertOrder> = fc.record({
  id: hostile.map((text) => text.slice(0, 100)),
  status: hostile,
  items: fc.array(fc.record({ title: hostile, quantity: anyNumber }), { maxLength: 5 }),
  total: anyNumber,
  paymentMethod: hostile,
  createdAt: fc.option(anyNumber, { nil: undefined }),
});
const anyMarked = fc.tuple(fc.array(anyOrder, { minLength: 1, maxLength: 25 })).map(([orders]) => {
  const marks = marksOf(orders.length);
  return orders.map((one, index) => ({ order: one, mark: marks[index] ?? "" }));
});

describe("a feed's line", () => {
  it("shows what was bought, with its mark before the last visible text", () => {
    const line = { order: order(), mark, showsAmount: true };
    const { content, embeds, components, allowed_mentions } = feedMessage([line], { ...ctx, locale: "pt-BR" }, roleId);
    expect(content).toBe(`<@&${roleId}> 🛍️ Alguém comprou 2 × Hat, 1 × Cap · R$\u00a010,00${mark} 🎉`);
    expect([embeds, components]).toEqual([[], []]);
    expect(allowed_mentions).toEqual({ parse: [], roles: [roleId] });
  });

  it("hides the total unless it is wanted, and has one line for each order", () => {
    const lines = [order(), order({ items: [] })].map((one) => ({ order: one, mark, showsAmount: false }));
    const { content, allowed_mentions } = feedMessage(lines, ctx);
    expect(content.replaceAll(mark, "")).toBe("🛍️ Someone bought 2 × Hat, 1 × Cap 🎉\n🛍️ Someone bought something 🎉");
    expect(allowed_mentions.roles).toEqual([]);
    expect(() => feedMessage([], ctx)).toThrow(RangeError);
    expect(() => feedMessage(Array(feedBatchSize + 1).fill(lines[0]), ctx)).toThrow(RangeError);
  });
});

describe("a message for a later status", () => {
  it("shows an alert's embed of one order and a button that opens it, but no button to take it", () => {
    const payload = ruleMessage([{ order: order(), mark }], { name: "Keys", roleId }, ctx);
    expect(payload.content).toBe(`<@&${roleId}> 🟢 Paid · R$10.00 · Pix · 2 × Hat +1${mark} · 📌 Keys`);
    expect(payload.embeds).toEqual(alertMessage([order()], ctx).embeds);
    expect(nodes(payload).flatMap(({ label }) => label ?? [])).toEqual(["Open"]);
    expect(payload.allowed_mentions).toEqual({ parse: [], roles: [roleId] });
  });

  it("shows several with a menu, and names no status if they have different ones by now", () => {
    const marks = marksOf(2);
    const some = marks.map((one, index) => ({ order: order({ id: `o${index}` }), mark: one }));
    const payload = ruleMessage(some, { name: "Keys" }, ctx);
    expect(payload.content).toBe(`🟢 Paid: 2 orders · R$20.00${marks.join("")} · 📌 Keys`);
    expect(hiddenMarksIn(payload.content)).toEqual(marks);
    expect(payload.embeds[0]?.title).toBe("🟢 Paid: 2 orders · R$20.00");
    expect(nodes(payload).flatMap(({ options = [] }) => options.map(({ value }) => value))).toEqual(["o0", "o1"]);

    const mixed = [...some, { order: order({ id: "o3", status: "CANCELLED" }), mark }];
    expect(ruleMessage(mixed, { name: "Keys" }, ctx).content).toMatch(/^🔔 Keys: 3 orders · /);
  });
});

it("an alert that is posted in the usual channel instead says so in a line, also after somebody took its order", () => {
  const stranded = fallbackNote({ name: "Keys", channelId: "7" }, ctx);
  const { content } = alertMessage([order()], ctx, { roleId, notes: [stranded] });
  expect(content.split("\n").slice(1)).toEqual([
    "📌 Keys: nothing could be posted in <#7>. Its alerts come here until that is fixed.",
  ]);
  const take = new Map([[order().id, { by: "9", at: 0 }]]);
  const taken = handledAlert(content, [order().id], take, "en").content;
  expect(taken).toBe(alertMessage([order()], ctx, { roleId, notes: [stranded], takes: take }).content);
  expect(taken.split("\n")).toHaveLength(3);
  expect(handledAlert(taken, [order().id], new Map(), "en").content).toBe(content);
});

it("Discord accepts all messages of rules, and their marks are found again", () => {
  fc.assert(
    fc.property(anyMarked, anyContext, hostile, (all, context, name) => {
      const marks = all.map((one) => one.mark);
      const routed = ruleMessage(all, { name, roleId }, context);
      expectAccepted(routed);
      expect(hiddenMarksIn(routed.content)).toEqual(marks);

      const lines = all.slice(0, feedBatchSize).map((one) => ({ ...one, showsAmount: true }));
      const feed = feedMessage(lines, context, roleId);
      expectAccepted(feed);
      expect(hiddenMarksIn(feed.content)).toEqual(marks.slice(0, feedBatchSize));
      expect(feed.content.split("\n")).toHaveLength(lines.length);
      expect(feed.content).not.toMatch(/(?<!\\)<(?! |@&123456789012345678>)|(?<!\\)\]\(|(?<!\\)@(everyone|here)/);
      for (const about of ["route_forbidden", "route_channel_gone"] as const) {
        const notice = { about, server: name, rule: name, style: "feed", channelId: "1" } as const;
        expectAccepted(serverNotice(notice, context.locale));
      }
    }),
    { numRuns: sized(30, 80) },
  );
});

it("a hidden mark is invisible, is made of its parts, and differs for other parts", () => {
  expect(hiddenMark(["a", "b"])).toMatch(/^[\u200b-\u200d\u2060]{30}$/);
  expect(hiddenMark(["a", "b"])).toBe(hiddenMark(["a", "b"]));
  for (const others of [["a", "c"], ["c", "b"], ["ab"], ["a,b"]]) {
    expect(hiddenMark(others)).not.toBe(hiddenMark(["a", "b"]));
  }
});

it("the list of rules cuts the conditions of a rule, but never its channel", () => {
  const place = { id: "r-1", name: "Keys", channelId: "1", style: "staff", roleId: "2" } as const;
  const long = { status: "PAID", product: { id: "p-1", title: "x".repeat(60) }, method: "y".repeat(40), from: 100 };
  const lines = ruleLines({ ...place, ...long }, ctx, 130);
  expect(lines.length).toBeLessThanOrEqual(130);
  expect(lines).toMatch(/^\*\*Keys\*\* · <#1> · <@&2> · alert\n-# orders .+…$/);
});

it.each([
  ["status", "its status is not Paid"],
  ["product", "it does not contain Hat"],
  ["method", "its payment method does not contain “pix”"],
  ["from", "its total is less than R$1.00"],
  ["to", "its total is more than R$9.00"],
  ["items", "it has fewer pieces than 3"],
] as const)("the test of an order says that it lacks the %s", (lack, sentence) => {
  const wants = { status: "PAID", product: { id: "p", title: "Hat" }, method: "pix", from: 1, to: 9, items: 3 };
  const rule: Rule = { id: "r-1", name: "Keys", channelId: "1", style: "staff", ...wants };
  const test = { order: { id: "o", status: "PAID" }, looks: [{ rule, lack }], channelId: "9", isAnnounced: true };
  expect(textOf(ruleTest({ ...test, staff: undefined, feeds: [] }, ctx))).toContain(`➖ **Keys** · ${sentence}`);
});

it("the test of an order shows what it lacks for each rule, and where it goes", () => {
  const keys: Rule = { id: "r-1", name: "Keys", channelId: "1", style: "staff", category: { id: "c-1", name: "" } };
  const wins: Rule = { id: "r-2", name: "Wins", channelId: "3", style: "feed" };
  const looks = [
    { rule: keys, lack: "category" },
    { rule: keys, lack: "unknownCategory" },
    { rule: wins, lack: undefined },
  ] as const;
  const test = { order: { id: "o", status: "PAID" }, looks, channelId: "9", isAnnounced: true };
  expect(
    textOf(ruleTest({ ...test, staff: undefined, feeds: [wins, wins] }, ctx))
      .split("\n")
      .slice(1),
  ).toEqual([
    "1\\. ➖ **Keys** · it has nothing in the category of `c-1`",
    "2\\. ➖ **Keys** · the store did not say which category its products are in",
    "3\\. ✅ **Wins** · matches",
    "The alert goes to <#9>: no alert rule matches.",
    "Public lines: <#3>.",
  ]);
  expect(textOf(ruleTest({ ...test, staff: keys, feeds: [] }, ctx))).toMatch(
    /The alert goes to <#1>, by the rule \*\*Keys\*\*\.\nPublic lines: none\.$/,
  );
  const later = { ...test, feeds: [], isAnnounced: false };
  expect(textOf(ruleTest({ ...later, staff: keys }, ctx))).toMatch(/\nBut orders that arrive .* are not announced\./);
  expect(textOf(ruleTest({ ...later, staff: { ...keys, status: "PAID" } }, ctx))).not.toContain("not announced");
});

it.each(["staff", "feed"] as const)("the owner is told what happens to a rule of %s until it works again", (style) => {
  const at = { server: "Shop", rule: "Keys", style, channelId: "1" };
  const gone = serverNotice({ about: "route_channel_gone", ...at }, "en").content;
  expect(gone).toMatch(
    /^❌ The rule \*\*Keys\*\* in the server \*\*Shop\*\* cannot post in <#1>: the channel is gone\./,
  );
  const forbidden = serverNotice({ about: "route_forbidden", ...at }, "en").content;
  const isStaff = style === "staff";
  expect(gone).toMatch(
    isStaff ? /they are posted in the usual channel\.$/ : /orders that come until then are not posted\.$/,
  );
  expect(forbidden).toMatch(
    isStaff ? /they are posted in the usual channel\.$/ : /Its public lines wait until then\.$/,
  );
  expect(forbidden).toContain("a permission is missing");
});
