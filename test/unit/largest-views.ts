import {
  addProductMessagesModal,
  addProductModal,
  addProductWindow,
  productFields,
} from "../../src/views/add-product-modal.ts";
import { addProductPreview } from "../../src/views/add-product-preview.ts";
import * as results from "../../src/views/add-product-results.ts";
import { stockSummary } from "../../src/views/add-product-stock.ts";
import { alertMessage, paidMessage } from "../../src/views/alert.ts";
import { alertNotice } from "../../src/views/alert-notice.ts";
import { alertEditV2 } from "../../src/views/alert-v2.ts";
import { alertFacts, alertsStatusNotice } from "../../src/views/alerts-status.ts";
import { texts } from "../../src/views/catalogue/catalogue.ts";
import { commandTexts } from "../../src/views/catalogue/commands.ts";
import { defineTexts, plural } from "../../src/views/catalogue/define-texts.ts";
import * as components from "../../src/views/components.ts";
import { confirmation } from "../../src/views/confirmation.ts";
import type { ViewContext } from "../../src/views/context.ts";
import { callerView } from "../../src/views/context.ts";
import { customId, customIdIfFits, parseCustomId } from "../../src/views/custom-id.ts";
import { customIds, pageIn } from "../../src/views/custom-ids.ts";
import { customerFields, customerLine } from "../../src/views/customer.ts";
import { facts } from "../../src/views/facts.ts";
import { greetingPost } from "../../src/views/greeting.ts";
import { backRow, listPage } from "../../src/views/list-page.ts";
import { connectModal, jumpModal } from "../../src/views/modals.ts";
import { lineTotal, money, quantity } from "../../src/views/money.ts";
import { notice, post } from "../../src/views/notice.ts";
import { orderCard } from "../../src/views/order-card.ts";
import { itemCount, itemSummary, pricedItem } from "../../src/views/order-lines.ts";
import { orderPage } from "../../src/views/order-page.ts";
import { paymentMethod } from "../../src/views/payment-method.ts";
import { permissionNames } from "../../src/views/permissions.ts";
import { ProblemError, problemNotice, problemText } from "../../src/views/problem.ts";
import { categoryText, pictureUrl, priceLine, productCard } from "../../src/views/product-card.ts";
import { productPage } from "../../src/views/product-page.ts";
import { progressFacts } from "../../src/views/progress.ts";
import { hurdleLines, isClosed, setUpPanel } from "../../src/views/set-up.ts";
import { settingFacts, settingsNotice } from "../../src/views/settings.ts";
import { statusView, statusWord } from "../../src/views/status.ts";
import { storeStatusLine, storeStatusNotice } from "../../src/views/store-status.ts";
import { clip, code, fitLines, label, plain, shortId } from "../../src/views/text.ts";
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

/** Every function that `src/views/` exports, by its file and name, and which input where it has several. */
export const largestViews: Readonly<Record<string, Largest>> = {
  ...largestOwnerViews,
  ...largestHandlingViews,
  ...largestRoutingViews,
  "alert.alertMessage": (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => alertMessage(orders, ctx, { roleId: "1", takes: takesOf(orders) });
  },
  "alert.alertMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => alertMessage(orders, ctx, { sample: true, takes: takesOf(orders) });
  },
  "alert.paidMessage": (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => paidMessage(orders, ctx, "1");
  },
  "alert.paidMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => paidMessage(orders, ctx, "1");
  },
  "alert-v2.alertEditV2": (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => alertEditV2(orders, ctx, "1");
  },
  "alert-v2.alertEditV2 (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => alertEditV2(orders, ctx, "1");
  },
  "alert-notice.alertNotice": (fill, { locale }) => {
    const server = fill(6_000);
    return () => alertNotice({ about: "forbidden", server, channelId: "1" }, locale);
  },
  "add-product-modal.addProductModal": (fill, { locale }) => {
    const product = largestNewProduct(fill);
    return () => addProductModal("edit", name, product, locale);
  },
  "add-product-modal.addProductMessagesModal": (fill, { locale }) => {
    const product = largestNewProduct(fill);
    return () => addProductMessagesModal(name, product, locale);
  },
  "add-product-modal.addProductWindow": (fill, { locale }) => {
    const values = largestFields(fill);
    const categories = rows((index) => ({ value: `${index}${fill(90)}`, label: fill(500) }));
    return () => addProductWindow("basics", name, values, categories, locale);
  },
  "add-product-modal.productFields": (fill) => {
    const values = largestFields(fill);
    return () => productFields(values);
  },
  "add-product-preview.addProductPreview": (fill, ctx) => {
    const product = largestNewProduct(fill);
    const doubtful = { price: fill(40), comparation: fill(40) };
    return () => addProductPreview(name, product, ctx, { inCategory: Array(100).fill(fill(500)), doubtful });
  },
  "add-product-results.addProductDone": (fill, { locale }) => {
    const productId = fill(64);
    return () => results.addProductDone("created", { draft: name, productId }, locale);
  },
  "add-product-results.addProductUnsure":
    (_, { locale }) =>
    () =>
      results.addProductUnsure(name, { looked: true, attempt: 9 }, locale),
  "add-product-results.addProductRefused": (fill, { locale }) => {
    const why = { action: "edit" as const, problem: problem(fill), hasStock: true };
    return () => results.addProductRefused(name, why, locale);
  },
  "add-product-results.addProductCancelled":
    (_, { locale }) =>
    () =>
      results.addProductCancelled(name, true, locale),
  "add-product-results.addProductDiscarded":
    (_, { locale }) =>
    () =>
      results.addProductDiscarded(locale),
  "add-product-stock.stockSummary": (fill, { locale }) => {
    const inventory = { type: "SERIAL", content: largestStock(fill), fileName: fill(1_000) } as const;
    return () => stockSummary(inventory, locale);
  },
  "catalogue/catalogue.texts":
    (_, { locale }) =>
    () =>
      texts(locale),
  "catalogue/commands.commandTexts":
    (_, { locale }) =>
    () =>
      commandTexts(locale),
  "catalogue/define-texts.defineTexts": () => () => defineTexts({ en: {}, "pt-BR": {}, es: {} }),
  "catalogue/define-texts.plural":
    (_, { locale }) =>
    () =>
      plural(locale, LONG_NUMBER, { one: "", other: "" }),
  "components.textDisplay": (fill) => () => components.textDisplay(fill(6_000)),
  "components.gallery": (fill) => () => components.gallery(Array(50).fill(fill(2_048))),
  "components.separator": () => components.separator,
  "components.container": () => () => components.container(0, []),
  "components.button": (fill) => {
    const text = fill(6_000);
    return () => components.button(name, text);
  },
  "components.row": () => () => components.row(components.button(name, name)),
  "components.menuRow": (fill) => {
    const options = rows((index) => ({ value: `${index}${fill(90)}`, label: fill(500), description: fill(200) }));
    return () => components.menuRow(name, name, options);
  },
  "components.message": () => () => components.message([]),
  "context.callerView":
    (_, { locale }) =>
    () =>
      callerView({}, locale),
  "custom-id.customIdIfFits": (fill) => {
    const args = [fill(6_000), fill(6_000)];
    return () => customIdIfFits("orders", "open", ...args);
  },
  "custom-id.customId": () => () => customId("orders", "open", name, "1"),
  "custom-id.parseCustomId": (fill) => {
    const ids = [fill(6_000), `a:b:${fill(6_000)}`, `a:b:${encodeURIComponent(fill(2_000).toWellFormed())}`];
    return () => [...ids, ":".repeat(6_000), "%".repeat(6_000), "a:b:%ff".repeat(800)].map(parseCustomId);
  },
  "custom-ids.pageIn": (fill) => () => pageIn(fill(6_000)),
  "customer.customerLine": (fill) => {
    const { customer } = largestOrder(fill);
    return () => (["none", "masked", "full"] as const).map((privacy) => customerLine(customer, privacy));
  },
  "customer.customerFields": (fill) => {
    const { customer } = largestOrder(fill);
    return () => (["none", "masked", "full"] as const).map((privacy) => customerFields(customer, privacy));
  },
  ...largestExportViews,
  ...largestImportViews,
  "greeting.greetingPost": (fill, { locale }) => {
    const server = fill(6_000);
    return () => greetingPost(locale, server);
  },
  "list-page.backRow":
    (_, { locale }) =>
    () =>
      backRow(customIds.orders, name, 1_000_000, locale),
  "list-page.listPage": (fill, { locale }) => {
    const entries = rows((index) => ({ text: fill(350), option: { value: String(index), label: fill(500) } }));
    const words = { title: "Orders", empty: "", emptyPage: "", pick: "Open", filter: [fill(6_000)] };
    const list = { ...paging, ...words, ids: customIds.orders, color: 0, entries, notes: [fill(6_000)] };
    return () => listPage(list, locale);
  },
  "modals.connectModal":
    (_, { locale }) =>
    () =>
      connectModal(name, locale),
  "modals.jumpModal":
    (_, { locale }) =>
    () =>
      jumpModal(name, 1_000_000, locale),
  "money.money": (_, ctx) => () => money(LONG_NUMBER, ctx),
  "money.lineTotal": () => () => lineTotal(LONG_NUMBER, LONG_NUMBER),
  "money.quantity":
    (_, { locale }) =>
    () =>
      quantity(LONG_NUMBER, locale),
  "notice.notice": (fill) => {
    const body = fill(6_000);
    return () => notice({ title: "Done", body, tone: "ok" });
  },
  "notice.post": (fill) => {
    const body = fill(6_000);
    return () => post({ title: "Done", body, tone: "ok" });
  },
  "order-card.orderCard": (fill, ctx) => {
    const order = largestOrder(fill);
    return () => orderCard(order, ctx, { handling: { take: undefined, past: mostPast } });
  },
  "order-lines.itemCount": (fill, { locale }) => {
    const item = { title: fill(500), quantity: LONG_NUMBER };
    return () => itemCount(item, locale, 160);
  },
  "order-lines.pricedItem": (fill, ctx) => {
    const item = { title: fill(500), quantity: 2, price: LONG_NUMBER };
    return () => pricedItem(item, ctx);
  },
  "order-lines.itemSummary": (fill, { locale }) => {
    const items = Array.from({ length: 100 }, () => ({ title: fill(500), quantity: 2 }));
    return () => itemSummary(items, locale, 1_900);
  },
  "order-page.orderPage": (fill, ctx) => {
    const order = largestOrder(fill, 100);
    const orders = rows((index) => ({ ...order, id: `${index}${fill(60)}` }));
    const filter = { statuses: Array.from({ length: 25 }, () => fill(100)), email: fill(254) };
    return () => orderPage({ ...paging, orders, filter, notes: [fill(6_000)] }, ctx);
  },
  "problem.problemText": (fill, { locale }) => {
    const permissions = Array(50).fill(fill(500));
    return () => problemText({ code: "forbidden", permissions }, locale);
  },
  "problem.problemNotice": (fill, { locale }) => {
    const why = problem(fill);
    return () => problemNotice(why, locale, "12345678");
  },
  "product-card.pictureUrl": (fill) => {
    const urls = [`https://a.example/${fill(2_000)}`, `https://${fill(2_000)}`, fill(2_048), "a.".repeat(1_024)];
    return () => urls.map(pictureUrl);
  },
  "product-card.categoryText": (fill, { locale }) => {
    const inCategory = Array(100).fill(fill(500));
    return () => categoryText(fill(64), inCategory, locale);
  },
  "product-card.priceLine": (_, ctx) => () => priceLine({ price: LONG_NUMBER, comparation: 1 }, ctx),
  "product-card.productCard": (fill, ctx) => {
    const product = largestProduct(fill);
    return () => productCard(product, ctx, { heading: "Preview", details: Array(50).fill(fill(400)) });
  },
  "product-page.productPage": (fill, ctx) => {
    const product = largestProduct(fill);
    const products = rows((index) => ({ ...product, id: `${index}${fill(60)}` }));
    const filter = { title: fill(200), categoryId: fill(64), inCategory: Array(100).fill(fill(500)) };
    return () => productPage({ ...paging, products, filter, notes: [fill(6_000)] }, ctx);
  },
  "permissions.permissionNames":
    (_, { locale }) =>
    () =>
      permissionNames(everyPermission, locale),
  "set-up.isClosed": () => () => isClosed({ missing: everyPermission }),
  "set-up.hurdleLines":
    (_, { locale }) =>
    () =>
      hurdleLines({ missing: everyPermission, isRoleSilent: true }, { channelId: "1", roleId: "2" }, locale),
  "set-up.setUpPanel": (fill, { locale }) => {
    const options = rows((index) => ({ value: `${index}${fill(90)}`, label: fill(500) }));
    const chosen = { channelId: "1", roleId: "2", rings: "both", language: locale, currency: fill(4) } as const;
    const menus = { currencies: options, timezone: fill(64), timezones: options };
    const hurdles = { missing: everyPermission, isRoleSilent: true, showsCustomers: true };
    return () => setUpPanel({ session: name, last4: fill(4), ...chosen, ...menus, hurdles }, locale);
  },
  "alerts-status.alertFacts": (fill, { locale }) => {
    const statuses = Array(25).fill(fill(500));
    return () => alertFacts({ roleId: "1", statuses }, locale);
  },
  "store-status.storeStatusLine": (fill, { locale }) => {
    const seen = { statusHonoured: true, emailHonoured: false, limitHonoured: undefined };
    const alerts = { channelId: "1", blockedSince: 1 };
    const store = { host: fill(6_000), last4: fill(4), now: problem(fill), alerts };
    const status = { ...store, ...seen, ...progress(fill), settings: settings(locale, fill) };
    return () => storeStatusLine(status, "a:b", locale);
  },
  "facts.facts": (fill) => () => facts(rows(() => [fill(500), fill(500)] as const)),
  "problem.ProblemError": (fill) => {
    const why = problem(fill);
    return () => new ProblemError(why);
  },
  "progress.progressFacts": (fill, { locale }) => {
    const now = progress(fill);
    return () => progressFacts(now, locale);
  },
  "settings.settingFacts": (fill, { locale }) => {
    const now = settings(locale, fill);
    return () => settingFacts(now, locale);
  },
  "settings.settingsNotice": (fill, { locale }) => {
    const now = settings(locale, fill);
    return () => settingsNotice(now, locale, fill(6_000));
  },
  "store-status.storeStatusNotice": (fill, { locale }) => {
    const seen = { statusHonoured: true, emailHonoured: false, limitHonoured: undefined };
    const store = { host: fill(6_000), last4: fill(4), refusedAt: 1, now: problem(fill) };
    const status = { ...store, ...seen, ...progress(fill), settings: settings(locale, fill) };
    return () => storeStatusNotice(status, locale);
  },
  "alerts-status.alertsStatusNotice": (fill, { locale }) => {
    const alerts = { channelId: "1", roleId: "2", statuses: Array(25).fill(fill(500)), blockedSince: 1 };
    const counts = { owed: 9_999, followed: 9_999, withoutButtons: 9_999, baselineCounted: 9_999 };
    const status = { ...alerts, ...progress(fill), ...counts };
    return () => alertsStatusNotice(status, locale);
  },
  "confirmation.confirmation": (fill, { locale }) => {
    const body = fill(6_000);
    return () => confirmation({ body }, { confirm: "a:b", cancel: "a:c" }, locale);
  },
  "payment-method.paymentMethod": (fill, { locale }) => {
    const method = fill(500);
    return () => paymentMethod(method, locale, 100);
  },
  "status.statusWord": (fill, { locale }) => {
    const status = fill(100);
    return () => statusWord(status, locale);
  },
  "status.statusView": (fill, { locale }) => {
    const status = fill(100);
    return () => statusView(status, locale);
  },
  "text.plain": (fill) => {
    const text = fill(5_000);
    return () => plain(text, 3_900);
  },
  "text.label": (fill) => {
    const text = fill(5_000);
    return () => label(text, 3_900);
  },
  "text.code": (fill) => {
    const text = fill(5_000);
    return () => code(text, 3_900);
  },
  "text.shortId": (fill) => () => shortId(fill(5_000)),
  "text.clip": (fill) => {
    const text = fill(100_000);
    return () => clip(text, 3_900);
  },
  "text.fitLines": (fill) => {
    const items = Array(500).fill(fill(1));
    return () => fitLines(items, (line: string) => plain(line, 100), 3_900, String);
  },
};
