import {
  type Checker,
  clockOf,
  type Evidence,
  type Finding,
  firstOf,
  type MessageTruth,
  minute,
  type OrderTruth,
  type RequestTruth,
  type Trouble,
  type Version,
} from "../world/record.ts";
import { longestOfAll, waitAfter } from "./waits.ts";

export type MessageKind = "alert" | "payment" | "refund" | "reminder" | "rule" | "feed" | "other";

/** Recognises the kind of a message by what people see. */
export function kindOf(message: MessageTruth): MessageKind {
  const { content, orders, card } = firstOf(message);
  const [first = ""] = content.split("\n");
  const line = first.replace(/^<@&\d+> /, "");
  if (line.startsWith("⏰")) return "reminder";
  if (line.startsWith("↩️")) return "refund";
  if (line.startsWith("🛍️")) return "feed";
  if (orders.length === 0) return "other";
  if (line.includes(" · 📌 ")) return "rule";
  if (!/^(?:🔔|💰)/.test(line)) return "other";
  return card === "" ? "payment" : "alert";
}

/** Returns the id of the role that a message mentions. */
export const roleIn = (content: string): string | undefined => /^<@&(\d+)> /.exec(content)?.[1];

/** Returns the line of an alert with the order's status. */
export function lineOf({ text, orders }: Version, order: OrderTruth): string | undefined {
  const lines = text.split("\n");
  if (orders.length === 1) return lines[lines.indexOf("Status") + 1];
  const index = lines.findIndex((line) => line.includes(order.id.slice(0, 8)) && line.includes(order.mark));
  return lines[index - 1];
}

/** Caches the result of `ask` for each evidence, because checkers need it for each order. */
export function once<Said>(ask: (evidence: Evidence) => Said): (evidence: Evidence) => Said {
  const known = new WeakMap<Evidence, { readonly said: Said }>();
  return (evidence) => {
    const found = known.get(evidence) ?? { said: ask(evidence) };
    known.set(evidence, found);
    return found.said;
  };
}

const byKind = once(({ messages }) => {
  const kinds = new Map<MessageKind, Map<string, MessageTruth[]>>();
  for (const message of messages) {
    const kind = kindOf(message);
    const orders = kinds.get(kind) ?? new Map<string, MessageTruth[]>();
    kinds.set(kind, orders);
    for (const id of firstOf(message).orders) orders.set(id, [...(orders.get(id) ?? []), message]);
  }
  return kinds;
});

/** Messages of this kind about an order, the oldest first. */
export const messagesOf = (evidence: Evidence, kind: MessageKind, order: string): readonly MessageTruth[] =>
  byKind(evidence).get(kind)?.get(order) ?? [];

/** The statuses of an order, each with its start and end; the oldest first. */
export function statusPeriods(
  order: OrderTruth,
): { readonly status: string | undefined; readonly from: number; readonly to: number }[] {
  return order.statuses.map(({ at, status }, index) => ({
    status,
    from: at,
    to: order.statuses[index + 1]?.at ?? Number.POSITIVE_INFINITY,
  }));
}

/** The statuses that an order had between two times. */
export const statusesIn = (order: OrderTruth, from: number, to: number): string[] =>
  statusPeriods(order).flatMap((period) =>
    period.from <= to && period.to > from && period.status !== undefined ? [period.status] : [],
  );

/** Whether there was no trouble between two times. */
export const isWell = ({ troubles }: Evidence, from: number, to: number): boolean =>
  !troubles.some((trouble) => trouble.from <= to && trouble.to >= from);

/** Longest time until the bot has recovered from a failure: 5 minutes, or 15 after a refused token, and one minute to spare. */
const recoveryMs = 16 * minute;

/**
 * From when on no trouble and no wait after a trouble prevents work that is due at a time and takes `lastsMs`. Waits grow while
 * one trouble follows another. A new process has no waits, but it has to read all pages.
 */
export function workableFrom(evidence: Evidence, due: number, lastsMs: number): number {
  const startMs = Math.min(2 * minute + pollsToFind(evidence, false) * evidence.setup.pollMs, longestOfAll);
  let [at, since, until] = [due, 0, 0];
  for (const trouble of evidence.troubles.toSorted((one, other) => one.from - other.from)) {
    if (trouble.from > at + lastsMs) break;
    if (trouble.from > until) since = trouble.from;
    const waitMs = trouble.kind === "process" ? startMs : waitAfter(trouble, trouble.to - since);
    until = Math.max(until, trouble.to + waitMs);
    at = Math.max(at, until);
  }
  return at;
}

/** Whether there was no trouble between two times, and no wait was left of an earlier one. */
export const hasRecovered = (evidence: Evidence, from: number, to: number): boolean =>
  workableFrom(evidence, from, to - from) === from;

/** The evidence without troubles of these kinds, for what they cannot disturb. */
export const without = (evidence: Evidence, ...kinds: readonly Trouble["kind"][]): Evidence => ({
  ...evidence,
  troubles: evidence.troubles.filter(({ kind }) => !kinds.includes(kind)),
});

/** Whether the request posts an alert, a message of a rule, a reply or a reminder. */
export const isMessage = ({ method, content = "" }: RequestTruth): boolean =>
  method === "POST" && /^(?:<@&\d+> )?(?:🔔|💰|↩️|⏰|🛍️)/.test(content);
export const wasRefused = ({ answer }: RequestTruth): boolean => answer?.status === 403 || answer?.status === 404;

/** The answered requests for messages of a channel, in the sequence of their answers. */
export const answeredIn = ({ discordRequests }: Evidence, channelId: string) =>
  discordRequests
    .flatMap(({ answer, ...one }) =>
      answer !== undefined && one.path.startsWith(`/channels/${channelId}/messages`) ? [{ ...one, answer }] : [],
    )
    .toSorted((one, other) => one.answer.at - other.answer.at);

/** A command without a clear answer may take effect within this time. */
const unclearMs = 2 * minute;

/** Whether people sent a command that may have changed settings between two times. */
export const wasChanged = ({ actions }: Evidence, from: number, to: number): boolean =>
  actions.some(({ what, asked, done = asked + unclearMs }) => what.kind !== "press" && asked <= to && done >= from);

export const isList = ({ path }: RequestTruth): boolean => path.startsWith("/open-api/checkout/order?");
export const isFirstPage = ({ path }: RequestTruth): boolean => /\/order\?(?:.*&)?page=1(?:&|$)/.test(path);

/** Whether an earlier copy of the database was put back. The copy lacks everything that happened after it was made. */
export const wasRestored = ({ troubles }: Evidence): boolean => troubles.some(({ how }) => how === "restored");

/** Whether the bot forgot everything between two times, because the store was disconnected. */
export const isForgotten = ({ actions }: Evidence, from: number, to: number): boolean =>
  actions.some(
    ({ what, asked, done = Number.POSITIVE_INFINITY }) => what.kind === "disconnect" && asked < to && done > from,
  );

export const finding = (what: string, text: string): Finding[] => [{ what, text }];

/** Makes a checker from checks of one order. */
export const ofEachOrder =
  (...checks: readonly ((evidence: Evidence, order: OrderTruth) => Finding[])[]): Checker =>
  (evidence) =>
    [...evidence.orders.values()].flatMap((order) => checks.flatMap((check) => check(evidence, order)));

/** Makes a checker from a check of one order in an alert. */
export const ofEachAlert =
  (check: (evidence: Evidence, alert: MessageTruth, order: OrderTruth) => Finding[]): Checker =>
  (evidence) =>
    [...evidence.orders.values()].flatMap((order) =>
      messagesOf(evidence, "alert", order.id).flatMap((alert) => check(evidence, alert, order)),
    );

export const timesOf = (messages: readonly { readonly at: number }[]): string =>
  `at ${messages.map(({ at }) => clockOf(at)).join(" and ")}`;

export const name = (order: OrderTruth): string => `${order.mark} (${order.id.slice(0, 8)})`;

/** Whether a restored bot may miss its earlier messages: it cannot read their channel, or no setting of the copy names it. */
export const isUnread = ({ troubles, actions }: Evidence): boolean =>
  troubles.some(({ copiedAt, from }) => {
    if (copiedAt === undefined) return false;
    const isHidden = troubles.some(
      (other) => other.kind === "channel" && other.to > copiedAt && other.from < from + recoveryMs,
    );
    const isChanged = actions.some(
      ({ what, asked, done = Number.POSITIVE_INFINITY }) =>
        (what.kind === "disconnect" || what.kind.startsWith("alerts-") || what.kind.startsWith("rule")) &&
        done > copiedAt &&
        asked < from + recoveryMs,
    );
    return isHidden || isChanged;
  });

/** Faults in which Discord refuses a message. */
export const refusals: readonly (string | undefined)[] = ["refused", "refused-together", "refused-text", "mixed"];

/**
 * Whether Discord refuses only one form of a message, for example a reply in a channel whose history is hidden. The bot sends
 * another form at once.
 */
export const isOfForm = ({ how }: Trouble): boolean =>
  how === "refused-together" || how === "refused-text" || how === "hidden";

export const pollsIfSorted = 3;

/**
 * Number of polls until the bot finds an order, if there is no trouble. New orders are at one end of a sorted list.
 * Other orders can be on any page, so the bot has to read all pages.
 */
export function pollsToFind({ setup, orders, troubles }: Evidence, isNew: boolean): number {
  const { ordering, rowsPerPage = 100 } = setup.store;
  const pages = Math.ceil(orders.size / rowsPerPage);
  const isSorted = ordering !== "by-id" && !troubles.some(({ how }) => how === "lists changed");
  return isSorted && isNew ? pollsIfSorted : pollsIfSorted + 2 * pages;
}
