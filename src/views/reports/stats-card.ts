import { inexact } from "../../basics/exact-amounts.ts";
import type { Locale } from "../../basics/locale.ts";
import { blankName, otherNames, type Span, type Stats, type Sums, type SumsLine } from "../../basics/stats.ts";
import { daysFrom, utcStart } from "../../basics/zones.ts";
import { texts } from "../../locales/texts.ts";
import { meaningOf } from "../../store-api/order-status.ts";
import { paymentMethod } from "../orders/payment-method.ts";
import { statusView } from "../orders/status.ts";
import {
  accent,
  button,
  buttonRow,
  container,
  gallery,
  message,
  textBudget,
  textDisplay,
} from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { money, quantity } from "../parts/money.ts";
import { notice } from "../parts/notice.ts";
import { formatNumber } from "../parts/numbers.ts";
import type { MessagePayload, PayloadFile, PostPayload } from "../parts/payload.ts";
import { clip, plain, warning } from "../parts/text.ts";
import { dayFormat, relativeTime } from "../parts/time.ts";

export interface Picture {
  readonly file: PayloadFile;
  readonly description: string;
}

export interface DigestView {
  /** The digest's name in the custom id of its button. */
  readonly name: string;
  /** When the digest was due, in epoch ms. Set only if it is more than 10 minutes late. */
  readonly lateFrom?: number | undefined;
  readonly missed: number;
}

const shownStatuses = 8;
const shownLines = 5;
const shownHours = 3;
const longestTitle = 60;
/** Discord's limit. */
const longestEmbed = 4_096;

/** Non-breaking spaces would keep a phone from breaking the line. */
const spaced = (text: string) => text.replaceAll(/[\u2009\u202f\u00a0]/g, " ");

/** If both days are in one year, the year appears once. */
export function spanText({ from, to }: Span, locale: Locale): string {
  return spaced(dayFormat(locale, { dateStyle: "medium" }).formatRange(utcStart(from), utcStart(to)));
}

export function shortSpan({ from, to }: Span, locale: Locale): string {
  return spaced(dayFormat(locale, { day: "numeric", month: "short" }).formatRange(utcStart(from), utcStart(to)));
}

function change(now: number, before: number, locale: Locale): string {
  if (!(before > 0) || !Number.isFinite(now)) return "";
  const share = (now - before) / before;
  const text = formatNumber(Math.min(Math.abs(share), 99.99), locale, { style: "percent", maximumFractionDigits: 0 });
  if (Math.abs(share) < 0.005) return " =";
  return ` ${share > 0 ? "▲" : "▼"} ${text}`;
}

/** 09:00–10:00 */
export const hourSpan = (hour: number): string =>
  `${String(hour).padStart(2, "0")}:00–${String((hour + 1) % 24).padStart(2, "0")}:00`;

const busiest = (hours: readonly number[]) =>
  [...hours.entries()]
    .filter(([, count]) => count > 0)
    .sort(([one, count], [other, otherCount]) => otherCount - count || one - other)
    .slice(0, shownHours);

function headLines({ before: { from, to }, sums, sumsBefore }: Stats, ctx: ViewContext): string[] {
  const { locale } = ctx;
  const days = daysFrom(from, to).length;
  const say = texts(locale).stats;
  const amount = ({ sold }: Sums) => money(inexact(sold.amount), ctx);
  const compared = (before: string, now: number, then: number) =>
    ` · ${say.before(days, before)}${change(now, then, locale)}`;
  const sold = say.soldOf(amount(sums), formatNumber(sums.sold.count, locale));
  const waiting = sums.statuses.filter(({ name }) => meaningOf(name).stage === "waiting");
  const waitingCount = waiting.reduce((sum, { count }) => sum + count, 0);
  const waitingAmount = waiting.reduce((sum, line) => sum + BigInt(line.amount), 0n);
  return [
    `**${say.orders}:** ${formatNumber(sums.orders, locale)}${compared(formatNumber(sumsBefore.orders, locale), sums.orders, sumsBefore.orders)}`,
    `**${say.sold}:** ${sold}${compared(amount(sumsBefore), inexact(sums.sold.amount), inexact(sumsBefore.sold.amount))}`,
    `**${say.waitsForPayment}:** ${formatNumber(waitingCount, locale)} · ${money(inexact(String(waitingAmount)), ctx)}`,
  ];
}

function sections({ sums }: Stats, ctx: ViewContext): string[] {
  const { locale } = ctx;
  const say = texts(locale).stats;
  const listed = (lines: readonly SumsLine[], most: number, name: (line: SumsLine) => string) =>
    lines.slice(0, most).map((line) => {
      const named = line.name === otherNames ? say.others : line.name === blankName ? say.unnamed : name(line);
      return say.line(named, formatNumber(line.count, locale), money(inexact(line.amount), ctx));
    });
  const statuses = listed(sums.statuses, shownStatuses, ({ name }) => {
    const { emoji, text } = statusView(name, locale, 40);
    return `${emoji} ${text}`;
  });
  const products = sums.products.slice(0, shownLines).map(({ title, pieces }, index) => {
    const name = title === blankName ? say.unnamed : plain(title, longestTitle);
    return `${index + 1}\\. ${say.pieces(name, quantity(inexact(pieces), locale))}`;
  });
  const methods = listed(sums.methods, shownLines, ({ name }) => paymentMethod(name, locale, 40));
  const hours = busiest(sums.hours).map(([hour, count]) => say.hourLine(hourSpan(hour), formatNumber(count, locale)));
  const all: readonly (readonly [head: string, of: string, lines: readonly string[]])[] = [
    [say.statuses, say.ofAll, statuses],
    [say.products, say.ofSold, products],
    [say.methods, say.ofSold, methods],
    [say.hours, say.ofAll, hours],
  ];
  return all
    .filter(([, , lines]) => lines.length > 0)
    .map(([head, of, lines]) => [`**${head}** · ${of}`, ...lines].join("\n"));
}

const source = ({ zone, readAt }: Stats, locale: Locale): string => {
  const say = texts(locale).stats;
  return `${say.days(plain(zone, longestTitle))} · ${say.asOf(relativeTime(readAt))}`;
};

function body(stats: Stats, ctx: ViewContext): string {
  const { before, sums, isWhole } = stats;
  const { locale } = ctx;
  const say = texts(locale).stats;
  return [
    ...headLines(stats, ctx),
    ...(sums.orders === 0 ? [say.none] : []),
    ...(isWhole ? [] : [warning(say.notWhole)]),
    `-# ${say.against(spanText(before, locale))} · ${source(stats, locale)}`,
    `-# ${say.soldMeans}`,
  ].join("\n");
}

function heading({ span, openDay }: Stats, locale: Locale): string {
  const say = texts(locale).stats;
  const title = `### ${say.title(spanText(span, locale))}`;
  return openDay === undefined ? title : `${title}\n${say.notOver}`;
}

function detailsButton({ span, zone, sums }: Stats, locale: Locale) {
  const id = customIds.stats.buttons.details.makeIfFits({ ...span, zone });
  return sums.orders === 0 || id === undefined ? [] : [button(id, texts(locale).setUp.details)];
}

const shown = (picture: Picture) => `attachment://${picture.file.name}`;

export function statsCard(stats: Stats, ctx: ViewContext, picture?: Picture): MessagePayload {
  const { locale } = ctx;
  const card = container(accent, [
    textDisplay(heading(stats, locale)),
    ...(picture === undefined ? [] : [gallery([shown(picture)], picture.description)]),
    textDisplay(body(stats, ctx)),
  ]);
  return { ...message([card, ...buttonRow(...detailsButton(stats, locale))]), files: picture && [picture.file] };
}

export function statsDetails(stats: Stats, ctx: ViewContext): MessagePayload {
  const { locale } = ctx;
  const say = texts(locale).stats;
  const parts = stats.sums.orders === 0 ? [say.none] : sections(stats, ctx);
  const smallPrint = [
    ...(stats.isWhole ? [] : [warning(say.notWhole)]),
    ...(stats.sums.otherProducts > 0 ? [`-# ${say.someProducts}`] : []),
    `-# ${source(stats, locale)}`,
    `-# ${say.soldMeans}`,
  ].join("\n");
  const text = [heading(stats, locale), ...parts, smallPrint].join("\n\n");
  return message([container(accent, [textDisplay(clip(text, textBudget))])]);
}

export function statsProgress(
  session: string,
  { read, about }: { readonly read: number; readonly about: number },
  locale: Locale,
): MessagePayload {
  const { stats: say, common } = texts(locale);
  const body = read === 0 ? common.waiting : say.progress(formatNumber(read, locale), formatNumber(about, locale));
  const cancel = button(customIds.stats.buttons.cancel.make({ session }), common.cancel);
  return notice({ title: say.reading, body, tone: "info" }, cancel);
}

export function digestPost(stats: Stats, digest: DigestView, ctx: ViewContext, picture?: Picture): PostPayload {
  const { locale } = ctx;
  const say = texts(locale).stats;
  const span = spanText(stats.span, locale);
  const { sums } = stats;
  const content = say.push(span, formatNumber(sums.orders, locale), money(inexact(sums.sold.amount), ctx));
  const apart = [
    ...(digest.lateFrom === undefined ? [] : [warning(say.late(relativeTime(digest.lateFrom)))]),
    ...(digest.missed > 0 ? [warning(say.missed(formatNumber(digest.missed, locale)))] : []),
  ];
  const description = clip([...apart, body(stats, ctx)].join("\n"), longestEmbed);
  return {
    content,
    embeds: [{ title: say.title(span), description, color: accent }],
    components: buttonRow(
      ...detailsButton(stats, locale),
      button(customIds.stats.buttons.today.make({ of: digest.name }), say.today),
    ),
    allowed_mentions: { parse: [] },
    // The picture is a file beside the embed. Inside the embed it would lose its description.
    files: picture && [picture.file],
    attachments: picture && [{ id: "0", filename: picture.file.name, description: picture.description }],
  };
}
