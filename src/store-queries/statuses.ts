import { firstChoices, longestChoice, searchFor } from "../basics/choices.ts";
import type { Locale } from "../basics/locale.ts";
import { texts } from "../locales/texts.ts";
import { type CommonStatus, documentedStatus, meaningOf, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { statusWord } from "../views/orders/status.ts";
import { label } from "../views/parts/text.ts";
import type { AlertTrigger } from "../views/settings/set-up.ts";

/** Maximum number of statuses read from a typed text. Each may need a list of its own. */
const mostStatuses = 25;

/** Returns the statuses of these orders and the documented one (`PENDING`), each once. */
export function statusesSeen(orders: readonly Order[]): string[] {
  return [...new Set([documentedStatus, ...orders.map(({ status }) => status)])].filter(Boolean);
}

/** Names each status for a menu: the reader's word, and the store's spelling if several statuses have the same word. */
function namesOf(seen: readonly string[], locale: Locale): ReadonlyMap<string, string> {
  const words = Map.groupBy(seen, (status) => statusWord(status, locale));
  return new Map(
    [...words].flatMap(([word, statuses]) =>
      statuses.map((status) => [status, statuses.length === 1 ? word : `${word} (${status})`] as const),
    ),
  );
}

/** Lists the reader's words for common statuses that differ from the status's code, each with the code. */
function commonCodes(locale: Locale): (readonly [word: string, code: string])[] {
  const { none: _none, ...words } = texts(locale).statuses;
  return Object.entries(words)
    .map(([name, word]) => [statusKey(word), statusKey(name)] as const)
    .filter(([word, code]) => word !== code);
}

/**
 * Makes a function that finds the store's spelling of a typed status. The status may be a word of the reader's language,
 * because Discord sends a suggestion's name if a person types on. A word for an unseen common status becomes its code.
 */
function spelling(seen: readonly string[], locale: Locale): (typed: string) => string {
  const names = namesOf(seen, locale);
  // The entries are reversed so that earlier ones win.
  const spelled = new Map(
    [
      ...seen.map((status) => [statusKey(status), status] as const),
      ...seen.map((status) => [statusKey(names.get(status) ?? status), status] as const),
      ...seen.map((status) => [statusKey(statusWord(status, locale)), status] as const),
      ...commonCodes(locale),
    ].reverse(),
  );
  return (typed) => spelled.get(statusKey(typed)) ?? typed.trim();
}

/** Reads statuses separated by commas in the store's spelling, each once, the first 25; undefined if there is none. */
export function statusesIn(typed: string | undefined, seen: readonly string[], locale: Locale): string[] | undefined {
  const distinct = [...new Set((typed ?? "").split(",").map(spelling(seen, locale)))].filter(Boolean);
  return distinct.length > 0 ? distinct.slice(0, mostStatuses) : undefined;
}

/** Suggests values for the last of several statuses, in the reader's words. */
export function suggestStatuses(typed: string, seen: readonly string[], locale: Locale) {
  const names = namesOf(seen, locale);
  const parts = typed.split(",");
  const isWanted = searchFor(parts.pop() ?? "");
  const before = new Set(parts.map(spelling(seen, locale)).filter(Boolean));
  const start = [...before].map((status) => `${status},`).join("");
  const namesBefore = [...before].map((status) => `${names.get(status) ?? status}, `).join("");
  return firstChoices(seen, (status) => {
    const value = start + status;
    const name = names.get(status) ?? status;
    if (value.length > longestChoice || before.has(status) || ![status, name].some(isWanted)) return undefined;
    return { name: label(namesBefore + name, longestChoice), value };
  });
}

/** The status for a store in which no paid order was seen. */
const customaryPaid = "PAID";
/** Words that mean only that the order is paid. They come before words such as `delivered`. */
const paidWords: ReadonlySet<CommonStatus | undefined> = new Set(["paid", "approved"]);

function seenMost(orders: readonly Order[], wanted: (meaning: ReturnType<typeof meaningOf>) => boolean) {
  const counts = new Map<string, number>();
  for (const { status } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one);
  return most.find(([status]) => wanted(meaningOf(status)))?.[0];
}

/** Returns the store's statuses that belong to the trigger (new, paid, both) that a person chose. */
export function statusesFor(rings: AlertTrigger, recent: readonly Order[]): string[] {
  const placed = seenMost(recent, ({ stage }) => stage === "waiting") ?? documentedStatus;
  const paid =
    seenMost(recent, ({ word }) => paidWords.has(word)) ??
    seenMost(recent, ({ stage }) => stage === "good") ??
    customaryPaid;
  return { new: [placed], paid: [paid], both: [placed, paid] }[rings];
}
