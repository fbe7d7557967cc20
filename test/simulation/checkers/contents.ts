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
import { finding, kindOf, name, refusals, wasRestored } from "./reading.ts";
import { possibleIn } from "./settings.ts";

const timestampOf = ({ card }: Version) => (JSON.parse(card) as { timestamp?: string }[])[0]?.timestamp;

/** Returns the facts that the alert of one order lacks. */
function missingOf(evidence: Evidence, { channelId }: MessageTruth, version: Version, order: OrderTruth): string[] {
  const { setup, troubles } = evidence;
  const { at, text } = version;
  const { customer, id, mark, method, placedAt, total } = order;
  const wanted: [what: string, has: boolean][] = [
    ["amount", text.includes(total.toLocaleString("en"))],
    ["id", text.includes(id)],
  ];
  // The bot sends a refused message again without texts of other people.
  const wasRefused = troubles.some(({ how, from }) => refusals.includes(how) && from <= at);
  if (!wasRefused) {
    // Alerts in the channels of rules show no customers, because everybody can read these channels.
    const isFull =
      !wasRestored(evidence) &&
      possibleIn(evidence, placedAt - minute, at).every(
        ({ alerts, privacy }) => privacy === "full" && alerts?.channelId === channelId,
      );
    wanted.push(
      ["item", text.includes(mark)],
      ["payment method", text.toLowerCase().includes(method.toLowerCase().replaceAll("_", " "))],
      ["customer", !isFull || text.includes(customer.name) || text.includes(customer.email)],
    );
  }
  if (setup.store.times === "own" && placedAt > 0) {
    const written = Date.parse(timestampOf(version) ?? "");
    wanted.push(["time", Math.abs(written - (setup.startsAt + placedAt)) < 1_000]);
  }
  return wanted.flatMap(([what, has]) => (has ? [] : [what]));
}

/** Returns what is wrong with one version of an alert. */
function look(evidence: Evidence, message: MessageTruth, version: Version): Finding[] {
  const orders = version.orders.flatMap((id) => evidence.orders.get(id) ?? []);
  const [order, ...others] = orders;
  if (order === undefined) return [];
  const when = `at ${clockOf(version.at)}`;
  if (others.length === 0) {
    const missing = missingOf(evidence, message, version, order);
    return missing.length === 0 ? [] : finding("alert without", `${missing.join(", ")}: ${name(order)}, ${when}`);
  }
  const sum = orders.reduce((all, { total }) => all + total, 0);
  const isWhole = version.content.includes(`${orders.length} `) && version.content.includes(sum.toLocaleString("en"));
  return isWhole ? [] : finding("wrong sum", `of ${orders.length} orders, not ${sum}, ${when}`);
}

/**
 * An alert of one order says what was ordered, and its price. An alert of several orders has their number and sum. Edits leave
 * this as it is.
 */
export const contents: Checker = (evidence) =>
  evidence.messages.flatMap((message) =>
    kindOf(message) === "alert"
      ? [...new Set([firstOf(message), lastOf(message)])].flatMap((version) => look(evidence, message, version))
      : [],
  );
