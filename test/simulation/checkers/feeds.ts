import {
  type Checker,
  clockOf,
  type Evidence,
  type Finding,
  firstOf,
  type MessageTruth,
  markStart,
  minute,
  type OrderTruth,
} from "../world/record.ts";
import { asKnown, isHardToKnow } from "./categories.ts";
import {
  finding,
  kindOf,
  messagesOf,
  name,
  once,
  statusesIn,
  statusPeriods,
  timesOf,
  wasRestored,
  workableFrom,
} from "./reading.ts";
import { fits, possibleIn, type Rule } from "./settings.ts";

/** Maximum number of lines that wait for a channel. Further lines are left out. */
const mostWaiting = 1_000;
const allLines = once(({ messages }) => messages.filter((message) => kindOf(message) === "feed"));

/** Finds the lines of an order by its mark, because public lines have no id. */
const linesOf = (evidence: Evidence, { mark }: OrderTruth) =>
  allLines(evidence).filter((message) => firstOf(message).content.includes(mark));

const isFeed = (rule: Rule) => rule.style === "feed";

/** Finds an order with more lines in a channel than feeds were made for this channel. */
function twice(evidence: Evidence, order: OrderTruth): Finding[] {
  if (!evidence.setup.discord.nonces || wasRestored(evidence)) return [];
  const lines = Object.entries(Object.groupBy(linesOf(evidence, order), ({ channelId }) => channelId));
  return lines.flatMap(([channelId, all = []]) => {
    const made = evidence.actions.filter(
      ({ what, failed }) => what.kind === "rule" && isFeed(what) && what.channelId === channelId && !failed,
    );
    if (all.length <= made.length) return [];
    return finding("line twice", `${name(order)}, ${timesOf(all)}`);
  });
}

/**
 * Finds lines of feeds about a new order that are missing or late. A line is due some minutes after the order's alert, or after
 * the end of a trouble.
 */
function missing(evidence: Evidence, order: OrderTruth): (Finding & { readonly channelId: string })[] {
  const [alert] = messagesOf(evidence, "alert", order.id);
  const [{ status } = { status: undefined }] = statusPeriods(order);
  const { endsAt } = evidence;
  if (alert === undefined || status === undefined || wasRestored(evidence)) return [];
  const possible = possibleIn(evidence, order.placedAt - minute, endsAt);
  const isKnown = asKnown(order).length === 1 && !isHardToKnow(evidence, order.placedAt, alert.at);
  const [first] = possible;
  const sure = (first?.alerts === undefined ? [] : first.rules).filter(
    (rule) =>
      isFeed(rule) &&
      rule.status === undefined &&
      (rule.category === undefined || isKnown) &&
      fits(rule, order, status, true) &&
      possible.every(
        ({ alerts, rules }) =>
          alerts !== undefined && rules.some((one) => JSON.stringify(one) === JSON.stringify(rule)),
      ),
  );
  const lines = linesOf(evidence, order);
  const waiting = evidence.orders.size;
  if (waiting > mostWaiting) return [];
  const lastsMs = 3 * minute + waiting * 1_200;
  const latest = workableFrom(evidence, alert.at, lastsMs) + lastsMs;
  if (latest > endsAt) return [];
  return sure.flatMap(({ channelId, name: rule }) => {
    const line = lines.find((message) => message.channelId === channelId);
    if (line !== undefined && line.at <= latest) return [];
    const came = line === undefined ? "never came" : `came at ${clockOf(line.at)}`;
    return [
      {
        channelId,
        what: "no line",
        text: `${name(order)} by ${rule}, alerted at ${clockOf(alert.at)}, due at ${clockOf(latest)}, ${came}`,
      },
    ];
  });
}

/** Finds a line about an order that no feed of the line's channel has ever matched. */
function unwanted(evidence: Evidence, order: OrderTruth): Finding[] {
  return linesOf(evidence, order).flatMap(({ channelId, at }) => {
    const possible = possibleIn(evidence, order.placedAt, at).flatMap((settings) => settings.rules);
    const isMatched = statusesIn(order, order.placedAt, at).some((status) =>
      possible.some(
        (rule) => isFeed(rule) && rule.channelId === channelId && fits(rule, order, status, rule.status === undefined),
      ),
    );
    return isMatched ? [] : finding("line without match", `${name(order)} at ${clockOf(at)}`);
  });
}

/** Whether a line names no product, because Discord refused the line with the product. The order of such a line is unknown. */
const isBare = (line: MessageTruth) => !firstOf(line).content.includes(markStart);

/** A feed has one line for each order that it matches. */
export const feeds: Checker = (evidence) => {
  const bare = Map.groupBy(allLines(evidence).filter(isBare), ({ channelId }) => channelId);
  const orders = [...evidence.orders.values()];
  const absent = Map.groupBy(
    orders.flatMap((order) => missing(evidence, order)),
    ({ channelId }) => channelId,
  );
  return [
    ...orders.flatMap((order) => [...twice(evidence, order), ...unwanted(evidence, order)]),
    ...[...absent].flatMap(([channelId, findings]) => findings.slice(bare.get(channelId)?.length ?? 0)),
  ];
};
