import { expect, test } from "vitest";
import type { MessageTruth, OrderTruth, RequestTruth } from "../../simulation/world/record.ts";
import {
  about,
  action,
  answeredBy,
  asked,
  asking,
  at,
  checked,
  doing,
  editRefused,
  evidence,
  hour,
  listPath,
  many,
  message,
  minute,
  order,
  paid,
  polls,
  posting,
  refusedThere,
  second,
  seen,
  told,
  told403,
  usual,
  waits,
} from "../../support/engine/simulated-evidence.ts";

const refusedTogether = { from: minute, to: 30 * minute, kind: "discord", how: "refused-together" } as const;
const both = ["PENDING", "PAID"];
const alert = message(paid, at + second, { status: "Paid" });
const ring = (when: number, more = {}) =>
  message(paid, when, { line: "💰 Paid order · 5", card: "", repliesTo: alert.id, ...more });
const feed = action({ kind: "rule", name: "Wins", channelId: "3", style: "feed" }, minute);
const feedOf = (status: string) =>
  action({ kind: "rule", name: "Wins", channelId: "3", style: "feed", status }, minute);
const line = (when: number) =>
  message(waits, when, { line: `🛍️ Someone bought ${waits.mark} 🎉`, channelId: "3", card: "" });
const digest = action({ kind: "digest", hour: 0, timezone: "Etc/GMT-1", channelId: "2" }, minute, "<t:82800:f>");
const figures = (when: number) =>
  message(waits, when, { line: "📊 **Jan 1, 1970**: orders 2 · sold 0", channelId: "2", card: "" });
const night = { orders: [], endsAt: 30 * hour, calmFrom: 29 * hour };
/** Person 7 is a manager. */
const press = (
  by: string,
  label: "Take" | "Done" = "Take",
  answer = `${label === "Take" ? "Taken" : label} by <@${by}>`,
) => action({ kind: "press", press: label, order: waits.id, by, isManager: by === "7" }, at + minute, answer);

const first = message(waits, at + second);
const version = first.versions[0] as MessageTruth["versions"][number];
/** The waiting order's alert says this of its handling. */
const handled = (text: string) => ({ ...first, versions: message(waits, at + second, { text }).versions });
const pending = message(paid, at + second);
/** The paid order's alert, as posted and then edited. */
const edited = { ...alert, versions: [...pending.versions, ...alert.versions] };
const editedTo = (status: string, when: number) => ({
  ...alert,
  versions: [...pending.versions, ...message(paid, when, { status }).versions],
});
const shownTaken = {
  ...edited,
  versions: [
    ...pending.versions,
    ...message(paid, at + 3 * minute, { status: "Paid", text: "Taken by <@7> Give back" }).versions,
  ],
};
const cancelled = { ...paid, statuses: [...paid.statuses, { at: at + 3 * minute, status: "CANCELLED" }] };
const shownCancelled = editedTo("Cancelled", at + 4 * minute);
const moved = action({ kind: "alerts-set", channelId: "2", statuses: undefined }, at + 10 * second);
const remind = action({ kind: "remind", afterMs: 5 * minute, quiet: undefined }, minute);
const remindLater = { ...remind, asked: 20 * minute, done: 21 * minute };
const remindOutsideNight = action({ kind: "remind", afterMs: 5 * minute, quiet: "0-2" }, minute);
const off = action({ kind: "alerts-off" }, minute);
const disconnected = action({ kind: "disconnect" }, minute);
const later = order(3, [{ at: at + 70 * second, status: "PENDING" }]);
const down = (when: number) => message(waits, when, { line: "❌ The store refuses the API token", card: "" });
const back = message(waits, at + 6 * minute, { line: "✅ The store is answering again", card: "" });
const two = (sum: number) => {
  const content = `🔔 2 new orders · ${sum}`;
  const shared = { ...message(waits, at + 71 * second).versions[0], content, orders: [waits.id, later.id] };
  return { ...first, versions: [shared as MessageTruth["versions"][number]] };
};
const refunded = { ...paid, statuses: [...paid.statuses, { at: at + 10 * minute, status: "REFUNDED" }] };
const shownRefunded = {
  ...edited,
  versions: [...edited.versions, ...message(refunded, at + 11 * minute, { status: "Refunded" }).versions],
};
const refund = message(refunded, at + 40 * minute, { line: "↩️ Refunded order · 5", card: "", repliesTo: alert.id });
const reminder = (of: OrderTruth, when: number, repliesTo = (of === waits ? first : alert).id) =>
  message(of, when, { line: "⏰ Order still waiting · 5", card: "", repliesTo });
const keys = action({ kind: "rule", name: "Keys", channelId: "3", style: "staff", status: "PAID" }, minute);
const keysLater = { ...keys, asked: 30 * minute, done: 31 * minute };
const byRule = (when: number) =>
  message(paid, when, { line: "💰 Paid order · 5 · 📌 Keys", status: "Paid", channelId: "3" });
/** A message of the rule about three orders, without their ids. */
const threeByRule = {
  ...byRule(at + 3 * minute),
  versions: [{ ...version, content: "💰 Paid: 3 orders · 15 · 📌 Keys", text: "", orders: [], card: "" }],
};
const shut = { from: at, to: at + 5 * minute, kind: "channel", how: "closed", channelId: "9" } as const;
/** Explains delays. */
const busy = { from: 0, to: 12 * minute, kind: "clock" } as const;
const returned = { ...paid, statuses: paid.statuses.toSpliced(1, 0, { at: at + minute, status: undefined }) };
const refusedOnce = { discordRequests: [editRefused(pending, 400)], troubles: [{ ...busy, how: "refused" }] };
const outage = { from: at, to: 38 * minute, kind: "store", how: "unavailable", isWhole: true } as const;
const replaced = { from: at, to: at + minute, kind: "store", how: "other store" } as const;
const old = { ...order(4, [{ at, status: "PENDING" }]), placedAt: 0 };
const refusing = { from: at, to: at + 5 * minute, kind: "store", how: "token-refused" } as const;

/** An order that was paid long after alerts about payments were added. */
const paidLate = {
  ...paid,
  statuses: [
    { at, status: "PENDING" },
    { at: 30 * minute, status: "PAID" },
  ],
};
const editedLate = editedTo("Paid", 31 * minute);
const addPaid = action({ kind: "alerts-set", channelId: usual, statuses: both }, at + 2 * minute);

/** As `about`, but payments are announced. */
const ofPaid = (of: OrderTruth, ...messages: MessageTruth[]) => ({ ...about(of, ...messages), statuses: both });
const ofTwo = (...messages: MessageTruth[]) => ({ orders: [waits, later], messages });
const pausing = polls.filter(({ at: when }) => when <= at + minute || when > at + 2 * minute);
const forbidden = { status: 403, at: 21 * minute };
const shutLater = { ...shut, channelId: "3", from: 20 * minute, to: 25 * minute };
const refusedPost = asked("/channels/3/messages", 21 * minute, {
  method: "POST",
  content: "🔔 New order · 5",
  answer: forbidden,
});
const noted = { ...version, content: `${version.content}\n📌 Keys: nothing could be posted in <#3>.` };
const nothingSold = message(waits, 23 * hour, {
  line: "📊 **Jan 1, 1970**: orders 0 · sold 0",
  channelId: "2",
  card: "",
});
const withChart = ({ versions, ...one }: MessageTruth) => ({
  ...one,
  versions: versions.map((made) => ({ ...made, files: 1 })),
});
const digestVersion = nothingSold.versions[0] as MessageTruth["versions"][number];
const refusedByRule = {
  troubles: [shutLater],
  actions: [keys],
  direct: [{ at: 21 * minute + second, content: "The rule **Keys** cannot post in <#3>: why" }],
};
const outageLater = { ...outage, from: 20 * minute - second, isWhole: false };
const notAnswering = message(waits, 20 * minute, { line: "⚠️ The store has given no usable answer", card: "" });

/** Requests for page 3, which fails. */
const failing = many(4, (index) => {
  const answer = { status: 503, at: at + index * minute };
  return asked(listPath.replace("page=1", "page=3"), at + index * minute, { answer });
});
/** The store fails during the trouble. */
const failedIn =
  ({ from, to }: typeof outage) =>
  (one: RequestTruth): RequestTruth =>
    one.at > from && one.at < to ? { ...one, answer: { status: 503, at: one.at + 1 } } : one;
const offLater = action({ kind: "alerts-off" }, 20 * minute);
const onPaid = action({ kind: "alerts-set", channelId: usual, statuses: ["PAID"] }, 22 * minute, "**1** earlier order");
const there = { ...waits, placedAt: 0, statuses: [{ at: 10.5 * second, status: "PENDING" }] };

/** What happened, beside an order that waits or one that was paid. */
test.each<[string, Parameters<typeof evidence>[0]]>([
  ["never alerted", about(waits)],
  ["alerted late", about(waits, message(waits, at + 10 * minute))],
  ["alerted late", { ...about(waits, message(waits, at + 10 * minute)), troubles: [refusedTogether] }],
  [
    "alerted late",
    { ...about(waits, message(waits, at + 10 * minute)), troubles: [{ ...refusedTogether, how: "refused-text" }] },
  ],
  ["alerted twice", about(waits, first, message(waits, at + minute))],
  ["wrong channel", about(waits, message(waits, at + second, { channelId: "2" }))],
  ["left channel", doing(about(waits, message(waits, at + 20 * second)), moved)],
  ["wrong note", about(waits, message(waits, at + second, { line: "🔔 New order · 5\n📌 … which category …" }))],
  ["not posted elsewhere", { ...refusedByRule, discordRequests: [refusedPost] }],
  ["wrong role", about(waits, message(waits, at + second, { line: "<@&5> 🔔 New order · 5" }))],
  ["stale alert", { ...about(returned, pending), ...refusedOnce }],
  ["edited late", about(paid, editedTo("Paid", at + 30 * minute))],
  [
    "edited late",
    {
      ...about(paid, editedTo("Paid", at + 4 * minute)),
      setup: { ...evidence({}).setup, pollMs: minute },
      storeRequests: polls.filter((_, index) => index % 4 === 0),
    },
  ],
  ["payment rung late", ofPaid(paid, edited, ring(at + 30 * minute))],
  [
    "payment rung late",
    {
      ...ofPaid(paid, edited, ring(at + 30 * minute)),
      troubles: [{ ...shut, to: at + 29 * minute, how: "hidden", channelId: usual }],
    },
  ],
  ["refund told late", ofPaid(refunded, shownRefunded, ring(at + 3 * minute), refund)],
  ["payment not rung", { ...ofPaid(paid, editedTo("Paid", at + 3 * minute)), troubles: [busy] }],
  ["payment not rung", doing({ ...about(paidLate, editedLate), troubles: [busy] }, addPaid)],
  ["paid rung twice", ofPaid(paid, edited, ring(at + 3 * minute), ring(at + 4 * minute))],
  ["paid rung twice", doing(ofPaid(paid, edited, ring(at + 3 * minute), ring(25 * minute)), offLater, onPaid)],
  ["paid no more", ofPaid(cancelled, shownCancelled, ring(at + 15 * minute))],
  ["ring apart from its alert", ofPaid(paid, edited, ring(at + 3 * minute, { repliesTo: undefined }))],
  ["ring of another role", ofPaid(paid, edited, ring(at + 3 * minute, { line: "<@&5> 💰 Paid order · 5" }))],
  [
    "followed after off",
    {
      ...about(waits, { ...first, versions: [version, { ...version, at: 30 * minute, card: `${version.card} ` }] }),
      actions: [offLater],
      storeRequests: polls.slice(0, 80),
    },
  ],
  ["posted after off", { ...about(waits, first), actions: [off], storeRequests: [] }],
  ["not deleted", { actions: [disconnected], storeRequests: [], kept: [{ at, tables: ["orders"] }] }],
  ["customer shown", about(waits, message(waits, at + second, { text: waits.customer.email }))],
  ["no reminder", doing(about(waits, first), remind)],
  ["reminded early", doing(about(waits, first, reminder(waits, 7 * minute)), remind)],
  ["reminder apart from its alert", doing(about(waits, first, reminder(waits, 12 * minute, "0")), remind)],
  ["reminded of what is over", doing(about(cancelled, shownCancelled, reminder(cancelled, 20 * minute)), remind)],
  [
    "reminded of what is done",
    doing(about(waits, handled("Done by <@7> Give back"), reminder(waits, 12 * minute)), remind, press("7", "Done")),
  ],
  [
    "reminded of what is handled",
    doing(about(paid, shownTaken, reminder(paid, 30 * minute)), remind, {
      ...press("7"),
      what: { kind: "press", press: "Take", order: paid.id, by: "7" },
    }),
  ],
  ["reminded of an earlier alert", doing(about(waits, first, reminder(waits, 30 * minute)), remindLater)],
  ["reminded in quiet hours", doing(about(waits, first, reminder(waits, 12 * minute)), remindOutsideNight)],
  [
    "reminded in quiet hours",
    doing({ ...about(waits, first, reminder(waits, 12 * minute)), endsAt: 50 * minute }, remindOutsideNight, digest),
  ],
  ["taken by two", doing(about(waits, handled("Taken by <@8> Give back")), press("7"), press("8"))],
  ["done by a stranger", doing(about(waits, handled("Done by <@8> Give back")), press("8", "Done"))],
  [
    "refused to its taker",
    doing(about(waits, handled("Taken by <@8> Give back")), press("8"), {
      ...press("8", "Done", "<@8> has this order"),
      asked: at + 5 * minute,
    }),
  ],
  ["taker not shown", doing(about(waits, first), press("7"))],
  ["rule never told", doing(about(paid, edited), keys)],
  ["rule without match", doing(about(paid, edited, byRule(at + minute)), keys)],
  ["rule twice", doing(about(paid, edited, byRule(at + 3 * minute), byRule(at + 4 * minute)), keys)],
  ["rule tells of old", doing(about(paid, edited, byRule(35 * minute)), keysLater)],
  ["rule tells of old", { ...doing(about(paid, edited, byRule(35 * minute)), keysLater), troubles: [busy] }],
  ["rule tells of old", { ...doing(about(paid, edited, byRule(at + 3 * minute), threeByRule), keys) }],
  [
    "rule tells of old",
    doing(about(waits, first, line(35 * minute)), { ...feedOf("PENDING"), asked: 30 * minute, done: 31 * minute }),
  ],
  ["old order alerted", about(there, message(there, 20 * minute))],
  ["old order alerted", { ...about(old, message(old, 20 * minute)), troubles: [replaced] }],
  ["connected in vain", { troubles: [replaced], storeRequests: pausing }],
  ["started late", { starts: [{ at, life: 2 }] }],
  ["polls seem to stand still", { ...about(waits, first), asked: [{ at: 30 * minute, text: checked(20 * minute) }] }],
  [
    "wrong delay",
    {
      ...about(waits, first),
      storeRequests: polls.map(answeredBy),
      asked: [{ at: 30 * minute, text: `${checked(30 * minute)}\n**Delay:** 20 s` }],
    },
  ],
  [
    "wrong delay",
    {
      ...about(waits, first),
      storeRequests: [...polls.slice(0, 81).map(answeredBy), ...polls.slice(81)],
      calmFrom: 20 * minute,
      asked: [{ at: 30 * minute, text: `${checked(30 * minute)}\n**Delay:** 0 s` }],
    },
  ],
  ["wrong delay", { asked: [{ at: 30 * minute, text: `${checked(30 * minute)}\n**Delay:** NaN s` }] }],
  [
    "a problem that is not told",
    { ...asking(...failing), asked: [{ at: 20 * minute, text: `${checked(20 * minute)}\n**Last problem:** none` }] },
  ],
  ["orders wait in the end", { ...about(waits, first), status: told(1, 1) }],
  ["followed in the end", { ...about(waits, first), status: told(0, 0) }],
  ["polls stand still", { ...about(waits, first), status: told(0, 1, 50 * minute) }],
  [
    "asked a store that is down",
    { troubles: [outage], messages: [down(at + 11 * minute), back], storeRequests: polls.map(failedIn(outage)) },
  ],
  ["asked for products", asking(asked("/open-api/catalog/product?page=1", at - second))],
  ["pressed for nothing", doing(about(waits, first), press("7", "Take", ""))],
  ["not told of the store", { troubles: [outage], storeRequests: polls.slice(0, 22) }],
  ["edited for nothing", about(waits, { ...first, versions: [version, { ...version, at: at + minute }] })],
  ["owner not told", { ...refusedThere, direct: [], discordRequests: [posting(at, 403)] }],
  [
    "owner told twice",
    { ...refusedThere, direct: [told403, { ...told403, at: 8 * minute }], discordRequests: [posting(at, 403)] },
  ],
  [
    "owner told twice",
    {
      ...refusedThere,
      direct: [told403, { ...told403, at: 9 * minute + second }, { ...told403, at: 11 * minute }],
      discordRequests: [posting(at, 403), posting(at + 2 * minute, 200), posting(at + 4 * minute, 403)],
    },
  ],
  [
    "reading without end",
    { asked: [{ at: 30 * minute, text: `${checked(30 * minute)}\n**Earlier orders:** being read, 0 so far` }] },
  ],
  [
    "wrong state of the channel",
    {
      discordRequests: [posting(at, 200)],
      asked: [{ at: 30 * minute, text: `${checked(30 * minute)} posting fails` }],
    },
  ],
  [
    "wrong state of a channel",
    {
      actions: [keys],
      discordRequests: [{ ...refusedPost, answer: { status: 200, at: 21 * minute } }],
      storeStatus: { at: hour, text: "The last message of a rule for <#3> could not be posted" },
    },
  ],
  [
    "note lost or added",
    about(waits, { ...first, versions: [version, { ...noted, at: 20 * minute, text: `${version.text} ` }] }),
  ],
  ["no line", doing(about(waits, first), feed)],
  ["line without match", doing(about(waits, first, line(at + second)), feedOf("PAID"))],
  ["line twice", doing(about(waits, first, line(at + second), line(at + minute)), feed)],
  ["no digest", doing(night, digest)],
  [
    "wrong note in a digest",
    doing(
      { ...night, messages: [{ ...nothingSold, versions: [{ ...digestVersion, text: "This digest is late" }] }] },
      digest,
    ),
  ],
  ["wrong digest", doing({ ...night, ...about(waits, first, withChart(figures(23 * hour))) }, digest)],
  ["wrong chart", doing({ ...night, messages: [withChart(nothingSold)] }, digest)],
  ["digest twice", { ...night, actions: [digest], messages: [figures(23 * hour), figures(23 * hour + 2 * minute)] }],
  ["payment without", ofPaid(paid, edited, ring(at + 3 * minute, { bought: "" }))],
  ["alert without", about(waits, message(waits, at + second, { bought: "" }))],
  ["wrong sum", { ...ofTwo(two(11)), troubles: [busy] }],
  ["shared by few", ofTwo(two(10))],
  ["out of turn", ofTwo(message(later, at + 71 * second), message(waits, at + 72 * second))],
  [
    "out of turn",
    {
      ...ofTwo(message(later, at + 5 * minute + second), message(waits, at + 5 * minute + 2 * second)),
      troubles: [{ ...shut, channelId: usual }],
    },
  ],
  ["told of a store that answers", { messages: [down(at)] }],
  [
    "told early of the store",
    {
      troubles: [outageLater],
      messages: [notAnswering, { ...back, at: hour }],
      storeRequests: polls.map(answeredBy),
    },
  ],
  ["told twice of the store", { troubles: [refusing], messages: [down(at), down(at + minute), back] }],
  ["not told that the store answers", { troubles: [refusing], messages: [down(at)] }],
  ["owner told of nothing", { direct: [{ at, content: "Order alerts cannot be posted" }] }],
  ["owner told without the rule", { troubles: [shut], direct: [{ at, content: "Nothing can be posted in <#9>" }] }],
  ["too many requests", { discordRequests: many(51, (index) => asked("/channels/1", index)) }],
  ["command failed", { actions: [{ ...remind, answer: "❌ Reference: 1" }] }],
  ["crashed", { crashes: [{ at, message: "x" }] }],
  ["error of nothing", { logged: [{ at, message: "error x" }], troubles: [refusing] }],
  ["refused by Discord", { refusals: ["POST x: empty"] }],
])("%s is seen, and nothing else", (what, given) => {
  expect(seen(evidence(given))).toEqual([what]);
});

test("an hour in which all is well shows nothing", () => {
  const line2 = message(paid, at + minute, { line: `🛍️ Someone bought ${paid.mark} 🎉`, channelId: "3", card: "" });
  const given = evidence({
    statuses: both,
    orders: [waits, paid],
    messages: [
      message(waits, at + second, { text: "Taken by <@7> Give back" }),
      line(at + second),
      line2,
      edited,
      ring(at + 2 * minute + 10 * second),
    ],
    actions: [press("7"), feed],
    status: told(0, 2),
  });
  expect(seen(given)).toEqual([]);
});
