import { type Locale, languageNames } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { accent, button, container, message, row, textDisplay } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import { quantity } from "../parts/money.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { code, dash, plain } from "../parts/text.ts";
import { dateTime } from "../parts/time.ts";

/** What the audit log of a server names: each has its words in `src/locales/`, and stays in storage for 90 days. */
export const auditActs = [
  "connected",
  "currency",
  "language",
  "privacy",
  "staff",
  "timezone",
  "alerts_on",
  "alerts_moved",
  "alerts_changed",
  "alerts_off",
  "product_created",
  "exported",
  "import_begun",
  "reminders",
  "digest_set",
  "digest_off",
  "route_added",
  "route_moved",
  "route_removed",
] as const;
export type AuditAct = (typeof auditActs)[number];

/**
 * Who did what, how often on one day, and when for the first and for the last time (epoch ms). `did` may be an act that only a
 * later version knows; `what` is of anybody's making.
 */
export interface AuditEntryView {
  readonly at: number;
  readonly firstAt: number;
  readonly times: number;
  readonly by: string;
  readonly did: string;
  /** The channel, role, product or value that it is about, or nothing; null where it was about several. */
  readonly what: string | null;
}

/** Entries on one page: each is a line of at most 220 units. */
export const auditPageSize = 15;

const id = /^\d{1,20}$/;
const mention = (sign: "@" | "@&" | "#", what: string) => (id.test(what) ? `<${sign}${what}>` : dash);
const known = (did: string): AuditAct | undefined => auditActs.find((act) => act === did);
/** A value as the reader's words for it, or as it stands. */
const inWords = (words: Readonly<Record<string, string>>, what: string) =>
  Object.hasOwn(words, what) ? (words[what] ?? dash) : plain(what, 60);

function sentence(did: string, what: string, locale: Locale): string {
  const { auditLog: say, settings, orders, products } = texts(locale);
  const act = known(did);
  switch (act) {
    case undefined:
      return say.unknown;
    case "connected":
      return say.connected;
    case "alerts_off":
      return say.alertsOff;
    case "alerts_on":
      return say.alertsOn(mention("#", what));
    case "alerts_moved":
      return say.alertsMoved(mention("#", what));
    case "alerts_changed":
      return say.alertsChanged(mention("#", what));
    case "digest_set":
      return say.digestSet(mention("#", what));
    case "digest_off":
      return say.digestOff;
    case "route_added":
      return say.routeAdded(plain(what, 60));
    case "route_moved":
      return say.routeMoved(plain(what, 60));
    case "route_removed":
      return say.routeRemoved(plain(what, 60));
    case "product_created":
      return say.productCreated(code(what, 66));
    case "reminders":
      return say.set(say.reminders, what === "" ? say.off : plain(what, 20));
    case "exported":
      return say.exported(inWords({ orders: orders.list, products: products.list }, what));
    case "import_begun":
      return say.importBegun(plain(what, 10));
    case "currency":
      return say.set(settings.currency, what === "" ? settings.plainNumbers : plain(what, 10));
    case "language":
      return say.set(settings.language, inWords(languageNames, what));
    case "privacy": {
      const words = { none: settings.privacyNone, masked: settings.privacyMasked, full: settings.privacyFull };
      return say.set(settings.privacy, inWords(words, what));
    }
    case "staff":
      return say.set(settings.staff, what === "" ? settings.nobody : mention("@&", what));
    case "timezone":
      return say.set(settings.timezone, plain(what, 60));
  }
}

function entryLine({ at, firstAt, times, by, did, what }: AuditEntryView, locale: Locale): string {
  const { auditLog: say } = texts(locale);
  const count = quantity(times, locale);
  const often = what === null ? say.timesOfSeveral : say.times;
  return [
    dateTime(at),
    mention("@", by),
    sentence(did, what ?? dash, locale),
    ...(times > 1 ? [often(count, dateTime(firstAt))] : []),
  ].join(" · ");
}

/** A page of who did what, the newest first. People and roles are named by mentions, which ping nobody. */
export function auditPage(
  {
    entries,
    page,
    hasMore,
  }: { readonly entries: readonly AuditEntryView[]; readonly page: number; readonly hasMore: boolean },
  locale: Locale,
): MessagePayload {
  const { auditLog: say, common } = texts(locale);
  const lines = entries.slice(0, auditPageSize).map((entry) => entryLine(entry, locale));
  const to = (target: number) => customIds.store.buttons.log.make({ page: target });
  const turn = row(
    button(to(Math.max(page - 1, 1)), common.previous, { disabled: page <= 1 }),
    button(to(page + 1), common.next, { disabled: !hasMore }),
  );
  return message([
    container(accent, [
      textDisplay(`### ${say.title}`),
      textDisplay(lines.length === 0 ? say.empty : lines.join("\n")),
      textDisplay(`-# ${say.kept}`),
    ]),
    ...(page > 1 || hasMore ? [turn] : []),
  ]);
}
