import { inexact } from "../basics/amounts.ts";
import type { Locale } from "../basics/locale.ts";
import { texts } from "./catalogue/catalogue.ts";
import { accent, button, container, gallery, message, row, textDisplay } from "./components.ts";
import type { ViewContext } from "./context.ts";
import { customIds } from "./custom-ids.ts";
import { money, quantity } from "./money.ts";
import { notice } from "./notice.ts";
import type { MessagePayload, PayloadFile, PostPayload } from "./payload.ts";
import { paymentMethod } from "./payment-method.ts";
import { statusView } from "./status.ts";
import { clip, plain } from "./text.ts";
import { relativeTime } from "./time.ts";

/** Something that is counted; a blank name stands for all that are not named. Amounts are exact, in 10^-8. */
interface LineView {
  readonly name: string;
  readonly count: number;
  readonly amount: string;
}

/** What some days came to. */
export interface SumsView {
  readonly orders: number;
  readonly sold: { readonly count: number; readonly amount: string };
  readonly statuses: readonly LineView[];
  readonly methods: readonly LineView[];
  readonly products: readonly { readonly title: string; readonly pieces: string }[];
  readonly otherProducts: number;
  /** Orders by the hour of the day, from 0 to 23. */
  readonly hours: readonly number[];
}

/** Days of a calendar, such as 2026-11-21; both are included. */
export interface SpanView {
  readonly from: string;
  readonly to: string;
}

/** What some days came to, against as many days before. Times are epoch ms. */
export interface StatsView {
  readonly span: SpanView;
  readonly before: SpanView;
  readonly sums: SumsView;
  readonly sumsBefore: SumsView;
  readonly readAt: number;
  readonly isWhole: boolean;
  readonly zone: string;
}

/** A chart, and what it shows in words. */
export interface Picture {
  readonly file: PayloadFile;
  /** At most 1,024 characters. */
  readonly description: string;
}

/** What a digest says beside its figures. */
export interface DigestView {
  /** Tells digests apart: it stands in the custom id of the button. */
  readonly name: string;
  /** When it was due, if that is long ago. */
  readonly lateFrom?: number | undefined;
  /** Digests before it that were never posted. */
  readonly missed: number;
}

const shownStatuses = 8;
const shownLines = 5;
const shownHours = 3;
const longestTitle = 60;
/** Discord's limit on the description of an embed. */
const longestEmbed = 4_096;

/** Days as people write them, without the year where it is the same. */
export function spanText({ from, to }: SpanView, locale: Locale): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const [first, last] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)];
  // Blanks that no phone breaks a line at would make one long word of it.
  return format.formatRange(first, last).replaceAll(/[\u2009\u202f\u00a0]/g, " ");
}

const number = (count: number, locale: Locale) => count.toLocaleString(locale);

/** How something changed; nothing where there is nothing to compare with. */
function change(now: number, before: number, locale: Locale): string {
  if (!(before > 0) || !Number.isFinite(now)) return "";
  const share = (now - before) / before;
  const text = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(
    Math.min(Math.abs(share), 99.99),
  );
  if (Math.abs(share) < 0.005) return " =";
  return ` ${share > 0 ? "▲" : "▼"} ${text}`;
}

/** Such as 09:00–10:00. */
export const hourSpan = (hour: number): string =>
  `${String(hour).padStart(2, "0")}:00–${String((hour + 1) % 24).padStart(2, "0")}:00`;

/** The hours with the most orders, as far as there are any. */
const busiest = (hours: readonly number[]) =>
  [...hours.entries()]
    .filter(([, count]) => count > 0)
    .sort(([one, count], [other, otherCount]) => otherCount - count || one - other)
    .slice(0, shownHours);

const dayMs = 86_400_000;

function headLines({ before: { from, to }, sums, sumsBefore }: StatsView, ctx: ViewContext): string[] {
  const { locale } = ctx;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  const say = texts(locale).stats;
  const amount = ({ sold }: SumsView) => money(inexact(sold.amount), ctx);
  const compared = (before: string, now: number, then: number) =>
    ` · ${say.before(days, before)}${change(now, then, locale)}`;
  const sold = say.soldOf(amount(sums), number(sums.sold.count, locale));
  return [
    `**${say.orders}:** ${number(sums.orders, locale)}${compared(number(sumsBefore.orders, locale), sums.orders, sumsBefore.orders)}`,
    `**${say.sold}:** ${sold}${compared(amount(sumsBefore), inexact(sums.sold.amount), inexact(sumsBefore.sold.amount))}`,
  ];
}

function parts({ sums }: StatsView, ctx: ViewContext): string[] {
  const { locale } = ctx;
  const say = texts(locale).stats;
  const listed = (lines: readonly LineView[], most: number, name: (line: LineView) => string) =>
    lines.slice(0, most).map((line) => {
      const named = line.name === "" ? say.others : line.name === "?" ? say.unnamed : name(line);
      return say.line(named, number(line.count, locale), money(inexact(line.amount), ctx));
    });
  const statuses = listed(sums.statuses, shownStatuses, ({ name }) => {
    const { emoji, text } = statusView(name, locale, 40);
    return `${emoji} ${text}`;
  });
  const products = sums.products.slice(0, shownLines).map(({ title, pieces }, index) => {
    const name = title === "?" ? say.unnamed : plain(title, longestTitle);
    return `${index + 1}\\. ${say.pieces(name, quantity(inexact(pieces), locale))}`;
  });
  const methods = listed(sums.methods, shownLines, ({ name }) => paymentMethod(name, locale, 40));
  const hours = busiest(sums.hours).map(([hour, count]) => say.hourLine(hourSpan(hour), number(count, locale)));
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [say.statuses, statuses],
    [say.products, products],
    [say.methods, methods],
    [say.hours, hours],
  ];
  return sections.filter(([, lines]) => lines.length > 0).map(([head, lines]) => [`**${head}**`, ...lines].join("\n"));
}

/** What is to be known of the figures, in small print, a line each. */
function smallPrint({ before, sums, readAt, isWhole, zone }: StatsView, locale: Locale): string[] {
  const say = texts(locale).stats;
  return [
    ...(isWhole ? [] : [`⚠️ ${say.notWhole}`]),
    ...(sums.otherProducts > 0 ? [`-# ${say.someProducts}`] : []),
    `-# ${[say.against(spanText(before, locale)), say.days(plain(zone, longestTitle)), say.asOf(relativeTime(readAt))].join(" · ")}`,
    `-# ${say.soldMeans}`,
  ];
}

function body(stats: StatsView, ctx: ViewContext): string {
  const say = texts(ctx.locale).stats;
  const figures = stats.sums.orders === 0 ? [say.none] : parts(stats, ctx);
  return [headLines(stats, ctx).join("\n"), ...figures, smallPrint(stats, ctx.locale).join("\n")].join("\n\n");
}

const shown = (picture: Picture) => `attachment://${picture.file.name}`;

/** The answer of `/stats`. */
export function statsCard(stats: StatsView, ctx: ViewContext, picture?: Picture): MessagePayload {
  const say = texts(ctx.locale).stats;
  const title = say.title(spanText(stats.span, ctx.locale));
  const text = textDisplay(clip(`### ${title}\n${body(stats, ctx)}`, 3_900));
  if (picture === undefined) return message([container(accent, [text])]);
  return {
    ...message([container(accent, [text, gallery([shown(picture)], picture.description)])]),
    files: [picture.file],
  };
}

/** How far the reading is, with the button that ends it. */
export function statsProgress(
  session: string,
  { read, about }: { readonly read: number; readonly about: number },
  locale: Locale,
): MessagePayload {
  const { stats: say, common } = texts(locale);
  const body = read === 0 ? say.waiting : say.progress(number(read, locale), number(about, locale));
  const cancel = button(customIds.stats.buttons.cancel.make({ session }), common.cancel);
  return notice({ title: say.reading, body, tone: "info" }, [row(cancel)]);
}

/** A digest as it is posted: its first line is what a locked phone shows. */
export function digestPost(stats: StatsView, digest: DigestView, ctx: ViewContext, picture?: Picture): PostPayload {
  const { locale } = ctx;
  const say = texts(locale).stats;
  const span = spanText(stats.span, locale);
  const { sums } = stats;
  const content = say.push(span, number(sums.orders, locale), money(inexact(sums.sold.amount), ctx));
  const apart = [
    ...(digest.lateFrom === undefined ? [] : [`⚠️ ${say.late(relativeTime(digest.lateFrom))}`]),
    ...(digest.missed > 0 ? [`⚠️ ${say.missed(number(digest.missed, locale))}`] : []),
  ];
  const description = clip([...apart, body(stats, ctx)].join("\n"), longestEmbed);
  return {
    content,
    embeds: [
      {
        title: say.title(span),
        description,
        color: accent,
      },
    ],
    components: [row(button(customIds.stats.buttons.today.make({ of: digest.name }), say.today))],
    allowed_mentions: { parse: [] },
    // A file by itself, and not the picture of the embed, which would lose its words.
    ...(picture === undefined
      ? {}
      : {
          files: [picture.file],
          attachments: [{ id: "0", filename: picture.file.name, description: picture.description }],
        }),
  };
}
