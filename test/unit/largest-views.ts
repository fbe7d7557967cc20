import type { Sums } from "../../src/basics/stats.ts";
import type { Rule } from "../../src/guilds/rule.ts";
import {
  alertMessage,
  laterMessage,
  paidMessage,
  refundMessage,
  reminderMessage,
} from "../../src/views/alerts/alert-message.ts";
import { hiddenMark } from "../../src/views/alerts/hidden-mark.ts";
import { ruleList, ruleTest } from "../../src/views/alerts/rule-list.ts";
import {
  fallbackNote,
  feedBatchSize,
  feedMessage,
  ruleMessage,
  unsureNote,
} from "../../src/views/alerts/rule-messages.ts";
import { greetingPost, serverNotice } from "../../src/views/alerts/server-notice.ts";
import { customerPage } from "../../src/views/orders/customer-page.ts";
import { handledAlert } from "../../src/views/orders/handling.ts";
import { orderCard } from "../../src/views/orders/order-card.ts";
import { orderPage } from "../../src/views/orders/order-page.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import { listPage } from "../../src/views/parts/list-page.ts";
import { connectModal, jumpModal } from "../../src/views/parts/modals.ts";
import { confirmation } from "../../src/views/parts/notice.ts";
import { problemNotice } from "../../src/views/parts/problem.ts";
import {
  addProductMessagesModal,
  addProductModal,
  addProductWindow,
} from "../../src/views/products/add-product-modal.ts";
import { addProductPreview } from "../../src/views/products/add-product-preview.ts";
import { addProductDone, addProductRefused } from "../../src/views/products/add-product-results.ts";
import { productCard } from "../../src/views/products/product-card.ts";
import { productPage } from "../../src/views/products/product-page.ts";
import { statsChart } from "../../src/views/reports/chart.ts";
import { exportDone } from "../../src/views/reports/export.ts";
import { importDone, importPreview, importProblems } from "../../src/views/reports/import.ts";
import { digestPost, statsCard } from "../../src/views/reports/stats-card.ts";
import { auditActs, auditPage } from "../../src/views/settings/audit-log.ts";
import { setUpPanel } from "../../src/views/settings/set-up.ts";
import { settingsNotice } from "../../src/views/settings/settings.ts";
import { alertsStatusNotice, storeStatusNotice } from "../../src/views/settings/status-notices.ts";
import {
  type Filler,
  LONG_NUMBER,
  largestBatch,
  largestNewProduct,
  largestOrder,
  largestProduct,
  MOST_ROWS,
} from "./hostile-support.ts";

/** A view with the largest possible input: first prepared, then made. */
type Largest = (fill: Filler, ctx: ViewContext) => () => object | string;

const name = "AbCdEfGhIjKl";
const snowflake = "9".repeat(20);
const latest = 8.64e15;
/** A long text of the bot's own. */
const ownWords = "word ".repeat(200);
const paging = { page: 999_999, lastPage: 1_000_000, session: name };
const rows = <Row>(make: (index: number) => Row) => Array.from({ length: MOST_ROWS }, (_, index) => make(index));
const manyIds = (fill: Filler) => rows((index) => `${index}${fill(60)}`);
const settings = (locale: ViewContext["locale"], fill: Filler) =>
  ({ currency: fill(1_000), language: locale, privacy: "full", staffRoleId: "1", timezone: fill(64) }) as const;
/** A problem in the store's own words (`cleanDetail` returns at most 200; a StoreError may be made with more). */
const problem = (fill: Filler) => ({ code: "invalid", detail: fill(6_000) }) as const;
const permissions = ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"] as const;
const progress = (fill: Filler) => ({
  lagMs: LONG_NUMBER,
  lastError: { problem: problem(fill), at: 1 },
  lastPollAt: 1,
});
const fileNamed = (file: string, contentType: string) => ({ name: file, contentType, data: Buffer.from("x") });
const csv = fileNamed("orders-2026-11-21.csv", "text/csv; charset=utf-8");

const take = { by: snowflake, at: latest, done: { by: snowflake, at: latest } };
const takesOf = (orders: readonly { readonly id: string }[]) => new Map(orders.map(({ id }) => [id, take]));

/** The most rules that there may be, each as large as it may be. */
const largestRoutes = (fill: Filler): Rule[] =>
  Array(25).fill({
    id: fill(20),
    name: fill(40),
    channelId: snowflake,
    roleId: snowflake,
    style: "feed",
    status: fill(100),
    product: { id: fill(36), title: fill(500) },
    category: { id: fill(36), name: fill(100) },
    method: fill(100),
    from: LONG_NUMBER,
    to: LONG_NUMBER,
    items: 1_000_000,
    showsAmount: true,
  });
const marked = (fill: Filler, count?: number) =>
  largestBatch(fill, count).map((order, index) => ({ order, mark: hiddenMark([String(index)]), showsAmount: true }));

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

const alerts: Readonly<Record<string, Largest>> = {
  alertMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    const notes = [fallbackNote({ name: fill(40), channelId: snowflake }, ctx), unsureNote(ctx)];
    return () => alertMessage(orders, ctx, { roleId: snowflake, takes: takesOf(orders), notes });
  },
  "alertMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => alertMessage(orders, ctx, { sample: true, takes: takesOf(orders) });
  },
  handledAlert: (fill, ctx) => {
    const orders = largestBatch(fill);
    const ids = orders.map(({ id }) => id);
    const alert = alertMessage(orders, ctx, { roleId: snowflake });
    return () => ({ ...alert, ...handledAlert(alert.content, ids, takesOf(orders), ctx.locale) });
  },
  paidMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => paidMessage(orders, ctx, snowflake);
  },
  refundMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => refundMessage(orders, ctx);
  },
  reminderMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => reminderMessage(orders, ctx, { takes: takesOf(orders), roleId: snowflake });
  },
  "reminderMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => reminderMessage(orders, ctx, { takes: takesOf(orders), roleId: snowflake });
  },
  laterMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => laterMessage(orders, ctx, { one: "1", many: "2", roleId: snowflake, embed: true });
  },
  serverNotice: (fill, { locale }) => {
    const told = { server: fill(6_000), rule: fill(40), style: "feed", channelId: snowflake } as const;
    return () => serverNotice({ about: "route_forbidden", ...told }, locale);
  },
  greetingPost: (fill, { locale }) => {
    const server = fill(6_000);
    return () => greetingPost(locale, server);
  },
  feedMessage: (fill, ctx) => {
    const lines = marked(fill, feedBatchSize);
    return () => feedMessage(lines, ctx, snowflake);
  },
  ruleMessage: (fill, ctx) => {
    const orders = marked(fill);
    return () => ruleMessage(orders, { name: fill(40), roleId: snowflake }, ctx);
  },
  "ruleMessage (one order)": (fill, ctx) => {
    const orders = marked(fill, 1);
    return () => ruleMessage(orders, { name: fill(40), roleId: snowflake }, ctx);
  },
  ruleList: (fill, ctx) => {
    const routes = largestRoutes(fill);
    return () => ruleList({ routes, channelId: snowflake }, ctx);
  },
  ruleTest: (fill, ctx) => {
    const routes = largestRoutes(fill);
    const looks = routes.map((rule) => ({ rule, lack: "product" as const }));
    const order = { id: fill(64), status: fill(100) };
    return () => ruleTest({ order, looks, staff: routes[0], feeds: routes, channelId: snowflake }, ctx);
  },
};

const lists: Readonly<Record<string, Largest>> = {
  orderCard: (fill, ctx) => {
    const order = largestOrder(fill);
    const past = Array.from({ length: 10 }, () => ({ press: "back" as const, ...take }));
    return () => orderCard(order, ctx, { handling: { take: undefined, past } });
  },
  orderPage: (fill, ctx) => {
    const order = largestOrder(fill, 100);
    const orders = manyIds(fill).map((id) => ({ ...order, id }));
    const filter = { statuses: Array.from({ length: 25 }, () => fill(100)), email: fill(254) };
    return () => orderPage({ ...paging, orders, filter, notes: [ownWords] }, ctx);
  },
  customerPage: (fill, ctx) => {
    const order = largestOrder(fill, 100);
    const orders = manyIds(fill).map((id) => ({ ...order, id }));
    const sums = { count: 99_999, total: LONG_NUMBER, firstAt: latest, lastAt: latest, isAll: false };
    return () => customerPage({ ...paging, orders, customer: order.customer, sums, notes: [ownWords] }, ctx);
  },
  productCard: (fill, ctx) => {
    const product = largestProduct(fill);
    return () => productCard(product, ctx, { heading: "Preview", details: Array(50).fill(ownWords) });
  },
  productPage: (fill, ctx) => {
    const product = largestProduct(fill);
    const products = manyIds(fill).map((id) => ({ ...product, id }));
    const filter = { title: fill(200), categoryId: fill(64), inCategory: Array(100).fill(fill(500)) };
    return () => productPage({ ...paging, products, filter, notes: [ownWords] }, ctx);
  },
  listPage: (fill, { locale }) => {
    const entries = rows((index) => ({
      text: fill(350).toWellFormed(),
      option: { value: String(index), label: fill(500) },
    }));
    const say = { list: "Orders", empty: "", emptyPage: "", pick: "Open" };
    const list = { ...paging, say, filter: [ownWords], ids: customIds.orders, entries, notes: [ownWords] };
    return () => listPage(list, locale);
  },
  auditPage: (fill, { locale }) => {
    const what = fill(6_000);
    const by = { by: what, at: latest, firstAt: latest, times: LONG_NUMBER };
    const entries = [what, ...auditActs, ...rows(() => "product_created")].map((did) => ({ ...by, did, what }));
    return () => auditPage({ entries, page: 999_999, hasMore: true }, locale);
  },
};

const products: Readonly<Record<string, Largest>> = {
  addProductModal: (fill, { locale }) => {
    const product = largestNewProduct(fill);
    return () => addProductModal("edit", name, product, locale);
  },
  addProductMessagesModal: (fill, { locale }) => {
    const product = largestNewProduct(fill);
    return () => addProductMessagesModal(name, product, locale);
  },
  addProductWindow: (fill, { locale }) => {
    const long = fill(4_000).toWellFormed();
    const values = {
      title: fill(6_000).toWellFormed(),
      price: long,
      "compare-at": long,
      category: long,
      "category-id": long,
    };
    const categories = rows((index) => ({ value: String(index).padStart(90), label: fill(500) }));
    return () => addProductWindow("basics", name, values, categories, locale);
  },
  addProductPreview: (fill, ctx) => {
    const product = largestNewProduct(fill);
    const doubtful = { price: fill(40), comparation: fill(40) };
    return () => addProductPreview(name, product, ctx, { inCategory: Array(100).fill(fill(500)), doubtful });
  },
  addProductDone: (fill, { locale }) => {
    const productId = fill(64);
    return () => addProductDone("created", { draft: name, productId }, locale);
  },
  addProductRefused: (fill, { locale }) => {
    const why = { action: "edit" as const, problem: problem(fill), hasStock: true };
    return () => addProductRefused(name, why, locale);
  },
  importProblems: (fill, { locale }) => {
    const fault = { row: LONG_NUMBER, column: fill(500), code: "bad_picture" } as const;
    const faults = Array.from({ length: 8_000 }, () => fault);
    return () => importProblems(faults, csv, locale);
  },
  importPreview: (fill, ctx) => {
    const { info, ...product } = { ...largestNewProduct(fill), inventory: { type: "SERIAL" as const } };
    const first = rows((at) => ({ row: at + 2, product: { ...product, categoryId: fill(200), info } }));
    const doubtful = Array.from({ length: 2_000 }, (_, at) => ({ row: at, typed: fill(500), amount: LONG_NUMBER }));
    const unknown = Array.from({ length: 50 }, () => fill(2_000));
    const seen = { first, all: LONG_NUMBER, before: 5, unclear: LONG_NUMBER, unknown, doubtful };
    return () => importPreview(name, seen, ctx);
  },
  importDone: (fill, { locale }) => {
    const counts = { all: LONG_NUMBER, created: 5, before: 0, refused: 0, unclear: LONG_NUMBER };
    return () => importDone(name, { ...counts, end: problem(fill) }, csv, locale);
  },
  exportDone: (fill, { locale }) => {
    const counts = { read: LONG_NUMBER, about: LONG_NUMBER, written: LONG_NUMBER, skipped: LONG_NUMBER, undated: 9 };
    const result = { ...counts, what: "orders", files: 1, end: problem(fill), isCertain: false } as const;
    return () => exportDone({ ...result, privacy: "masked", zone: fill(64) }, csv, locale);
  },
};

const servers: Readonly<Record<string, Largest>> = {
  statsCard: (fill, ctx) => {
    const stats = statsOf(fill);
    return () => statsCard(stats, ctx, picture);
  },
  digestPost: (fill, ctx) => {
    const stats = statsOf(fill);
    return () => digestPost(stats, { name: "week.2026-11-16", lateFrom: 1, missed: LONG_NUMBER }, ctx, picture);
  },
  statsChart: (fill, { locale }) => {
    const stats = statsOf(fill);
    return () => statsChart(stats, locale);
  },
  connectModal:
    (_, { locale }) =>
    () =>
      connectModal(name, locale),
  jumpModal:
    (_, { locale }) =>
    () =>
      jumpModal(name, 1_000_000, locale),
  problemNotice: (fill, { locale }) => {
    const why = problem(fill);
    return () => problemNotice(why, locale, "12345678");
  },
  confirmation:
    (_, { locale }) =>
    () =>
      confirmation({ body: ownWords }, { confirm: "a:b", cancel: "a:c" }, locale),
  settingsNotice: (fill, { locale }) => {
    const now = settings(locale, fill);
    return () => settingsNotice(now, locale, ownWords);
  },
  storeStatusNotice: (fill, { locale }) => {
    const seen = { statusHonoured: true, emailHonoured: false, limitHonoured: undefined };
    const store = { host: fill(6_000), last4: fill(4), refusedAt: 1, now: problem(fill) };
    const status = { ...store, ...seen, ...progress(fill), settings: settings(locale, fill) };
    return () => storeStatusNotice(status, locale);
  },
  alertsStatusNotice: (fill, { locale }) => {
    const chosen = { channelId: "1", roleId: "2", statuses: Array(25).fill(fill(500)), blockedSince: 1 };
    const counts = { planned: 9_999, followed: 9_999, withoutButtons: 9_999, baselineCounted: 9_999 };
    const status = { ...chosen, ...progress(fill), ...counts };
    return () => alertsStatusNotice(status, locale);
  },
  setUpPanel: (fill, { locale }) => {
    const options = rows((index) => ({ value: `${index}${fill(90)}`, label: fill(500) }));
    const chosen = { channelId: "1", roleId: "2", rings: "both", language: locale, currency: fill(4) } as const;
    const menus = { currencies: options, timezone: fill(64), timezones: options };
    const hurdles = { missing: permissions, isRoleSilent: true, showsCustomers: true };
    return () => setUpPanel({ session: name, last4: fill(4), ...chosen, ...menus, channelProblems: hurdles }, locale);
  },
};

/** Every message and window with texts of a store or a person, by name, and by input if it has several. */
export const largestViews: Readonly<Record<string, Largest>> = { ...alerts, ...lists, ...products, ...servers };
