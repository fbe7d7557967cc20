import {
  type Checker,
  clockOf,
  type Evidence,
  type Finding,
  lastOf,
  type MessageTruth,
  type OrderTruth,
} from "../world/record.ts";
import { finding, isWell, lineOf, messagesOf, name, stays } from "./reading.ts";
import { placeOf, possibleIn, surelyRings } from "./settings.ts";
import { words } from "./statuses.ts";

const minute = 60_000;
/** What failed is left alone for so long at most, and then has to be caught up with. */
const recoveryMs = 30 * minute;
/** Orders that left a list are asked for by their ids, five in a poll, and each once more in its turn. */
const askedAtOnce = 5;
const betweenLooksMs = 15_000;
/** A channel takes 5 messages in 5 s. */
const msForMessage = 1_200;

/** How long a change may need until it is shown, where nothing is wrong. */
function msToTell({ setup, orders }: Evidence, since: number): number {
  const pages = Math.ceil(orders.size / (setup.store.rowsPerPage ?? 100));
  const changed = [...orders.values()]
    .flatMap(({ statuses }) => statuses)
    .filter(({ at }) => at > since - recoveryMs && at <= since + setup.pollMs).length;
  const looks = (4 + 2 * pages + changed / askedAtOnce) * setup.pollMs;
  return looks + changed * (betweenLooksMs + msForMessage) + minute / 2;
}

/** The changes of an order whose alert stood already, each with the moment by which it has to be told. */
function changesOf(evidence: Evidence, alert: MessageTruth, order: OrderTruth) {
  const all = stays(order);
  return all.flatMap(({ status, from, to }, index) => {
    const before = all.slice(0, index).map((stay) => stay.status);
    const by = from + msToTell(evidence, from);
    if (status === undefined || index === 0 || from < alert.at || by > Math.min(to, evidence.endsAt)) return [];
    // It is followed no longer, or left the lists before.
    if (before.some((one) => one === undefined || one === "CANCELLED" || one === "REFUNDED")) return [];
    const isOn = possibleIn(evidence, alert.at - minute, by).every(({ alerts }) => alerts !== undefined);
    return isOn && isWell(evidence, from - recoveryMs, by) ? [{ status, from, by, before }] : [];
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

/** While nothing is wrong, what changes is told within a few polls. */
export const late: Checker = (evidence) => [...evidence.orders.values()].flatMap((order) => look(evidence, order));
