import { firstChoices, longestChoice, searchFor } from "../basics/choices.ts";
import type { Locale } from "../basics/locale.ts";
import { texts } from "../locales/texts.ts";
import { type CommonStatus, documentedStatus, meaningOf, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { statusWord } from "../views/orders/status.ts";
import { label } from "../views/parts/text.ts";
import type { AlertTrigger } from "../views/settings/set-up.ts";

/** Maximum number of statuses read from a typed text. Each may need a list of its own. Stores have fewer. */
const mostStatuses = 25;

/** Returns the statuses of these orders and the documented one (`PENDING`), each once. */
export function statusesSeen(orders: readonly Order[]): string[] {
  return [...new Set([documentedStatus, ...orders.map(({ status }) => status)])].filter(Boolean);
}

/**
 * Names each status for a menu: the reader's word, followed by the store's spelling if several statuses have the same
 * word.
 */
function namesOf(seen: readonly string[], locale: Locale): ReadonlyMap<string, string> {
  const words = Map.groupBy(seen, (status) => statusWord(status, locale));
  return new Map(
    [...words].flatMap(([word, statuses]) =>
      statuses.map((status) => [status, statuses.length === 1 ? word : `${word} (${status})`] as const),
    ),
  );
}

/**
 * Lists the reader's words for common statuses, each with the status's code. A word that equals its code, apart from
 * capitals, is left out.
 */
function commonCodes(locale: Locale): (readonly [word: string, code: string])[] {
  const { none: _none, ...words } = texts(locale).statuses;
  return Object.entries(words)
    .map(([name, word]) => [statusKey(word), statusKey(name)] as const)
    .filter(([word, code]) => word !== code);
}

/**
 * Finds the store's spelling of a typed status. A typed status may be a word of the reader's language: if a person
 * chooses a suggestion and then types on, Discord sends the name of the suggestion. The first matching status of `seen`
 * counts. A word for a common status that was not seen becomes its code.
 */
function spelling(seen: readonly string[], locale: Locale): (typed: string) => string {
  const names = namesOf(seen, locale);
  // In this map earlier entries win. It is a map because comparing each status with each other would take seconds for
  // thousands.
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

/**
 * Reads statuses separated by commas, each once, the first 25; undefined if there is none. A text becomes a status of
 * `seen` if it differs only in capitals, or if it is the reader's word for it, because the API may distinguish
 * capitals.
 */
export function statusesIn(typed: string | undefined, seen: readonly string[], locale: Locale): string[] | undefined {
  const distinct = [...new Set((typed ?? "").split(",").map(spelling(seen, locale)))].filter(Boolean);
  return distinct.length > 0 ? distinct.slice(0, mostStatuses) : undefined;
}

/**
 * Suggests values for the last of several statuses, in the reader's words. The text before the last comma stays as
 * typed.
 */
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

/** The usual status of a paid order. It is used for a store in which no paid order was seen. */
const customaryPaid = "PAID";
/**
 * Words that mean only that the order is paid. They come before words such as `delivered`, because a store may deliver
 * at once or days later.
 */
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
