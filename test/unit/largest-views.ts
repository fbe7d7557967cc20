import { alertMessage, paidMessage } from "../../src/views/alerts/alert-message.ts";
import { greetingPost, serverNotice } from "../../src/views/alerts/server-notice.ts";
import { customerFields, customerLine } from "../../src/views/orders/customer.ts";
import { orderCard } from "../../src/views/orders/order-card.ts";
import { itemCount, itemSummary, pricedItem } from "../../src/views/orders/order-lines.ts";
import { orderPage } from "../../src/views/orders/order-page.ts";
import { paymentMethod } from "../../src/views/orders/payment-method.ts";
import { statusView, statusWord } from "../../src/views/orders/status.ts";
import * as components from "../../src/views/parts/components.ts";
import { withAttachment } from "../../src/views/parts/components.ts";
import { callerView, type ViewContext } from "../../src/views/parts/context.ts";
import { customId, customIdIfFits, customIds, pageIn, parseCustomId } from "../../src/views/parts/custom-ids.ts";
import { backRow, listPage, pageRow } from "../../src/views/parts/list-page.ts";
import { connectModal, jumpModal, labelled, textInput } from "../../src/views/parts/modals.ts";
import { lineTotal, money, quantity } from "../../src/views/parts/money.ts";
import { confirmation, facts, notice, post } from "../../src/views/parts/notice.ts";
import { formatDecimals, formatNumber } from "../../src/views/parts/numbers.ts";
import { ProblemError, permissionNames, problemNotice, problemText } from "../../src/views/parts/problem.ts";
import { clip, code, fitLines, label, plain, shortId } from "../../src/views/parts/text.ts";
import { dayFormat, utcStart } from "../../src/views/parts/time.ts";
import {
  addProductMessagesModal,
  addProductModal,
  addProductWindow,
  productFields,
} from "../../src/views/products/add-product-modal.ts";
import { addProductPreview } from "../../src/views/products/add-product-preview.ts";
import * as results from "../../src/views/products/add-product-results.ts";
import { stockSummary } from "../../src/views/products/add-product-stock.ts";
import { categoryText, pictureUrl, priceLine, productCard } from "../../src/views/products/product-card.ts";
import { productPage } from "../../src/views/products/product-page.ts";
import { channelProblemLines, isChannelClosed, setUpPanel } from "../../src/views/settings/set-up.ts";
import { settingFacts, settingsNotice } from "../../src/views/settings/settings.ts";
import {
  alertFacts,
  alertsStatusNotice,
  storeStatusLine,
  storeStatusNotice,
} from "../../src/views/settings/status-notices.ts";
import {
  type Filler,
  LONG_NUMBER,
  largestBatch,
  largestNewProduct,
  largestOrder,
  largestProduct,
  largestStock,
  MOST_ROWS,
} from "./hostile-support.ts";
import { largestExportViews } from "./largest-export-views.ts";
import { largestHandlingViews, mostPast, takesOf } from "./largest-handling-views.ts";
import { largestImportViews } from "./largest-import-views.ts";
import { largestOwnerViews } from "./largest-owner-views.ts";
import { largestRoutingViews } from "./largest-routing-views.ts";

/** A view with the largest input that anybody can make for it: prepared, then made. */
type Largest = (fill: Filler, ctx: ViewContext) => () => unknown;

const name = "AbCdEfGhIjKl";
const paging = { page: 999_999, lastPage: 1_000_000, session: name };
const rows = <Row>(make: (index: number) => Row) => Array.from({ length: MOST_ROWS }, (_, index) => make(index));
const settings = (locale: ViewContext["locale"], fill: Filler) =>
  ({ currency: fill(1_000), language: locale, privacy: "full", staffRoleId: "1", timezone: fill(64) }) as const;
/** A problem in the store's own words (200 of them come out of `cleanDetail`; a StoreError may be made with more). */
const problem = (fill: Filler) => ({ code: "invalid", detail: fill(6_000) }) as const;
const largestFields = (fill: Filler) => ({
  title: fill(6_000),
  price: fill(4_000),
  "compare-at": fill(4_000),
  category: fill(4_000),
  "category-id": fill(4_000),
  image: fill(20_480),
  youtube: fill(2_048),
  "min-quantity": fill(4_000),
  "hide-sales": "unset",
  "hide-product": "unset",
  chat: "unset",
});
const everyPermission = ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"] as const;
const progress = (fill: Filler) => ({
  lagMs: LONG_NUMBER,
  lastError: { problem: problem(fill), at: 1 },
  lastPollAt: 1,
});

/** Every function that `src/views/` exports, by its name, and which input where it has several. */
export const largestViews: Readonly<Record<string, Largest>> = {
  ...largestOwnerViews,
  ...largestHandlingViews,
  ...largestRoutingViews,
  alertMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => alertMessage(orders, ctx, { roleId: "1", takes: takesOf(orders) });
  },
  "alertMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => alertMessage(orders, ctx, { sample: true, takes: takesOf(orders) });
  },
  paidMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => paidMessage(orders, ctx, "1");
  },
  "paidMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => paidMessage(orders, ctx, "1");
  },
  serverNotice: (fill, { locale }) => {
    const server = fill(6_000);
    return () => serverNotice({ about: "forbidden", server, channelId: "1" }, locale);
  },
  addProductModal: (fill, { locale }) => {
    const product = largestNewProduct(fill);
    return () => addProductModal("edit", name, product, locale);
  },
  addProductMessagesModal: (fill, { locale }) => {
    const product = largestNewProduct(fill);
    return () => addProductMessagesModal(name, product, locale);
  },
  addProductWindow: (fill, { locale }) => {
    const values = largestFields(fill);
    const categories = rows((index) => ({ value: `${index}${fill(90)}`, label: fill(500) }));
    return () => addProductWindow("basics", name, values, categories, locale);
  },
  productFields: (fill) => {
    const values = largestFields(fill);
    return () => productFields(values);
  },
  addProductPreview: (fill, ctx) => {
    const product = largestNewProduct(fill);
    const doubtful = { price: fill(40), comparation: fill(40) };
    return () => addProductPreview(name, product, ctx, { inCategory: Array(100).fill(fill(500)), doubtful });
  },
  addProductDone: (fill, { locale }) => {
    const productId = fill(64);
    return () => results.addProductDone("created", { draft: name, productId }, locale);
  },
  addProductUnsure:
    (_, { locale }) =>
    () =>
      results.addProductUnsure(name, { looked: true, attempt: 9 }, locale),
  addProductRefused: (fill, { locale }) => {
    const why = { action: "edit" as const, problem: problem(fill), hasStock: true };
    return () => results.addProductRefused(name, why, locale);
  },
  addProductCancelled:
    (_, { locale }) =>
    () =>
      results.addProductCancelled(name, true, locale),
  stockSummary: (fill, { locale }) => {
    const inventory = { type: "SERIAL", content: largestStock(fill), fileName: fill(1_000) } as const;
    return () => stockSummary(inventory, locale);
  },
  textDisplay: (fill) => () => components.textDisplay(fill(6_000)),
  gallery: (fill) => () => components.gallery(Array(50).fill(fill(2_048))),
  separator: () => components.separator,
  container: () => () => components.container(0, []),
  button: (fill) => {
    const text = fill(6_000);
    return () => components.button(name, text);
  },
  row: () => () => components.row(components.button(name, name)),
  menuRow: (fill) => {
    const options = rows((index) => ({ value: `${index}${fill(90)}`, label: fill(500), description: fill(200) }));
    return () => components.menuRow(name, name, options);
  },
  message: () => () => components.message([]),
  callerView:
    (_, { locale }) =>
    () =>
      callerView({}, locale),
  customIdIfFits: (fill) => {
    const args = [fill(6_000), fill(6_000)];
    return () => customIdIfFits("orders", "open", ...args);
  },
  customId: () => () => customId("orders", "open", name, "1"),
  parseCustomId: (fill) => {
    const ids = [fill(6_000), `a:b:${fill(6_000)}`, `a:b:${encodeURIComponent(fill(2_000).toWellFormed())}`];
    return () => [...ids, ":".repeat(6_000), "%".repeat(6_000), "a:b:%ff".repeat(800)].map(parseCustomId);
  },
  pageIn: (fill) => () => pageIn(fill(6_000)),
  customerLine: (fill) => {
    const { customer } = largestOrder(fill);
    return () => (["none", "masked", "full"] as const).map((privacy) => customerLine(customer, privacy));
  },
  customerFields: (fill) => {
    const { customer } = largestOrder(fill);
    return () => (["none", "masked", "full"] as const).map((privacy) => customerFields(customer, privacy));
  },
  ...largestExportViews,
  ...largestImportViews,
  greetingPost: (fill, { locale }) => {
    const server = fill(6_000);
    return () => greetingPost(locale, server);
  },
  backRow:
    (_, { locale }) =>
    () =>
      backRow(customIds.orders, name, 1_000_000, locale),
  pageRow:
    (_, { locale }) =>
    () =>
      pageRow((page) => `orders:page:${name}:${page}`, { page: 1_000_000, last: 1_000_001 }, locale),
  listPage: (fill, { locale }) => {
    const entries = rows((index) => ({ text: fill(350), option: { value: String(index), label: fill(500) } }));
    const say = { list: "Orders", empty: "", emptyPage: "", pick: "Open" };
    const list = { ...paging, say, filter: [fill(6_000)], ids: customIds.orders, entries, notes: [fill(6_000)] };
    return () => listPage(list, locale);
  },
  connectModal:
    (_, { locale }) =>
    () =>
      connectModal(name, locale),
  jumpModal:
    (_, { locale }) =>
    () =>
      jumpModal(name, 1_000_000, locale),
  textInput: (fill) => {
    const [hint, value] = [fill(6_000), fill(6_000)];
    return () => textInput("title", "Title", { hint, value });
  },
  labelled: (fill) => {
    const hint = fill(6_000);
    return () => labelled("Title", hint);
  },
  withAttachment: () => () =>
    withAttachment(notice("Here"), { name: "a.csv", contentType: "text/csv", data: Buffer.alloc(0) }),
  formatNumber:
    (_, { locale }) =>
    () =>
      formatNumber(LONG_NUMBER, locale),
  formatDecimals: (_, ctx) => () => formatDecimals(LONG_NUMBER, ctx),
  dayFormat:
    (_, { locale }) =>
    () =>
      dayFormat(locale, { dateStyle: "medium" }),
  utcStart: () => () => utcStart("2026-11-21"),
  money: (_, ctx) => () => money(LONG_NUMBER, ctx),
  lineTotal: () => () => lineTotal(LONG_NUMBER, LONG_NUMBER),
  quantity:
    (_, { locale }) =>
    () =>
      quantity(LONG_NUMBER, locale),
  notice: (fill) => {
    const body = fill(6_000);
    return () => notice({ title: "Done", body, tone: "ok" });
  },
  post: (fill) => {
    const body = fill(6_000);
    return () => post({ title: "Done", body, tone: "ok" });
  },
  orderCard: (fill, ctx) => {
    const order = largestOrder(fill);
    return () => orderCard(order, ctx, { handling: { take: undefined, past: mostPast } });
  },
  itemCount: (fill, { locale }) => {
    const item = { title: fill(500), quantity: LONG_NUMBER };
    return () => itemCount(item, locale, 160);
  },
  pricedItem: (fill, ctx) => {
    const item = { title: fill(500), quantity: 2, price: LONG_NUMBER };
    return () => pricedItem(item, ctx);
  },
  itemSummary: (fill, { locale }) => {
    const items = Array.from({ length: 100 }, () => ({ title: fill(500), quantity: 2 }));
    return () => itemSummary(items, locale, 1_900);
  },
  orderPage: (fill, ctx) => {
    const order = largestOrder(fill, 100);
    const orders = rows((index) => ({ ...order, id: `${index}${fill(60)}` }));
    const filter = { statuses: Array.from({ length: 25 }, () => fill(100)), email: fill(254) };
    return () => orderPage({ ...paging, orders, filter, notes: [fill(6_000)] }, ctx);
  },
  problemText: (fill, { locale }) => {
    const permissions = Array(50).fill(fill(500));
    return () => problemText({ code: "forbidden", permissions }, locale);
  },
  problemNotice: (fill, { locale }) => {
    const why = problem(fill);
    return () => problemNotice(why, locale, "12345678");
  },
  pictureUrl: (fill) => {
    const urls = [`https://a.example/${fill(2_000)}`, `https://${fill(2_000)}`, fill(2_048), "a.".repeat(1_024)];
    return () => urls.map(pictureUrl);
  },
  categoryText: (fill, { locale }) => {
    const inCategory = Array(100).fill(fill(500));
    return () => categoryText(fill(64), inCategory, locale);
  },
  priceLine: (_, ctx) => () => priceLine({ price: LONG_NUMBER, comparation: 1 }, ctx),
  productCard: (fill, ctx) => {
    const product = largestProduct(fill);
    return () => productCard(product, ctx, { heading: "Preview", details: Array(50).fill(fill(400)) });
  },
  productPage: (fill, ctx) => {
    const product = largestProduct(fill);
    const products = rows((index) => ({ ...product, id: `${index}${fill(60)}` }));
    const filter = { title: fill(200), categoryId: fill(64), inCategory: Array(100).fill(fill(500)) };
    return () => productPage({ ...paging, products, filter, notes: [fill(6_000)] }, ctx);
  },
  permissionNames:
    (_, { locale }) =>
    () =>
      permissionNames(everyPermission, locale),
  isChannelClosed: () => () => isChannelClosed({ missing: everyPermission }),
  channelProblemLines:
    (_, { locale }) =>
    () =>
      channelProblemLines({ missing: everyPermission, isRoleSilent: true }, { channelId: "1", roleId: "2" }, locale),
  setUpPanel: (fill, { locale }) => {
    const options = rows((index) => ({ value: `${index}${fill(90)}`, label: fill(500) }));
    const chosen = { channelId: "1", roleId: "2", rings: "both", language: locale, currency: fill(4) } as const;
    const menus = { currencies: options, timezone: fill(64), timezones: options };
    const hurdles = { missing: everyPermission, isRoleSilent: true, showsCustomers: true };
    return () => setUpPanel({ session: name, last4: fill(4), ...chosen, ...menus, channelProblems: hurdles }, locale);
  },
  alertFacts: (fill, { locale }) => {
    const statuses = Array(25).fill(fill(500));
    return () => alertFacts({ roleId: "1", statuses }, locale);
  },
  storeStatusLine: (fill, { locale }) => {
    const seen = { statusHonoured: true, emailHonoured: false, limitHonoured: undefined };
    const alerts = { channelId: "1", blockedSince: 1 };
    const store = { host: fill(6_000), last4: fill(4), now: problem(fill), alerts };
    const status = { ...store, ...seen, ...progress(fill), settings: settings(locale, fill) };
    return () => storeStatusLine(status, "a:b", locale);
  },
  facts: (fill) => () => facts(rows(() => [fill(500), fill(500)] as const)),
  ProblemError: (fill) => {
    const why = problem(fill);
    return () => new ProblemError(why);
  },
  settingFacts: (fill, { locale }) => {
    const now = settings(locale, fill);
    return () => settingFacts(now, locale);
  },
  settingsNotice: (fill, { locale }) => {
    const now = settings(locale, fill);
    return () => settingsNotice(now, locale, fill(6_000));
  },
  storeStatusNotice: (fill, { locale }) => {
    const seen = { statusHonoured: true, emailHonoured: false, limitHonoured: undefined };
    const store = { host: fill(6_000), last4: fill(4), refusedAt: 1, now: problem(fill) };
    const status = { ...store, ...seen, ...progress(fill), settings: settings(locale, fill) };
    return () => storeStatusNotice(status, locale);
  },
  alertsStatusNotice: (fill, { locale }) => {
    const alerts = { channelId: "1", roleId: "2", statuses: Array(25).fill(fill(500)), blockedSince: 1 };
    const counts = { planned: 9_999, followed: 9_999, withoutButtons: 9_999, baselineCounted: 9_999 };
    const status = { ...alerts, ...progress(fill), ...counts };
    return () => alertsStatusNotice(status, locale);
  },
  confirmation: (fill, { locale }) => {
    const body = fill(6_000);
    return () => confirmation({ body }, { confirm: "a:b", cancel: "a:c" }, locale);
  },
  paymentMethod: (fill, { locale }) => {
    const method = fill(500);
    return () => paymentMethod(method, locale, 100);
  },
  statusWord: (fill, { locale }) => {
    const status = fill(100);
    return () => statusWord(status, locale);
  },
  statusView: (fill, { locale }) => {
    const status = fill(100);
    return () => statusView(status, locale);
  },
  plain: (fill) => {
    const text = fill(5_000);
    return () => plain(text, 3_900);
  },
  label: (fill) => {
    const text = fill(5_000);
    return () => label(text, 3_900);
  },
  code: (fill) => {
    const text = fill(5_000);
    return () => code(text, 3_900);
  },
  shortId: (fill) => () => shortId(fill(5_000)),
  clip: (fill) => {
    const text = fill(100_000);
    return () => clip(text, 3_900);
  },
  fitLines: (fill) => {
    const items = Array(500).fill(fill(1));
    return () => fitLines(items, (line: string) => plain(line, 100), 3_900, String);
  },
};
