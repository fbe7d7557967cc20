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
import { finding, hasRecovered, kindOf, name, refusals, wasRestored, without } from "./reading.ts";
import { possibleIn, type Settings } from "./settings.ts";

const timestampOf = ({ card }: Version) => (JSON.parse(card) as { timestamp?: string }[])[0]?.timestamp;

type Wanted = [what: string, has: boolean][];

/** Whether Discord perhaps refused the message. The bot sends such a message again without texts of other people. */
const wasRefused = ({ troubles }: Evidence, { at }: Version) =>
  troubles.some(({ how, from }) => refusals.includes(how) && from <= at);

/** What each message about one order says. */
function bought(evidence: Evidence, version: Version, { mark, method }: OrderTruth): Wanted {
  if (wasRefused(evidence, version)) return [];
  const { text } = version;
  return [
    ["item", text.includes(mark)],
    ["payment method", text.toLowerCase().includes(method.toLowerCase().replaceAll("_", " "))],
  ];
}

/** What the alert of one order says in addition. */
function wantedOf(evidence: Evidence, { channelId }: MessageTruth, version: Version, order: OrderTruth): Wanted {
  const { setup } = evidence;
  const { at, text } = version;
  const { customer, id, placedAt, total } = order;
  const wanted: Wanted = [
    ["amount", text.includes(total.toLocaleString("en"))],
    ["id", text.includes(id)],
  ];
  if (!wasRefused(evidence, version)) {
    // Alerts in the channels of rules show no customers, because everybody can read these channels.
    const isShownAs = (wanted: Settings["privacy"]) =>
      !wasRestored(evidence) &&
      possibleIn(evidence, placedAt - minute, at).every(
        ({ alerts, privacy }) => privacy === wanted && alerts?.channelId === channelId,
      );
    wanted.push(
      ["customer", !isShownAs("full") || text.includes(customer.name) || text.includes(customer.email)],
      ["masked customer", !isShownAs("masked") || text.includes("•••@")],
    );
  }
  if (setup.store.times === "own" && placedAt > 0) {
    const written = Date.parse(timestampOf(version) ?? "");
    wanted.push(["time", Math.abs(written - (setup.startsAt + placedAt)) < 1_000]);
  }
  return wanted;
}

/** Returns what is wrong with the number and sum of the orders in a message. */
function sums({ at, content }: Version, orders: readonly OrderTruth[]): Finding[] {
  const sum = orders.reduce((all, { total }) => all + total, 0);
  const isWhole =
    (orders.length === 1 || content.includes(`${orders.length} `)) && content.includes(sum.toLocaleString("en"));
  return isWhole ? [] : finding("wrong sum", `of ${orders.length} orders, not ${sum}, at ${clockOf(at)}`);
}

/** Up to this many waiting alerts get a message each. */
const mostAlone = 5;

/** Finds a message of a few orders, each of which should have its own message. */
function shared(evidence: Evidence, { at }: MessageTruth, orders: readonly OrderTruth[]): Finding[] {
  if (orders.length < 2 || orders.length > mostAlone || !hasRecovered(without(evidence, "store", "channel"), at, at))
    return [];
  return finding("shared by few", `${orders.length} orders, at ${clockOf(at)}`);
}

/** Returns what is wrong with one version of an alert. */
function look(evidence: Evidence, message: MessageTruth, version: Version): Finding[] {
  const orders = version.orders.flatMap((id) => evidence.orders.get(id) ?? []);
  const [order, ...others] = orders;
  if (order === undefined) return [];
  const kind = kindOf(message);
  const ofFew = kind === "alert" ? shared(evidence, message, orders) : [];
  if (others.length > 0) return [...sums(version, orders), ...ofFew];
  const ofKind = kind === "alert" ? wantedOf(evidence, message, version, order) : [];
  const missing = [...ofKind, ...bought(evidence, version, order)].flatMap(([what, has]) => (has ? [] : [what]));
  const text = `${missing.join(", ")}: ${name(order)}, at ${clockOf(version.at)}`;
  const found = missing.length === 0 ? [] : finding(`${kind} without`, text);
  return kind === "alert" ? found : [...sums(version, orders), ...found];
}

/**
 * A message about one order says what was ordered, and its price. Each message has the number and sum of its orders. Edits do
 * not change this.
 */
export const contents: Checker = (evidence) =>
  evidence.messages.flatMap((message) =>
    !["other", "feed"].includes(kindOf(message))
      ? [...new Set([firstOf(message), lastOf(message)])].flatMap((version) => look(evidence, message, version))
      : [],
  );
