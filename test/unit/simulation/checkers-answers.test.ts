import { expect, test } from "vitest";
import { type Action, firstOf, type OrderTruth, type RequestTruth } from "../../simulation/world/record.ts";
import {
  about,
  action,
  asked,
  at,
  checked,
  downOfDiscord,
  evidence,
  hour,
  message,
  minute,
  order,
  polls,
  posting,
  second,
  seen,
  waits,
} from "../../support/engine/simulated-evidence.ts";

const alert = message(waits, at + second);
const both = ["PENDING", "PAID"];
const paid = { ...order(5, [{ at: 0, status: "PAID" }]), placedAt: 0 };
const setBoth = (answer: string) => action({ kind: "alerts-set", channelId: "1", statuses: both }, 20 * minute, answer);
const replaced = { from: 20 * minute, to: 22 * minute, kind: "store" } as const;
const connect = (answer: string) => action({ kind: "connect" }, 21 * minute, answer);
const digest = action({ kind: "digest", hour: 0, timezone: "Etc/GMT-1", channelId: "2" }, minute, "<t:1:f>");

/** A rule for orders of category `c`, and what it matches. */
const rule = (style: "staff" | "feed", more: Partial<Extract<Action["what"], { kind: "rule" }>> = {}) =>
  action({ kind: "rule", name: "Keys", channelId: "3", style, category: "c", ...more }, minute);
const staff = rule("staff", { status: "PAID", category: undefined });
const first = { ...rule("staff", { status: "PAID" }), asked: 30 * second, done: 31 * second };
const ofFirst = { ...first, what: { ...first.what, name: "First", channelId: "4" } as Action["what"] };
const bought: OrderTruth = order(6, [
  { at, status: "PENDING" },
  { at: at + 2 * minute, status: "PAID" },
]);
const boughtAlert = message(bought, at + second, { status: "Paid" });
const by = (name: string, channelId: string) =>
  message(bought, at + 3 * minute, { line: `💰 Paid order · 5 · 📌 ${name}`, status: "Paid", channelId });
const search = (when: number) =>
  asked("/open-api/catalog/product?page=1&limit=100&title=x", when, { answer: { status: 200, at: when } });

const paidLater = order(7, [
  { at, status: "PENDING" },
  { at: at + 10 * second, status: "PAID" },
]);
const wasGone = order(8, [
  { at, status: "PENDING" },
  { at: at + 5 * minute, status: undefined },
  { at: 30 * minute, status: "PENDING" },
]);
const noProducts = { from: at - minute, to: at + 30 * minute, kind: "store", how: "products", isWhole: false } as const;
/** Six pages are answered within a second. The first one was requested before, in vain. */
const pages = [0, 1, 2, 3, 4, 5, 6].map((index) => {
  const when = at + minute + (index === 0 ? 0 : 800 + 40 * index);
  const path = `/open-api/checkout/order?page=${Math.max(index, 1)}&limit=100`;
  return asked(path, when, { answer: { status: index === 0 ? 503 : 200, at: when } });
});

const searching = (againMs: number) => ({
  ...about(waits, alert),
  storeRequests: [...polls, search(at + minute), search(at + minute + againMs)],
  actions: [rule("staff", { category: "other" })],
});

/** Discord gives no clear answer to five requests for the same alert. */
const unclear = [0, 1, 3, 7, 60].map((after) => posting(at + after * second, 503, "🔔 New order · 5 · Thing-1"));
const searched = asked("/channels/1/messages", at + 50 * second, { answer: { status: 200, at: at + 51 * second } });
const duringOutage = (...discordRequests: RequestTruth[]) => ({
  ...about(waits, message(waits, 21 * minute)),
  troubles: [downOfDiscord],
  discordRequests: discordRequests.toSorted((one, other) => one.at - other.at),
});
const hidden = { from: at, to: 20 * minute, kind: "channel", how: "hidden", channelId: "1" } as const;
const posted = firstOf(alert);
const takenAt = (when: number) => ({ ...posted, at: when, text: `${posted.text}\nTaken by <@7>\nGive back` });
/** The alert is edited too late, or never. */
const pressedOnCard = (press: string, answer: string, shown: typeof alert) => ({
  ...about(waits, shown),
  actions: [action({ kind: "press", press, order: waits.id, by: "7", isOnCard: true }, 10 * minute, answer)],
});
/** The store got the order's product together with the order. */
const ownProduct = { ...waits, productListedAt: at };
const noProblem = { at: 21 * minute, text: `${checked(21 * minute)}\n**Last problem:** none` };
const ofRule = { from: at - minute, to: 14 * minute, kind: "channel", how: "closed", channelId: "9" } as const;

test.each<[string, Parameters<typeof evidence>[0]]>([
  ["sent again without a search", duringOutage(...unclear)],
  [
    "sent again without a search",
    {
      ...duringOutage(...unclear, searched),
      messages: [message(waits, at + second)],
      troubles: [downOfDiscord, hidden],
      discordRequests: [...unclear.slice(0, 4), searched, ...unclear.slice(4)],
    },
  ],
  ["wrong channel", { ...about(ownProduct, message(ownProduct, at + second)), actions: [rule("staff")] }],
  ["taker not shown", pressedOnCard("Take", "Taken by <@7>", { ...alert, versions: [posted, takenAt(20 * minute)] })],
  ["taker not shown", pressedOnCard("Give back", "Given back by <@7>", { ...alert, versions: [takenAt(at + second)] })],
  [
    "not sent in another form",
    { ...duringOutage({ ...posting(at, 400, "🔔 New order · 5 · Thing-1"), orders: [waits.id] }) },
  ],
  ["a problem that is not told", { ...duringOutage(...unclear, searched), asked: [noProblem] }],
  [
    "a problem that is not told",
    {
      ...duringOutage(posting(at, 400)),
      troubles: [{ ...downOfDiscord, how: "refused", isWhole: true }],
      asked: [noProblem],
    },
  ],
  ["alerted late", { ...about(waits, message(waits, at + 10 * minute)), troubles: [ofRule] }],
  [
    "not posted elsewhere",
    {
      troubles: [{ from: 20 * minute, to: 25 * minute, kind: "channel", how: "deleted", channelId: "3" }],
      actions: [staff],
      direct: [{ at: 21 * minute + second, content: "The rule **Keys** cannot post in <#3>: why" }],
      discordRequests: [
        { ...posting(21 * minute, 404, "💰 Paid order · 5"), path: "/channels/3/messages", isReply: true },
      ],
    },
  ],
  ["wrong number of earlier orders", { orders: [paid], actions: [setBoth("✅ **2** earlier orders get no alert.")] }],
  ["wrong number of earlier orders", { orders: [paid], actions: [setBoth("✅ Orders are announced")] }],
  [
    "wrong store",
    { ...about(waits, alert), troubles: [{ ...replaced, how: "other store" }], actions: [connect("Alerts continue.")] },
  ],
  [
    "wrong store",
    {
      ...about(waits, alert),
      troubles: [{ ...replaced, how: "new token" }],
      actions: [connect("belongs to another store")],
    },
  ],
  ["wrong time of the next digest", { orders: [], endsAt: hour, actions: [digest] }],
  ["no line", { ...about(waits, alert), actions: [rule("feed")] }],
  ["rule never told", { ...about(bought, boughtAlert), actions: [rule("staff", { status: "PAID" })] }],
  [
    "rule without match",
    { ...about(bought, boughtAlert, by("First", "4"), by("Keys", "3")), actions: [ofFirst, staff] },
  ],
  ["searched again and again", { ...searching(40 * second) }],
  ["alerted late", { ...about(waits, message(waits, at + 20 * minute)), troubles: [noProducts] }],
])("%s is seen, and nothing else", (what, given) => {
  expect(seen(evidence(given))).toEqual([what]);
});

test.each<[string, Parameters<typeof evidence>[0]]>([
  ["the answer counts the order", { orders: [paid], actions: [setBoth("✅ **1** earlier order gets no alert.")] }],
  [
    "an order was paid meanwhile",
    {
      orders: [{ ...paid, statuses: [{ at: 20 * minute, status: "PAID" }] }],
      actions: [setBoth("✅ Orders are announced")],
    },
  ],
  [
    "another command added the status at the same time",
    {
      orders: [paid],
      actions: [setBoth("✅ Orders are announced"), { ...setBoth(""), answer: "✅ **1** earlier order" }],
    },
  ],
  [
    "the product was listed only after the order",
    {
      ...about({ ...waits, productListedAt: at + minute }, alert),
      actions: [rule("feed")],
    },
  ],
  [
    "Discord refuses the text of the store",
    duringOutage(
      { ...posting(at, 400, "🔔 New order · 5 · Thing-1"), orders: [waits.id] },
      { ...posting(at + 2 * second, 200), orders: [waits.id] },
    ),
  ],
  ["the channel was searched before the next try", duringOutage(...unclear, searched)],
  ["a missing product is searched for again after a minute", { ...searching(minute) }],
  [
    "an alert of a payment comes again after its channel was deleted",
    {
      ...about(
        paidLater,
        message(paidLater, at + 20 * second, { status: "Paid" }),
        message(paidLater, at + 40 * minute, { status: "Paid" }),
      ),
      troubles: [{ from: at + minute, to: at + 30 * minute, kind: "channel", how: "deleted", channelId: "1" }],
    },
  ],
  [
    "an alert comes again because no list had the order when its status was added again",
    {
      ...about(wasGone, message(wasGone, at + second), message(wasGone, 30 * minute + second)),
      actions: [
        action({ kind: "alerts-off" }, 20 * minute),
        action({ kind: "alerts-set", channelId: "1", statuses: ["PAID"] }, 21 * minute),
        action({ kind: "alerts-set", channelId: "1", statuses: ["PENDING"] }, 22 * minute),
      ],
    },
  ],
  [
    "an alert whose rule was removed mentions the role of alerts, though another rule has the channel of alerts",
    {
      ...about(waits, message(waits, at + 10 * second, { line: "<@&5> 🔔 New order · 5" })),
      actions: [
        action({ kind: "alerts-set", channelId: "1", statuses: undefined, role: "5" }, 20 * second),
        rule("staff"),
        { ...rule("staff", { name: "Second", channelId: "1" }), asked: 2 * minute, done: 2 * minute + second },
        action({ kind: "rule-gone", name: "Keys" }, at + 2 * second),
      ],
    },
  ],
  ["pages for a digest were repeated after failures", { storeRequests: [...polls, ...pages] }],
  [
    "the store does not list its products",
    { ...about(waits, message(waits, at + 2 * minute)), troubles: [noProducts] },
  ],
])("nothing is wrong if %s", (_, given) => {
  expect(seen(evidence(given))).toEqual([]);
});
