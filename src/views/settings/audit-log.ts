import { isDiscordId } from "../../basics/discord-id.ts";
import { type Locale, languageNames } from "../../basics/locale.ts";
import type { Texts } from "../../locales/shape.ts";
import { texts } from "../../locales/texts.ts";
import { accent, container, message, textDisplay } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import { pageRow } from "../parts/list-page.ts";
import { quantity } from "../parts/money.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { code, dash, plain } from "../parts/text.ts";
import { dateTime } from "../parts/time.ts";

const mention = (sign: "@" | "@&" | "#", what: string) => (isDiscordId(what) ? `<${sign}${what}>` : dash);
const inWords = (words: Readonly<Record<string, string>>, what: string) =>
  new Map(Object.entries(words)).get(what) ?? plain(what, 60);

/** Acts are stored under these keys for 90 days, so do not rename a key. `what` is an id, a name, a number or a value. */
const sentences = {
  connected: ({ auditLog }) => auditLog.connected,
  currency: ({ auditLog, settings }, what) =>
    auditLog.set(settings.currency, what === "" ? settings.plainNumbers : plain(what, 10)),
  language: ({ auditLog, settings }, what) => auditLog.set(settings.language, inWords(languageNames, what)),
  privacy({ auditLog, settings }, what) {
    const words = { none: settings.privacyNone, masked: settings.privacyMasked, full: settings.privacyFull };
    return auditLog.set(settings.privacy, inWords(words, what));
  },
  staff: ({ auditLog, settings }, what) =>
    auditLog.set(settings.staff, what === "" ? settings.nobody : mention("@&", what)),
  timezone: ({ auditLog, settings }, what) => auditLog.set(settings.timezone, plain(what, 60)),
  alerts_on: ({ auditLog }, what) => auditLog.alertsOn(mention("#", what)),
  alerts_moved: ({ auditLog }, what) => auditLog.alertsMoved(mention("#", what)),
  alerts_changed: ({ auditLog }, what) => auditLog.alertsChanged(mention("#", what)),
  alerts_off: ({ auditLog }) => auditLog.alertsOff,
  product_created: ({ auditLog }, what) => auditLog.productCreated(code(what, 66)),
  exported: ({ auditLog, orders, products }, what) =>
    auditLog.exported(inWords({ orders: orders.list, products: products.list }, what)),
  import_begun: ({ auditLog }, what) => auditLog.importStarted(plain(what, 10)),
  reminders: ({ auditLog }, what) => auditLog.set(auditLog.reminders, what === "" ? auditLog.off : plain(what, 20)),
  digest_set: ({ auditLog }, what) => auditLog.digestSet(mention("#", what)),
  digest_off: ({ auditLog }) => auditLog.digestOff,
  route_added: ({ auditLog }, what) => auditLog.routeAdded(plain(what, 60)),
  route_moved: ({ auditLog }, what) => auditLog.routeMoved(plain(what, 60)),
  route_removed: ({ auditLog }, what) => auditLog.routeRemoved(plain(what, 60)),
} satisfies Record<string, (say: Texts, what: string) => string>;

export type AuditAct = keyof typeof sentences;
export const auditActs = Object.keys(sentences) as AuditAct[];

/**
 * Acts of one kind by one person on one day. Times are epoch ms. `did` may be an act of a later version of the bot. `what` may
 * be anybody's text.
 */
export interface AuditEntryView {
  readonly at: number;
  readonly firstAt: number;
  readonly times: number;
  readonly by: string;
  readonly did: string;
  /** "" if the acts have no object, null if they have different objects. */
  readonly what: string | null;
}

/** An entry is a line of at most 220 units. */
export const auditPageSize = 15;

function sentenceOf(did: string, what: string, locale: Locale): string {
  const say = texts(locale);
  const act = auditActs.find((known) => known === did);
  return act === undefined ? say.auditLog.unknown : sentences[act](say, what);
}

function entryLine({ at, firstAt, times, by, did, what }: AuditEntryView, locale: Locale): string {
  const { auditLog: say } = texts(locale);
  const count = quantity(times, locale);
  const often = what === null ? say.timesOfSeveral : say.times;
  return [
    dateTime(at),
    mention("@", by),
    sentenceOf(did, what ?? dash, locale),
    ...(times > 1 ? [often(count, dateTime(firstAt))] : []),
  ].join(" · ");
}

/** People and roles appear as mentions, but nobody is notified. */
export function auditPage(
  { entries, ...at }: { readonly entries: readonly AuditEntryView[]; readonly page: number; readonly last: number },
  locale: Locale,
): MessagePayload {
  const { auditLog: say } = texts(locale);
  const lines = entries.slice(0, auditPageSize).map((entry) => entryLine(entry, locale));
  const to = (target: number) => customIds.store.buttons.log.make({ page: target });
  return message([
    container(accent, [
      textDisplay(`### ${say.title}`),
      textDisplay(lines.length === 0 ? say.empty : lines.join("\n")),
      textDisplay(`-# ${say.kept}`),
    ]),
    ...(at.last > 1 ? pageRow(to, at, locale) : []),
  ]);
}
