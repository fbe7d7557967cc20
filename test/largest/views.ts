import { locales } from "../../src/basics/locale.ts";
import type { Stats, Sums } from "../../src/basics/stats.ts";
import {
  type AlertOrder,
  alertBatchSize,
  alertMessage,
  paidMessage,
  refundMessage,
  reminderMessage,
} from "../../src/views/alerts/alert-message.ts";
import { fallbackNote, unsureNote } from "../../src/views/alerts/alert-notes.ts";
import { hiddenMark } from "../../src/views/alerts/hidden-mark.ts";
import { feedBatchSize, feedMessage, ruleMessage } from "../../src/views/alerts/rule-messages.ts";
import { greetingPost, serverNotice } from "../../src/views/alerts/server-notice.ts";
import { handledAlert } from "../../src/views/orders/handling.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import { statsChart } from "../../src/views/reports/chart.ts";
import { exportDone } from "../../src/views/reports/export.ts";
import { importDone, importPreview, importProblems } from "../../src/views/reports/import.ts";
import { digestPost, statsCard, statsDetails } from "../../src/views/reports/stats-card.ts";
import { type Filler, LONG_NUMBER, largestBatch, largestNewProduct } from "./inputs.ts";
import type { MakeWorks } from "./work.ts";

/** Prepares the largest possible input, and returns a function that makes the view. */
type Largest = (fill: Filler, ctx: ViewContext) => () => object | string;

const name = "AbCdEfGhIjKl";
const snowflake = "9".repeat(20);
const latest = 8.64e15;
/** A file of products has at most 1,000. */
const rows = <Row>(make: (index: number) => Row) => Array.from({ length: 1_000 }, (_, index) => make(index));
const fileNamed = (file: string, contentType: string) => ({ name: file, contentType, data: Buffer.from("x") });
const csv = fileNamed("orders-2026-11-21.csv", "text/csv; charset=utf-8");

const take = { by: snowflake, at: latest, done: { by: snowflake, at: latest } };
const takesOf = (orders: readonly { readonly id: string }[]) => new Map(orders.map(({ id }) => [id, take]));

const marked = (orders: readonly AlertOrder[]) =>
  orders.map((order, index) => ({ order, mark: hiddenMark([String(index)]), showsAmount: true }));

function statsOf(fill: Filler) {
  const span = { from: "2025-11-22", to: "2026-11-21" };
  const amount = String(10n ** 39n);
  const lines = Array.from({ length: 21 }, () => ({ name: fill(60), count: LONG_NUMBER, amount }));
  const sums: Sums = {
    orders: LONG_NUMBER,
    sold: { count: LONG_NUMBER, amount },
    statuses: lines,
    methods: lines,
    products: Array.from({ length: 50 }, () => ({ title: fill(80), pieces: amount })),
    otherProducts: LONG_NUMBER,
    hours: new Array<number>(24).fill(LONG_NUMBER),
  };
  const days = Array.from({ length: 30 }, () => [span.from, sums] as const);
  const of = { span, before: span, sums, sumsBefore: sums, readAt: LONG_NUMBER, isWhole: false, zone: fill(64) };
  return { ...of, openDay: span.to, days, daysBefore: days };
}
const picture = { file: fileNamed("orders.png", "image/png"), description: "x".repeat(1_024) };

/** Each message is made of one order, and of as many as it may have. */
const ofOrders: Readonly<Record<string, (orders: readonly AlertOrder[], ctx: ViewContext, name: string) => object>> = {
  alertMessage: (orders, ctx, rule) => {
    const notes = [fallbackNote({ name: rule, channelId: snowflake }, ctx), unsureNote(ctx)];
    return alertMessage(orders, ctx, { roleId: snowflake, takes: takesOf(orders), notes });
  },
  sample: (orders, ctx) => alertMessage(orders, ctx, { sample: true, takes: takesOf(orders) }),
  handledAlert: (orders, ctx) => {
    const alert = alertMessage(orders, ctx, { roleId: snowflake });
    const ids = orders.map(({ id }) => id);
    return { ...alert, ...handledAlert(alert.content, ids, takesOf(orders), ctx.locale) };
  },
  paidMessage: (orders, ctx) => paidMessage(orders, ctx, { roleId: snowflake, isReply: false }),
  refundMessage: (orders, ctx) => refundMessage(orders, ctx, { isReply: false }),
  reminderMessage: (orders, ctx) =>
    reminderMessage(orders, ctx, { takes: takesOf(orders), roleId: snowflake, isReply: false }),
  ruleMessage: (orders, ctx, rule) => {
    const notes = [fallbackNote({ name: rule, channelId: snowflake }, ctx)];
    return ruleMessage(marked(orders), { name: rule, roleId: snowflake }, ctx, notes);
  },
  feedMessage: (orders, ctx) => feedMessage(marked(orders.slice(0, feedBatchSize)), ctx, snowflake),
};

const alerts: Readonly<Record<string, Largest>> = {
  ...Object.fromEntries(
    Object.entries(ofOrders).flatMap(([view, make]) =>
      [1, alertBatchSize].map((count): [string, Largest] => [
        `${view} (orders: ${count})`,
        (fill, ctx) => {
          const orders = largestBatch(fill, count);
          return () => make(orders, ctx, fill(40));
        },
      ]),
    ),
  ),
  serverNotice: (fill, { locale }) => {
    const told = { server: fill(6_000), rule: fill(40), style: "feed", channelId: snowflake } as const;
    return () => serverNotice({ about: "route_forbidden", ...told }, locale);
  },
  greetingPost: (fill, { locale }) => {
    const server = fill(6_000);
    return () => greetingPost(locale, server);
  },
};

const ofStats: Readonly<Record<string, (stats: Stats, ctx: ViewContext) => object>> = {
  statsCard: (stats, ctx) => statsCard(stats, ctx, picture),
  statsDetails,
  statsChart: (stats, { locale }) => statsChart(stats, locale),
  digestPost: (stats, ctx) =>
    digestPost(stats, { name: "week.2026-11-16", lateFrom: 1, missed: LONG_NUMBER }, ctx, picture),
};

const reports: Readonly<Record<string, Largest>> = {
  importProblems: (fill, { locale }) => {
    const fault = { row: LONG_NUMBER, column: fill(500), code: "bad_picture" } as const;
    const faults = Array.from({ length: 8_000 }, () => fault);
    return () => importProblems(faults, csv, locale);
  },
  importPreview: (fill, ctx) => {
    const product = largestNewProduct(fill, "");
    const first = rows((at) => ({ row: at + 2, product: { ...product, categoryId: fill(200) } }));
    const doubtful = Array.from({ length: 2_000 }, (_, at) => ({ row: at, typed: fill(500), amount: LONG_NUMBER }));
    const unknown = Array.from({ length: 50 }, () => fill(2_000));
    const seen = { first, all: LONG_NUMBER, before: 5, unclear: LONG_NUMBER, alike: LONG_NUMBER, unknown, doubtful };
    return () => importPreview(name, seen, ctx);
  },
  importDone: (_, { locale }) => {
    const counts = { all: LONG_NUMBER, created: 5, before: 0, refused: 0, unclear: LONG_NUMBER };
    return () => importDone(name, { ...counts, end: { failed: "unauthorized" } }, csv, locale);
  },
  exportDone: (fill, { locale }) => {
    const counts = { read: LONG_NUMBER, about: LONG_NUMBER, written: LONG_NUMBER, skipped: LONG_NUMBER, undated: 9 };
    const result = { ...counts, what: "orders", files: 1, end: { failed: "unauthorized" }, isCertain: false } as const;
    return () => exportDone({ ...result, privacy: "masked", zone: fill(64) }, csv, locale);
  },
  ...Object.fromEntries(
    Object.entries(ofStats).map(([view, make]): [string, Largest] => [
      view,
      (fill, ctx) => {
        const stats = statsOf(fill);
        return () => make(stats, ctx);
      },
    ]),
  ),
};

/**
 * Messages with texts of a store or a person that the bot posts by itself, or that follow long work. `commands.ts` has the
 * other answers of commands.
 */
export const worksOfViews: ReadonlyMap<string, MakeWorks> = new Map(
  Object.entries({ ...alerts, ...reports }).map(([view, make]) => [
    view,
    function* (filled) {
      for (const [index, [filler, fill]] of filled.entries()) {
        const locale = locales[index % locales.length] ?? "en";
        yield { what: `${filler} ${locale}`, run: make(fill, { locale, currency: "BRL", privacy: "full" }) };
      }
    },
  ]),
);
