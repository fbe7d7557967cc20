import { firstChoices, longestChoice, searchFor } from "../basics/choices.ts";
import type { Locale } from "../basics/locale.ts";
import { texts } from "../locales/texts.ts";
import { type CommonStatus, documentedStatus, meaningOf, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { statusWord } from "../views/orders/status.ts";
import { label } from "../views/parts/text.ts";
import type { AlertTrigger } from "../views/settings/set-up.ts";

/** Statuses that are taken of what was typed: each may be a list of its own. A store has fewer. */
const mostStatuses = 25;

/** Every status that these orders have, and the documented one, each once. */
export function statusesSeen(orders: readonly Order[]): string[] {
  return [...new Set([documentedStatus, ...orders.map(({ status }) => status)])].filter(Boolean);
}

/** What each status is called in a menu: the reader's word, with the store's own spelling beside it where several have that word. */
function namesOf(seen: readonly string[], locale: Locale): ReadonlyMap<string, string> {
  const words = Map.groupBy(seen, (status) => statusWord(status, locale));
  return new Map(
    [...words].flatMap(([word, statuses]) =>
      statuses.map((status) => [status, statuses.length === 1 ? word : `${word} (${status})`] as const),
    ),
  );
}

/** Codes of the common statuses by the reader's words for them, where these are more than the code in other capitals. */
function commonCodes(locale: Locale): (readonly [word: string, code: string])[] {
  const { none: _none, ...words } = texts(locale).statuses;
  return Object.entries(words)
    .map(([name, word]) => [statusKey(word), statusKey(name)] as const)
    .filter(([word, code]) => word !== code);
}

/**
 * The store's spelling of what was typed. Once a suggestion is chosen, Discord shows its name, and takes that for typed when somebody
 * types on: so words of the reader's language are understood, too. The first status of `seen` that a text fits counts; a word for a
 * common one that was not seen becomes its code.
 */
function spelling(seen: readonly string[], locale: Locale): (typed: string) => string {
  const names = namesOf(seen, locale);
  // The first of each that was seen. Compared with each other, thousands of either take seconds.
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
 * Statuses typed with commas between them, each once, the first 25; undefined when there is none. One that differs from a status of
 * `seen` by its capitals only, or is the reader's word for it, becomes that one, for the API may tell them apart.
 */
export function statusesIn(typed: string | undefined, seen: readonly string[], locale: Locale): string[] | undefined {
  const distinct = [...new Set((typed ?? "").split(",").map(spelling(seen, locale)))].filter(Boolean);
  return distinct.length > 0 ? distinct.slice(0, mostStatuses) : undefined;
}

/** Suggestions for the last of several statuses, in the reader's words: what was typed before its comma stays. */
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

/** What stores call a paid order, where none was seen yet. */
const customaryPaid = "PAID";
/** What an order is called when it is paid; a store may deliver it at once, or days later. */
const paidWords: ReadonlySet<CommonStatus | undefined> = new Set(["paid", "approved"]);

/** Of the statuses that are `wanted`, the one that most orders have. */
function seenMost(orders: readonly Order[], wanted: (meaning: ReturnType<typeof meaningOf>) => boolean) {
  const counts = new Map<string, number>();
  for (const { status } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one);
  return most.find(([status]) => wanted(meaningOf(status)))?.[0];
}

/** The statuses behind what a person chose in words, as this store calls them. */
export function statusesFor(rings: AlertTrigger, recent: readonly Order[]): string[] {
  const placed = seenMost(recent, ({ stage }) => stage === "waiting") ?? documentedStatus;
  const paid =
    seenMost(recent, ({ word }) => paidWords.has(word)) ??
    seenMost(recent, ({ stage }) => stage === "good") ??
    customaryPaid;
  return { new: [placed], paid: [paid], both: [placed, paid] }[rings];
}
