import type { Locale } from "../../basics/locale.ts";
import type { Stats, Sums } from "../../basics/stats.ts";
import { utcStart } from "../../basics/zones.ts";
import { texts } from "../../locales/texts.ts";
import { formatNumber } from "../parts/numbers.ts";
import { dayFormat } from "../parts/time.ts";
import { hourSpan, shortSpan, spanText } from "./stats-card.ts";

/** In pixels: more than twice the width of a phone in points, so that the picture is sharp. */
const width = 800;
const height = 540;
const margin = { left: 20, right: 20, top: 156, bottom: 56 };
/** A phone shows a pixel as about 0.4 points, so 28 pixels become 11 points. */
const fontSize = 28;
const titleSize = 36;
/** With its own background, the chart fits Discord's light and dark themes. Bars and texts have a contrast of at least 4.9. */
const colors = { ground: "#2b2d31", text: "#f2f3f5", now: "#8b93ff", before: "#949ba4", line: "#4e5058" };
/** Installed with the bot, because most server machines have no font. */
export const chartFont = "Varela";
/** More bars leave no space for numbers. */
const mostNumbered = 7;
const longestDescription = 1_024;

interface Bar {
  /** Blank if there is no space for it. */
  readonly label: string;
  readonly name: string;
  readonly now: number;
  readonly before: number;
  /** The day is not over yet. */
  readonly isOpen: boolean;
}

const escaped = (text: string) =>
  text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[\u2009\u202f\u00a0]/g, " ");

const rounded = (pixels: number) => Math.round(pixels * 10) / 10;

function text(at: { readonly x: number; readonly y: number }, content: string, anchor = "middle", size = fontSize) {
  const place = `x="${rounded(at.x)}" y="${rounded(at.y)}" text-anchor="${anchor}"`;
  return `<text ${place} font-family="${chartFont}" font-size="${size}" fill="${colors.text}">${escaped(content)}</text>`;
}

function rect(x: number, y: number, w: number, h: number, color: string, isOutline = false) {
  const radius = Math.min(4, w / 2);
  const place = `x="${rounded(x)}" y="${rounded(y)}" width="${rounded(w)}" height="${rounded(h)}" rx="${rounded(radius)}"`;
  const outline = ` fill-opacity="0.25" stroke="${color}" stroke-width="3" stroke-dasharray="8 6"`;
  return `<rect ${place} fill="${color}"${isOutline && h > 0 ? outline : ""}/>`;
}

function hourBars(now: Sums, before: Sums): Bar[] {
  return now.hours.map((orders, hour) => ({
    label: hour % 6 === 0 ? `${hour}:00` : "",
    name: hourSpan(hour),
    now: orders,
    before: before.hours[hour] ?? 0,
    isOpen: false,
  }));
}

function dayBars({ days, daysBefore, openDay }: Stats, locale: Locale): Bar[] {
  const few = days.length <= mostNumbered;
  const short = dayFormat(locale, few ? { weekday: "short" } : { day: "numeric", month: "numeric" });
  return days.map(([day, { orders }], index) => ({
    label: few || index % 6 === 2 ? short.format(utcStart(day)) : "",
    name: spanText({ from: day, to: day }, locale),
    now: orders,
    before: daysBefore[index]?.[1].orders ?? 0,
    isOpen: day === openDay,
  }));
}

function head(title: string, now: string, before: string): string[] {
  const middle = width / 2;
  return [
    text({ x: margin.left, y: 46 }, title, "start", titleSize),
    rect(margin.left, 68, 22, 22, colors.now),
    text({ x: margin.left + 32, y: 90 }, now, "start"),
    rect(middle, 68, 10, 22, colors.before),
    text({ x: middle + 20, y: 90 }, before, "start"),
  ];
}

function draw(bars: readonly Bar[], heading: readonly string[], locale: Locale): string {
  const most = Math.max(...bars.map(({ now, before }) => Math.max(now, before)), 1);
  const [inner, tall] = [width - margin.left - margin.right, height - margin.top - margin.bottom];
  const slot = inner / bars.length;
  const base = margin.top + tall;
  const up = (orders: number) => (orders / most) * tall;
  const number = (count: number) => formatNumber(count, locale, { notation: "compact" });
  const drawn = bars.flatMap(({ label, now, before, isOpen }, index) => {
    const left = margin.left + index * slot;
    const middle = left + slot / 2;
    return [
      rect(left + slot * 0.12, base - up(now), slot * 0.5, up(now), colors.now, isOpen),
      rect(left + slot * 0.68, base - up(before), slot * 0.18, up(before), colors.before),
      ...(label === "" ? [] : [text({ x: Math.min(Math.max(middle, 50), width - 50), y: height - 18 }, label)]),
      ...(bars.length <= mostNumbered && now > 0
        ? [text({ x: left + slot * 0.37, y: base - up(now) - 10 }, number(now))]
        : []),
    ];
  });
  const scale = bars.length > mostNumbered ? [text({ x: margin.left, y: margin.top - 14 }, number(most), "start")] : [];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${colors.ground}"/>`,
    ...heading,
    ...(scale.length > 0
      ? [`<path d="M${margin.left} ${margin.top}H${width - margin.right}" stroke="${colors.line}" stroke-width="2"/>`]
      : []),
    ...drawn,
    `<path d="M${margin.left} ${base}H${width - margin.right}" stroke="${colors.before}" stroke-width="2"/>`,
    ...scale,
    "</svg>",
  ].join("");
}

/**
 * An SVG with a bar for each day, or for each hour if there is only one day. Beside each bar is a bar for the preceding span.
 * The description has at most 1,024 characters.
 */
export function statsChart(stats: Stats, locale: Locale) {
  const { chart: say, notOver } = texts(locale).stats;
  const { span, before, sums, sumsBefore, days, openDay } = stats;
  const isDay = days.length <= 1;
  const bars = isDay ? hourBars(sums, sumsBefore) : dayBars(stats, locale);
  const [first] = bars.toSorted((one, other) => other.now - one.now);
  const words = (isDay ? say.day : say.days)(
    spanText(span, locale),
    spanText(before, locale),
    formatNumber(first?.now ?? 0, locale),
    first?.name ?? "",
  );
  const description = openDay === undefined ? words : `${words} ${notOver}`;
  const heading = head(isDay ? say.byHour : say.byDay, shortSpan(span, locale), shortSpan(before, locale));
  return { svg: draw(bars, heading, locale), description: description.slice(0, longestDescription), width };
}
