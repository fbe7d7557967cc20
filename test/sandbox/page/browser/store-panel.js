import { byId, el } from "./el.js";
import { timestamp } from "./timestamps.js";

const money = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const tones = { PENDING: "waiting", PAID: "good", CANCELLED: "ended", REFUNDED: "reversed" };

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

/**
 * Orders and products of the pretend store.
 *
 * @param {(action: string, body?: object) => Promise<void>} act
 */
export function createStorePanel(act) {
  const orders = byId("panel-orders");
  const products = byId("panel-products");
  const orderTable = el("div", { class: "table" });
  const orderCount = el("p", { class: "count" });
  const arrivals = el("input", { type: "checkbox", role: "switch", id: "arrivals" });
  arrivals.addEventListener("change", () => act("arrivals", { on: arrivals.checked }));
  const productTable = el("div", { class: "table" });
  const productCount = el("p", { class: "count" });
  const token = el("code", { class: "token" });

  orders.append(
    el(
      "div",
      { class: "actions" },
      button("Place an order", () => act("place-orders", { count: 1 }), "primary"),
      button("Place 100", () => act("place-orders", { count: 100 })),
      el("label", { class: "switch", for: "arrivals" }, arrivals, "One every 10 s"),
    ),
    orderCount,
    orderTable,
  );
  products.append(productCount, productTable);

  const row = ({ id, status, items, total, paymentMethod, createdAt }) => {
    const set = (next) => () => act("set-status", { id, status: next });
    const short = id.slice(0, 8);
    const pending = status === "PENDING";
    const named = (text, next) => {
      const control = button(text, set(next), "small");
      control.setAttribute("aria-label", `${text} order ${short}`);
      return control;
    };
    return el(
      "tr",
      { "data-order": id },
      el(
        "td",
        {},
        el(
          "div",
          { class: "order-head" },
          el("code", { title: id }, short),
          timestamp(Date.parse(createdAt) / 1_000, "R"),
        ),
        el("div", { class: "items" }, items),
      ),
      el("td", { class: "number" }, el("div", {}, money.format(total)), el("div", { class: "payment" }, paymentMethod)),
      el(
        "td",
        { class: "state" },
        el("span", { class: `badge ${tones[status] ?? "unknown"}` }, status),
        pending && el("div", { class: "marks" }, named("Paid", "PAID"), named("Cancel", "CANCELLED")),
      ),
    );
  };

  return {
    token,
    /** @param {any} store */
    show(store) {
      token.textContent = store.token;
      const rest = store.orderCount - store.orders.length;
      orderCount.textContent = `${store.orderCount} orders${rest > 0 ? `, the newest ${store.orders.length} shown` : ""}`;
      orderTable.replaceChildren(
        table("Orders, newest first", [["Order"], ["Total", "number"], ["Status"]], store.orders.map(row)),
      );
      productCount.textContent = `${store.productCount} products. Add one with /add-product.`;
      const stockOf = ({ stock, stockLines }) =>
        stock ? `${stock}${stockLines ? ` (${stockLines} lines)` : ""}` : "—";
      productTable.replaceChildren(
        table(
          "Products, newest first",
          [["Product"], ["Price", "number"], ["Stock sent"]],
          store.products.map((product) =>
            el(
              "tr",
              {},
              el("td", {}, product.title),
              el("td", { class: "number" }, money.format(product.price)),
              el("td", {}, stockOf(product)),
            ),
          ),
        ),
      );
    },
    /** @param {boolean} on */
    arrive(on) {
      arrivals.checked = on;
    },
  };
}
