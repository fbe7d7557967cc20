import {
  type Checker,
  clockOf,
  type Evidence,
  type Finding,
  firstOf,
  lastOf,
  type MessageTruth,
  minute,
  type OrderTruth,
  type Version,
} from "../world/record.ts";
import { finding, kindOf, type MessageKind, name, ofEachAlert, roleIn, statusesIn } from "./reading.ts";
import { placeOf, possibleIn } from "./settings.ts";

/** Longest time of a request to Discord, besides Discord's usual latency. */
const longestWayMs = 4_500;

function expectedOf(evidence: Evidence, order: OrderTruth, message: MessageTruth) {
  const since = order.placedAt;
  const statuses = new Set(statusesIn(order, since, message.at));
  return possibleIn(evidence, since, message.at).flatMap((settings) =>
    [...statuses].flatMap((status) => placeOf(settings, order, status) ?? []),
  );
}

const channelsIn = (evidence: Evidence, from: number, to: number) =>
  possibleIn(evidence, from, to).flatMap(({ alerts, rules }) => [
    ...(alerts ? [alerts.channelId] : []),
    ...rules.map(({ channelId }) => channelId),
  ]);

/** Messages that stay in the channel of their alert, even if alerts go to another channel by now. */
const staying: readonly MessageKind[] = ["payment", "refund", "other"];

/** Messages that were sent to a channel after people had chosen another one. */
const left: Checker = (evidence) =>
  evidence.messages.flatMap((message) => {
    if (staying.includes(kindOf(message))) return [];
    const leftAt = message.at - longestWayMs - evidence.setup.latency.discord[1];
    const present = channelsIn(evidence, leftAt, message.at);
    const was = channelsIn(evidence, 0, leftAt);
    if (present.length === 0 || present.includes(message.channelId) || !was.includes(message.channelId)) return [];
    const order = evidence.orders.get(firstOf(message).orders[0] ?? "");
    return finding(
      "left channel",
      `${order ? name(order) : "an order"} at ${clockOf(message.at)}, where alerts are not any more`,
    );
  });

/** Returns what is wrong with the role that a version of an alert mentions. */
function wrongRole(evidence: Evidence, alert: MessageTruth, order: OrderTruth, { at, content }: Version): Finding[] {
  const isHere = (place: { readonly channelId: string } | undefined) => place?.channelId === alert.channelId;
  const expected = expectedOf(evidence, order, alert).filter(isHere);
  // An edit takes the role from any present rule with this channel. Without one, it mentions the role of alerts.
  const present = possibleIn(evidence, at - minute, at).map(({ alerts, rules }) =>
    at === alert.at ? expected : [alerts, ...rules.filter(({ style }) => style === "staff")].filter(isHere),
  );
  if (present.some((places) => places.length === 0)) return [];
  const isRight = [expected, ...present].flat().some((place) => place?.role === roleIn(content));
  return isRight ? [] : finding("wrong role", `${name(order)} at ${clockOf(at)}: ${content.slice(0, 40)}`);
}

/** An alert mentions the role of its channel's settings, also after an edit. */
const mentioned = ofEachAlert((evidence, alert, order) =>
  firstOf(alert).content.includes("\n📌")
    ? []
    : [...new Set([firstOf(alert), lastOf(alert)])].flatMap((version) => wrongRole(evidence, alert, order, version)),
);

/** An alert is in the channel that the rules name. */
const sent = ofEachAlert((evidence, message, order) => {
  const expected = expectedOf(evidence, order, message);
  if (expected.length === 0 || expected.some(({ channelId }) => channelId === message.channelId)) return [];
  const possible = possibleIn(evidence, order.placedAt, message.at);
  // If the rule was removed before the alert was sent, the alert goes to the channel of alerts.
  const isRemoved = expected.some(
    ({ rule }) => rule && possible.some(({ rules }) => !rules.some((one) => one.name === rule.name)),
  );
  if (isRemoved && possible.some(({ alerts }) => alerts?.channelId === message.channelId)) return [];
  const from = message.at - 20 * minute;
  const wasWrong = (kinds: readonly string[]) =>
    evidence.troubles.some(
      (trouble) => kinds.includes(trouble.kind) && trouble.from <= message.at && trouble.to >= from,
    );
  const isStranded = firstOf(message).content.includes("\n📌");
  if (isStranded && wasWrong(["channel", "discord"])) return [];
  // The bot may not know the product's category, if the store's products cannot be read, or not within 10 s. Then
  // it cannot know whether a rule with a category matches.
  const isByCategory = possible.some(({ rules }) => rules.some(({ category }) => category !== undefined));
  const isSlow = evidence.setup.latency.store[1] > 1_000;
  // Each order can have a new product, and the bot reads at most ten pages of products at once.
  const isLong = evidence.setup.store.products + evidence.orders.size > 10 * (evidence.setup.store.rowsPerPage ?? 100);
  const isUnknown = (isSlow || isLong) && firstOf(message).content.includes("\n📌");
  if (isByCategory && (wasWrong(["store"]) || isUnknown)) return [];
  const rules = [...new Set(expected.map(({ rule }) => rule?.name ?? "no rule"))].join(", ");
  return finding(
    "wrong channel",
    `${name(order)} at ${clockOf(message.at)}, where ${rules} should have sent it elsewhere`,
  );
});

export const place: Checker = (evidence) => [sent, mentioned, left].flatMap((check) => check(evidence));
