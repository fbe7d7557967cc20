import { mostTypedStatuses } from "../src/basics/limits/limits-in-texts.ts";
import type { Locale } from "../src/basics/locale.ts";
import { texts } from "../src/locales/texts.ts";
import { type CommonStatus, documentedStatus, hasStatus, meaningOf, statusKey } from "../src/store-api/order-status.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { statusWord } from "../src/views/orders/status.ts";
import { ProblemError } from "../src/views/parts/problem.ts";
import { suggest } from "../src/views/parts/suggest.ts";
import type { AlertTrigger } from "../src/views/settings/set-up.ts";

/** The statuses of these orders, and the documented status (`PENDING`). */
export function statusesSeen(orders: readonly Order[]): string[] {
  return [...new Set([documentedStatus, ...orders.map(({ status }) => status)])].filter(Boolean);
}

function namesOf(seen: readonly string[], locale: Locale): ReadonlyMap<string, string> {
  const words = Map.groupBy(seen, (status) => statusWord(status, locale));
  return new Map(
    [...words].flatMap(([word, statuses]) =>
      statuses.map((status) => [status, statuses.length === 1 ? word : `${word} (${status})`] as const),
    ),
  );
}

/** Keys are words in the reader's language ({@link statusKey}), values are codes such as `PAID`. */
function commonCodes(locale: Locale): ReadonlyMap<string, string> {
  const { none: _none, ...words } = texts(locale).statuses;
  return new Map(Object.entries(words).map(([name, word]) => [statusKey(word), statusKey(name)]));
}

/**
 * Returns a function that changes a typed status into the store's spelling. The typed text may be the name of a suggestion,
 * because Discord sends the name if a person picks a suggestion and types more. A common status in another spelling or language
 * becomes the spelling that was seen in the store. If none was seen, a word in the reader's language becomes the status's code,
 * and any other spelling is written in capitals. An unknown status stays as typed.
 */
function spelling(seen: readonly string[], locale: Locale): (typed: string) => string {
  const names = namesOf(seen, locale);
  // The entries are reversed, so that an earlier entry replaces a later one.
  const spelled = new Map(
    [
      ...seen.map((status) => [statusKey(status), status] as const),
      ...seen.map((status) => [statusKey(names.get(status) ?? status), status] as const),
      ...seen.map((status) => [statusKey(statusWord(status, locale)), status] as const),
    ].reverse(),
  );
  const codes = commonCodes(locale);
  const inCapitals = (typed: string) => (meaningOf(typed).word ? statusKey(typed) : typed.trim());
  // `seen` begins with the documented status, which perhaps no order has. So the last status with this meaning is taken.
  const sameMeaning = (typed: string) => {
    const { word } = meaningOf(typed);
    return word && seen.findLast((status) => meaningOf(status).word === word);
  };
  return (typed) =>
    spelled.get(statusKey(typed)) ?? sameMeaning(typed) ?? codes.get(statusKey(typed)) ?? inCapitals(typed);
}

/** Reads statuses separated by commas. Undefined if there is none. Throws a `ProblemError` if there are too many. */
export function statusesIn(typed: string | undefined, seen: readonly string[], locale: Locale): string[] | undefined {
  const distinct = [...new Set((typed ?? "").split(",").map(spelling(seen, locale)))].filter(Boolean);
  if (distinct.length > mostTypedStatuses) throw new ProblemError({ code: "too_many_statuses" });
  return distinct.length > 0 ? distinct : undefined;
}

/** Statuses that are not common, and were not seen in the store. */
export const unknownStatuses = (statuses: readonly string[], seen: readonly string[]): string[] =>
  statuses.filter((status) => meaningOf(status).word === undefined && !hasStatus({ status }, seen));

/** Suggests statuses for the text after the last comma. The names are in the reader's language. */
export function suggestStatuses(typed: string, seen: readonly string[], locale: Locale) {
  const names = namesOf(seen, locale);
  const nameOf = (status: string) => names.get(status) ?? status;
  const parts = typed.split(",");
  const last = parts.pop() ?? "";
  const before = new Set(parts.map(spelling(seen, locale)).filter(Boolean));
  const start = [...before].map((status) => `${status},`).join("");
  const namesBefore = [...before].map((status) => `${nameOf(status)}, `).join("");
  return suggest(
    last,
    seen.filter((status) => !before.has(status)),
    (status) => ({ name: namesBefore + nameOf(status), value: start + status }),
    (status) => [status, nameOf(status)],
  );
}

const customaryPaid = "PAID";
/** These words mean only that the order is paid. They are preferred to words that mean more, for example `delivered`. */
const paidWords: ReadonlySet<CommonStatus | undefined> = new Set(["paid", "approved"]);

function seenMost(orders: readonly Order[], wanted: (meaning: ReturnType<typeof meaningOf>) => boolean) {
  const counts = new Map<string, number>();
  for (const { status } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one);
  return most.find(([status]) => wanted(meaningOf(status)))?.[0];
}

export function statusesFor(rings: AlertTrigger, recent: readonly Order[]): string[] {
  const placed = seenMost(recent, ({ stage }) => stage === "waiting") ?? documentedStatus;
  const paid =
    seenMost(recent, ({ word }) => paidWords.has(word)) ??
    seenMost(recent, ({ stage }) => stage === "good") ??
    customaryPaid;
  return { new: [placed], paid: [paid], both: [placed, paid] }[rings];
}
