import {
  type Checker,
  clockOf,
  type Evidence,
  type Finding,
  firstOf,
  minute,
  type OrderTruth,
} from "../world/record.ts";
import { asKnown, mayMissRule } from "./categories.ts";
import {
  finding,
  hasRecovered,
  kindOf,
  messagesOf,
  name,
  ofEachOrder,
  statusesIn,
  statusPeriods,
  timesOf,
  wasRestored,
} from "./reading.ts";
import { firstRule, possibleIn, type Rule } from "./settings.ts";
import { lastsUntilShown, msToShow } from "./statuses.ts";

const isOf = (rule: Rule, content: string) => content.split("\n")[0]?.includes(`📌 ${rule.name}`) === true;

function twice(evidence: Evidence, order: OrderTruth): Finding[] {
  const all = messagesOf(evidence, "rule", order.id);
  if (all.length < 2 || !evidence.setup.discord.nonces || wasRestored(evidence)) return [];
  const byRule = Map.groupBy(all, (message) => /📌 (\w+)/.exec(firstOf(message).content)?.[1] ?? "");
  return [...byRule].flatMap(([rule, ofRule]) => {
    const made = evidence.actions.filter(({ what, failed }) => what.kind === "rule" && what.name === rule && !failed);
    if (ofRule.length <= made.length) return [];
    return finding("rule twice", `${rule} for ${name(order)}, ${timesOf(ofRule)}`);
  });
}

/** The orders of the messages of a rule between two times. `more` counts the orders of messages that have no ids. */
function toldBy(rule: Rule, from: number, to: number, { messages, orders }: Evidence) {
  const within = messages.filter(({ at }) => at >= from && at < to);
  if (rule.style === "feed") {
    const lines = within.filter((one) => one.channelId === rule.channelId && kindOf(one) === "feed").map(firstOf);
    const told = [...orders.values()].filter(({ mark }) => lines.some(({ content }) => content.includes(mark)));
    return { ids: new Set(told.map(({ id }) => id)), more: 0 };
  }
  const all = within.map(firstOf).filter(({ content }) => isOf(rule, content));
  const counts = all
    .filter(({ orders }) => orders.length === 0)
    .map(({ content }) => Number(/([\d,]+) orders/.exec(content)?.[1]?.replaceAll(",", "") ?? 1));
  return { ids: new Set(all.flatMap(({ orders }) => orders)), more: counts.reduce((sum, count) => sum + count, 0) };
}

/** A rule tells nothing about an order that had the rule's status long before the rule was made. */
function ofOld(evidence: Evidence): Finding[] {
  if (wasRestored(evidence) || !evidence.setup.discord.nonces) return [];
  const made = evidence.actions.flatMap(({ what, asked }) => (what.kind === "rule" ? [{ rule: what, asked }] : []));
  return made.flatMap(({ rule, asked }) => {
    const { status } = rule;
    // Public lines do not name their rule.
    const ofName = made.filter(
      (other) =>
        other.rule.name === rule.name ||
        (rule.style === "feed" && other.rule.style === "feed" && other.rule.channelId === rule.channelId),
    );
    const earlier = ofName.filter((other) => other.asked < asked);
    if (status === undefined || earlier.some((other) => other.rule.status === status)) return [];
    const next = ofName.find((other) => other.asked > asked && other.rule.status !== status);
    // If the bot polls this status already, it may notice the status of an order only after the rule was made.
    const wasRead = possibleIn(evidence, 0, asked - 1).some(
      ({ alerts, rules }) => alerts?.statuses.includes(status) || rules.some((one) => one.status === status),
    );
    const isOld = (from: number) =>
      wasRead ? from < asked - msToShow(evidence) - minute && hasRecovered(evidence, from, asked) : from < asked;
    const ofStatus = (order: OrderTruth) => statusPeriods(order).filter((period) => period.status === status);
    const had = [...evidence.orders.values()].filter((order) => ofStatus(order).length > 0);
    const entered = had.filter((order) => ofStatus(order).some(({ from }) => !isOld(from)));
    const { ids, more } = toldBy(rule, asked, next?.asked ?? Number.POSITIVE_INFINITY, evidence);
    const old = had.find((order) => ids.has(order.id) && !entered.includes(order));
    if (old !== undefined) return finding("rule tells of old", `${rule.name}: ${name(old)}`);
    return more <= entered.length ? [] : finding("rule tells of old", `${rule.name}: ${more}, not ${entered.length}`);
  });
}

/** Returns the rule that tells the staff of a later status. Undefined if no rule does, or if this is unsure. */
function ruleFor(rules: readonly Rule[], order: OrderTruth, status: string): Rule | undefined {
  const { rule, isUnsure } = firstRule(rules, order, status, false);
  return isUnsure ? undefined : rule;
}

/** Finds a missing message of a rule for a later status. */
function missing(evidence: Evidence, order: OrderTruth): Finding[] {
  const { endsAt, calmFrom, troubles } = evidence;
  const [alert] = messagesOf(evidence, "alert", order.id);
  if (
    alert === undefined ||
    wasRestored(evidence) ||
    troubles.some(({ how }) => how === "not-found" || how === "deleted" || how === "refused")
  )
    return [];
  if (statusPeriods(order).some(({ status }) => status === undefined)) return [];
  return statusPeriods(order)
    .slice(1)
    .flatMap(({ status, from, to }) => {
      if (status === undefined || from < alert.at || to < endsAt) return [];
      // Rules see an order only once in each status.
      if (order.statuses.some((other) => other.status === status && other.at < from)) return [];
      if (from > calmFrom || !lastsUntilShown(evidence, from)) return [];
      const possible = possibleIn(evidence, order.placedAt - minute, endsAt);
      if (possible.some(({ alerts }) => alerts === undefined)) return [];
      if (mayMissRule(evidence, possible, from, endsAt)) return [];
      const chosen = possible.flatMap(({ rules }) => asKnown(order).map((one) => ruleFor(rules, one, status)));
      const [rule] = chosen;
      if (rule === undefined || chosen.some((one) => JSON.stringify(one) !== JSON.stringify(rule))) return [];
      const told = messagesOf(evidence, "rule", order.id).some((message) => isOf(rule, firstOf(message).content));
      return told ? [] : finding("rule never told", `${rule.name}: ${name(order)}, ${status} at ${clockOf(from)}`);
    });
}

/** Finds a message of a rule about an order for which this rule has never been the first that matched. */
function unwanted(evidence: Evidence, order: OrderTruth): Finding[] {
  return messagesOf(evidence, "rule", order.id).flatMap((message) => {
    const { content } = firstOf(message);
    const isMatched = statusesIn(order, order.placedAt, message.at).some((status) =>
      possibleIn(evidence, order.placedAt, message.at).some(({ rules }) => {
        const rule = ruleFor(rules, order, status);
        return rule !== undefined && isOf(rule, content);
      }),
    );
    return isMatched ? [] : finding("rule without match", `${name(order)} at ${clockOf(message.at)}: ${content}`);
  });
}

/** A rule for a later status posts one message for each order that it matches. */
export const rules: Checker = (evidence) => [...ofEachOrder(twice, missing, unwanted)(evidence), ...ofOld(evidence)];
