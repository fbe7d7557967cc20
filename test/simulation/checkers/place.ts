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
import { asKnown, isHardToKnow, mayMissRule } from "./categories.ts";
import { finding, kindOf, type MessageKind, name, ofEachAlert, roleIn, statusesIn } from "./reading.ts";
import { placeOf, possibleIn } from "./settings.ts";

/** Longest time of a request to Discord, in addition to Discord's usual latency. */
const longestWayMs = 4_500;

/** The places where people could expect the order's alert, by the settings from the order to the message. */
function expectedOf(evidence: Evidence, order: OrderTruth, message: MessageTruth) {
  const since = order.placedAt;
  const statuses = new Set(statusesIn(order, since, message.at));
  const possible = possibleIn(evidence, since, message.at);
  const places = possible.flatMap((settings) =>
    [...statuses].flatMap((status) => asKnown(order).flatMap((one) => placeOf(settings, one, status) ?? [])),
  );
  // If the rule was removed before the alert was sent, the alert goes to the channel of alerts.
  const isRemoved = places.some(
    ({ rule }) => rule && possible.some(({ rules }) => !rules.some(({ name }) => name === rule.name)),
  );
  const own = possible.flatMap(({ alerts }) => (alerts ? [{ ...alerts, rule: undefined, isUnsure: false }] : []));
  return isRemoved ? [...places, ...own] : places;
}

const channelsIn = (evidence: Evidence, from: number, to: number) =>
  possibleIn(evidence, from, to).flatMap(({ alerts, rules }) => [
    ...(alerts ? [alerts.channelId] : []),
    ...rules.map(({ channelId }) => channelId),
  ]);

/** Messages that stay in the channel of their alert, even if alerts now go to another channel. */
const staying: readonly MessageKind[] = ["payment", "refund", "other"];

/** Finds messages that were sent to a channel after people had chosen another one. */
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
  // An edited alert mentions the role of a present staff rule with this channel, or the role of alerts.
  const present = possibleIn(evidence, at - minute, at).map(({ alerts, rules }) =>
    at === alert.at ? expected : [alerts, ...rules.filter(({ style }) => style === "staff")].filter(isHere),
  );
  if (present.some((places) => places.length === 0)) return [];
  const isRight = [expected, ...present].flat().some((place) => place?.role === roleIn(content));
  return isRight ? [] : finding("wrong role", `${name(order)} at ${clockOf(at)}: ${content.slice(0, 40)}`);
}

/**
 * An alert mentions the role of its channel's settings, also after an edit of its card. A press changes neither card nor role.
 */
const mentioned = ofEachAlert((evidence, alert, order) => {
  const edited = alert.versions.findLast(({ card }, index) => card !== alert.versions[index - 1]?.card);
  return firstOf(alert).content.includes("\n📌")
    ? []
    : [...new Set([firstOf(alert), edited ?? lastOf(alert)])].flatMap((one) => wrongRole(evidence, alert, order, one));
});

const wasWrong = ({ troubles }: Evidence, kinds: readonly string[], { at }: MessageTruth) =>
  troubles.some(({ kind, from, to }) => kinds.includes(kind) && from <= at && to >= at - 20 * minute);

/** An alert is in the channel that the rules name. */
const sent = ofEachAlert((evidence, message, order) => {
  const expected = expectedOf(evidence, order, message);
  if (expected.length === 0 || expected.some(({ channelId }) => channelId === message.channelId)) return [];
  const possible = possibleIn(evidence, order.placedAt, message.at);
  const isStranded = firstOf(message).content.includes("\n📌");
  if (isStranded && wasWrong(evidence, ["channel", "discord"], message)) return [];
  if (mayMissRule(evidence, possible, order.placedAt, message.at)) return [];
  const rules = [...new Set(expected.map(({ rule }) => rule?.name ?? "no rule"))].join(", ");
  return finding(
    "wrong channel",
    `${name(order)} at ${clockOf(message.at)}, where ${rules} should have sent it elsewhere`,
  );
});

/** If a rule with a category may match an order whose category is unknown, the alert says so. Other alerts do not. */
const noted = ofEachAlert((evidence, message, order) => {
  const { content, orders } = firstOf(message);
  const expected = expectedOf(evidence, order, message);
  if (orders.length > 1 || expected.length === 0) return [];
  const isSaid = content.includes("which category");
  const mayBeUnknown = expected.some(({ isUnsure }) => isUnsure) || isHardToKnow(evidence, order.placedAt, message.at);
  const isRight = isSaid ? mayBeUnknown : expected.some(({ isUnsure }) => !isUnsure);
  return isRight ? [] : finding("wrong note", `${name(order)} at ${clockOf(message.at)}: ${content.slice(-110)}`);
});

/** Whether an alert says that the channel of its rule failed. */
const isNoted = ({ content }: Version) => /\n📌.*<#\d+>/.test(content);

/** While the rules stay as they are, an edit neither adds nor removes this note. */
const stillNoted: Checker = (evidence) =>
  evidence.messages.flatMap((message) => {
    const [posted, edited] = [firstOf(message), lastOf(message)];
    if (kindOf(message) !== "alert" || isNoted(posted) === isNoted(edited)) return [];
    const isSame = possibleIn(evidence, posted.at - minute, edited.at).length === 1;
    return isSame ? finding("note lost or added", `at ${clockOf(edited.at)}: ${edited.content.slice(-110)}`) : [];
  });

/** Longest wait after a failure. */
const longestWaitMs = 5 * minute;
const atOnceMs = 15_000;

/**
 * Matches messages that go to another channel if their own channel is lost. Public lines and digests wait instead. Reminders do
 * not match, because the store can delay them, too.
 */
const isMoving = (content = "") => /^(?:<@&\d+> )?(?:🔔|💰|↩️)/.test(content);

/** A message that Discord refuses in the channel of a rule is posted in the channel of alerts at once. */
const elsewhere: Checker = (evidence) => {
  const posts = evidence.discordRequests.flatMap(({ method, path, at, answer, content, isReply }) => {
    const channelId = /^\/channels\/(\d+)\/messages$/.exec(path)?.[1];
    return method === "POST" && isMoving(content) ? [{ channelId, at, answer, isReply }] : [];
  });
  return posts.flatMap(({ channelId, answer, isReply }) => {
    // After a 403 for a reply, the same message without a reference may be posted in the same channel. A 404 means that the
    // channel is gone.
    if (answer?.status !== 404 && (answer?.status !== 403 || isReply)) return [];
    const by = answer.at + atOnceMs;
    const since = answer.at - longestWaitMs;
    const possible = possibleIn(evidence, since, by);
    const own = possible[0]?.alerts?.channelId;
    const isOfRule = possible.every(
      ({ alerts, rules }) => alerts?.channelId === own && rules.some((rule) => rule.channelId === channelId),
    );
    // The store and the clock play no part in this, and a new process has no waits.
    const isAlone = evidence.troubles.every(
      ({ kind, from, to, ...other }) =>
        from > by ||
        to < (kind === "process" ? answer.at : since) ||
        (kind === "channel" ? other.channelId !== own : kind === "store" || kind === "clock"),
    );
    const isPosted = posts.some((post) => post.channelId === own && post.at >= answer.at && post.at <= by);
    if (own === undefined || own === channelId || !isOfRule || !isAlone || isPosted) return [];
    return finding("not posted elsewhere", `refused at ${clockOf(answer.at)}`);
  });
};

export const place: Checker = (evidence) =>
  [sent, mentioned, left, noted, stillNoted, elsewhere].flatMap((check) => check(evidence));
