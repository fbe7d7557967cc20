import {
  clockOf,
  type Evidence,
  type Finding,
  lastOf,
  type MessageTruth,
  minute,
  type OrderTruth,
} from "../world/record.ts";
import {
  finding,
  hasRecovered,
  isOfForm,
  lineOf,
  messagesOf,
  name,
  ofEachOrder,
  once,
  statusPeriods,
} from "./reading.ts";
import { placeOf, possibleIn, surelyOn, surelyRings } from "./settings.ts";
import { askedInPoll, betweenLooksMs, words } from "./statuses.ts";

/** Longest time until the bot has recovered from a failure. */
const recoveryMs = 30 * minute;
/** Time for one message, with 0.2 s to spare, because a channel takes 5 messages in 5 s. */
const msForMessage = 1_200;

/** A poll reads a list of up to three pages whole, and up to five orders that left the list. */
const pagesOfPoll = 3;
const looksOfPoll = 5;

/** Longest time from a change of an order until people see the change, if there is no trouble. */
function msToTell({ setup, orders }: Evidence, since: number): number {
  const pages = Math.ceil(orders.size / (setup.store.rowsPerPage ?? 100));
  const changed = [...orders.values()]
    .flatMap(({ statuses }) => statuses)
    .filter(({ at }) => at > since - recoveryMs && at <= since + setup.pollMs).length;
  // The next poll sees the change.
  if (pages <= pagesOfPoll && changed <= looksOfPoll && setup.pollMs >= minute) return 1.5 * setup.pollMs;
  const looks = (4 + 2 * pages + changed / askedInPoll(setup.pollMs)) * setup.pollMs;
  return looks + changed * (betweenLooksMs + msForMessage) + minute / 2;
}

/** The evidence without troubles that delay neither a reply nor an edit. */
const serious = once((evidence) => ({
  ...evidence,
  troubles: evidence.troubles.filter((trouble) => !isOfForm(trouble)),
}));

/** The changes of an order after its alert, each with the time by which people must see it. */
function changesOf(evidence: Evidence, alert: MessageTruth, order: OrderTruth) {
  const all = statusPeriods(order);
  return all.flatMap(({ status, from, to }, index) => {
    if (status === undefined || index === 0 || from < alert.at) return [];
    const before = all.slice(0, index).map((period) => period.status);
    const by = from + msToTell(evidence, from);
    if (by > Math.min(to, evidence.endsAt)) return [];
    // The bot no longer follows the order, or the order left the lists before.
    if (before.some((one) => one === undefined || one === "CANCELLED" || one === "REFUNDED")) return [];
    const isOn = surelyOn(evidence, alert.at - minute, by);
    return isOn && hasRecovered(serious(evidence), from, by) ? [{ status, from, by, before }] : [];
  });
}

function look(evidence: Evidence, order: OrderTruth): Finding[] {
  const [alert, ...others] = messagesOf(evidence, "alert", order.id);
  if (alert === undefined || others.length > 0) return [];
  return changesOf(evidence, alert, order).flatMap(({ status, from, by, before }) => {
    const text = `${name(order)}, ${status} at ${clockOf(from)}, due at ${clockOf(by)}`;
    const shown = alert.versions.findLast(({ at }) => at <= by) ?? lastOf(alert);
    const line = lineOf(shown, order);
    const found =
      line === undefined || line.includes(words[status] ?? "?") ? [] : finding("edited late", `${text}, says ${line}`);
    const ringsFor = ["PENDING", "PAID"].every((one) => surelyRings(evidence, one, order.placedAt - minute, by));
    const byRule = possibleIn(evidence, from - minute, by).some(({ rules }) =>
      rules.some((rule) => rule.status === status),
    );
    const isPlain = possibleIn(evidence, order.placedAt, by).every(
      (one) => placeOf(one, order, "PENDING")?.channelId === alert.channelId,
    );
    if (!ringsFor || byRule || !isPlain) return found;
    const isTold = (kind: "payment" | "refund") => messagesOf(evidence, kind, order.id).some(({ at }) => at <= by);
    if (status === "PAID" && !before.includes("PAID") && !before.includes("DELIVERED") && !isTold("payment"))
      found.push(...finding("payment rung late", text));
    if (status === "REFUNDED" && !isTold("refund")) found.push(...finding("refund told late", text));
    return found;
  });
}

/** While there is no trouble, people see a change within a few polls. */
export const delays = ofEachOrder(look);
