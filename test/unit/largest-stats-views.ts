import type { ViewContext } from "../../src/views/parts/context.ts";
import { statsChart } from "../../src/views/reports/chart.ts";
import {
  digestPost,
  hourSpan,
  type SumsView,
  shortSpan,
  spanText,
  statsCard,
  statsDetails,
  statsProgress,
} from "../../src/views/reports/stats.ts";
import { type Filler, LONG_NUMBER } from "./hostile-support.ts";

const span = { from: "2025-11-22", to: "2026-11-21" };

function statsOf(fill: Filler) {
  const amount = String(10n ** 39n);
  const lines = Array.from({ length: 21 }, () => ({ name: fill(60), count: LONG_NUMBER, amount }));
  const sums: SumsView = {
    orders: LONG_NUMBER,
    sold: { count: LONG_NUMBER, amount },
    statuses: lines,
    methods: lines,
    products: Array.from({ length: 50 }, () => ({ title: fill(80), pieces: amount })),
    otherProducts: LONG_NUMBER,
    hours: new Array<number>(24).fill(LONG_NUMBER),
  };
  const days = Array.from({ length: 30 }, () => [span.from, sums] as const);
  const stats = {
    span,
    before: span,
    sums,
    sumsBefore: sums,
    readAt: LONG_NUMBER,
    isWhole: false,
    zone: fill(64),
    openDay: span.to,
  };
  return { ...stats, days, daysBefore: days };
}

const file = { name: "orders.png", contentType: "image/png", data: Buffer.from("png") };
const picture = { file, description: "x".repeat(1_024) };

/** Every function of `src/views/reports/stats.ts` and `src/views/reports/chart.ts` with its largest input. */
export const largestStatsViews: Readonly<Record<string, (fill: Filler, ctx: ViewContext) => () => unknown>> = {
  statsCard: (fill, ctx) => {
    const stats = statsOf(fill);
    return () => statsCard(stats, ctx, picture);
  },
  statsDetails: (fill, ctx) => {
    const stats = statsOf(fill);
    return () => statsDetails(stats, ctx);
  },
  shortSpan:
    (_, { locale }) =>
    () =>
      shortSpan(span, locale),
  digestPost: (fill, ctx) => {
    const stats = statsOf(fill);
    return () => digestPost(stats, { name: "week.2026-11-16", lateFrom: 1, missed: LONG_NUMBER }, ctx, picture);
  },
  statsProgress:
    (_, { locale }) =>
    () =>
      statsProgress("x".repeat(12), { read: LONG_NUMBER, about: LONG_NUMBER }, locale),
  spanText:
    (_, { locale }) =>
    () =>
      spanText(span, locale),
  hourSpan: () => () => hourSpan(23),
  statsChart: (fill, { locale }) => {
    const stats = statsOf(fill);
    return () => statsChart(stats, locale);
  },
};
