import { byId, el } from "./el.js";

/**
 * Three things to try in the first minute.
 *
 * @param {{ order: () => void, pay: () => void, command: (text: string) => void }} tries
 */
export function createGuide({ order, pay, command }) {
  const place = byId("guide");
  const steps = [
    ["order", "Place an order and hear it ring", "Place an order", order],
    ["paid", "Mark it paid and see its message change", "Mark it paid", pay],
    ["orders", "Look up orders as the owner does", "Type /orders", () => command("/orders")],
  ];
  const done = new Set();

  const draw = () =>
    place.replaceChildren(
      el(
        "h3",
        {},
        done.size < steps.length ? "Try these three things" : "That was all of it. Now try Trouble, in the store.",
      ),
      el(
        "ol",
        {},
        ...steps.map(([name, text, label, onclick]) =>
          el(
            "li",
            { class: done.has(name) ? "done" : "" },
            el("span", { class: "mark", "aria-hidden": "true" }, done.has(name) ? "✓" : ""),
            el("span", {}, text, done.has(name) && el("span", { class: "unseen" }, " (done)")),
            el("button", { type: "button", class: "button small", onclick }, label),
          ),
        ),
      ),
      el(
        "button",
        { type: "button", class: "close", "aria-label": "Hide the suggestions", onclick: () => place.remove() },
        "✕",
      ),
    );
  draw();
  return {
    /** @param {"order" | "paid" | "orders"} name */
    done(name) {
      if (done.has(name)) return;
      done.add(name);
      draw();
    },
  };
}
