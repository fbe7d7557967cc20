import { clockOf, type Evidence, type Finding, firstOf, minute, type OrderTruth } from "../world/record.ts";
import {
  finding,
  hasRecovered,
  messagesOf,
  name,
  ofEachOrder,
  statusPeriods,
  timesOf,
  wasRestored,
} from "./reading.ts";
import { fits, possibleIn, type Rule } from "./settings.ts";
import { msToShow } from "./statuses.ts";

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

/** A rule tells nothing about an order that had the rule's status long before the rule was made. */
function ofOld(evidence: Evidence, order: OrderTruth): Finding[] {
  if (wasRestored(evidence)) return [];
  return evidence.actions.flatMap(({ what, asked }, index) => {
    const isFirst = !evidence.actions
      .slice(0, index)
      .some((one) => "name" in one.what && "name" in what && one.what.name === what.name);
    if (what.kind !== "rule" || what.status === undefined || !isFirst) return [];
    const periods = statusPeriods(order).filter(({ status }) => status === what.status);
    const since = asked - msToShow(evidence) - minute;
    const isOld =
      periods.length > 0 && periods.every(({ from }) => from < since && hasRecovered(evidence, from, asked));
    const told = messagesOf(evidence, "rule", order.id).find((message) => isOf(what, firstOf(message).content));
    if (!isOld || told === undefined) return [];
    return finding("rule tells of old", `${what.name}: ${name(order)}, at ${clockOf(told.at)}`);
  });
}

/** Returns the rule that tells the staff of a later status. Undefined if there is none, or if a category may decide. */
function ruleFor(rules: readonly Rule[], order: OrderTruth, status: string): Rule | undefined {
  const ofStaff = rules.filter(({ style }) => style === "staff");
  const rule = ofStaff.find((one) => one.category !== undefined || fits(one, order, status, false));
  return rule?.category === undefined ? rule : undefined;
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
      if (from > calmFrom || Math.max(from, calmFrom) + msToShow(evidence) > endsAt - minute) return [];
      const possible = possibleIn(evidence, order.placedAt - minute, endsAt);
      if (possible.some(({ alerts }) => alerts === undefined)) return [];
      const chosen = possible.map(({ rules }) => ruleFor(rules, order, status));
      const [rule] = chosen;
      if (rule === undefined || chosen.some((one) => JSON.stringify(one) !== JSON.stringify(rule))) return [];
      const told = messagesOf(evidence, "rule", order.id).some((message) => isOf(rule, firstOf(message).content));
      return told ? [] : finding("rule never told", `${rule.name}: ${name(order)}, ${status} at ${clockOf(from)}`);
    });
}

/** A rule for a later status posts one message for each order. */
export const rules = ofEachOrder(twice, ofOld, missing);
