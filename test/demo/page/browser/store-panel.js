import { byId, el } from "./el.js";
import { timestamp } from "./timestamps.js";
import { tokenLine } from "./token-line.js";
import { inDigits, language, say, word } from "./words.js";

/** Formats an amount as the bot does. */
const money = (amount, currency) =>
  new Intl.NumberFormat(language(), { style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(amount);
const tones = { PENDING: "waiting", PAID: "good", DELIVERED: "good", CANCELLED: "ended", REFUNDED: "reversed" };

const button = (text, onclick, kind = "secondary") =>
  el("button", { type: "button", class: `button ${kind}`, onclick }, text);

function table(caption, headings, rows) {
  const heads = headings.map(([text, kind]) => el("th", { scope: "col", class: kind ?? "" }, text));
  return el(
    "table",
    {},
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows),
  );
}

/** The second row has the items and, while the order is pending, the buttons that change its status. */
function orderRows({ id, status, items, total, paymentMethod, createdAt }, currency, act) {
  const set = (next) => () => act("set-status", { id, status: next });
  const short = id.slice(0, 8);
  const pending = status === "PENDING";
  const named = (text, next) => {
    const control = button(text, set(next), "small");
    control.setAttribute("aria-label", say().markOrder(text, short));
    return control;
  };
  return [
    el(
      "tr",
      {},
      el(
        "td",
        { class: "order-head" },
        el("code", { title: id }, short),
        timestamp(Date.parse(createdAt) / 1_000, "R"),
      ),
      el("td", { class: "number" }, money(total, currency)),
      el(
        "td",
        { class: "state" },
        el("span", { class: `badge ${tones[status] ?? "unknown"}` }, say().statuses[status] ?? status),
      ),
    ),
    el(
      "tr",
      { class: "order-items" },
      el(
        "td",
        { colSpan: 3 },
        el("div", { class: "items" }, items),
        el(
          "div",
          { class: "order-foot" },
          el("span", { class: "note" }, say().payments[paymentMethod] ?? paymentMethod),
          pending && named(say().markPaid, "PAID"),
          pending && named(say().markCancelled, "CANCELLED"),
        ),
      ),
    ),
  ];
}

function productRow({ title, price, stockLines }, currency) {
  return el(
    "tr",
    {},
    el("td", {}, title, stockLines > 0 && el("div", { class: "note" }, say().stock(inDigits(stockLines)))),
    el("td", { class: "number" }, money(price, currency)),
  );
}

/** `addLabel` returns the command that adds a product. */
export function createStorePanel(act, addLabel) {
  const orders = byId("panel-orders");
  const products = byId("panel-products");
  const orderTable = el("div", { class: "table" });
  const orderCount = el("p", { class: "count" });
  const productTable = el("div", { class: "table" });
  const productCount = el("p", { class: "count" });
  const token = tokenLine("");

  orders.append(
    el(
      "div",
      { class: "actions" },
      button(word("placeOrder"), () => act("place-orders", { count: 1 }), "primary"),
      button(word("placeHundred"), () => act("place-orders", { count: 100 })),
    ),
    orderCount,
    orderTable,
  );
  products.append(productCount, productTable);

  return {
    token: token.element,
    show(store) {
      token.show(store.token);
      const rest = store.orderCount - store.orders.length;
      orderCount.textContent =
        say().orderCount(inDigits(store.orderCount)) + (rest > 0 ? say().newestShown(store.orders.length) : "");
      orderTable.replaceChildren(
        table(
          say().ordersTable,
          [[say().order], [say().total, "number"], [say().status, "state"]],
          store.orders.flatMap((order) => orderRows(order, store.currency, act)),
        ),
      );
      productCount.textContent = say().productCount(inDigits(store.productCount), addLabel());
      productTable.replaceChildren(
        table(
          say().productsTable,
          [[say().product], [say().price, "number"]],
          store.products.map((product) => productRow(product, store.currency)),
        ),
      );
    },
  };
}
