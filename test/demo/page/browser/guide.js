import { byId, el } from "./el.js";
import { say } from "./words.js";

/** The steps to try, in this order. The demo's set-up does the first two steps. */
const names = ["connect", "sample", "order", "take", "paid", "route", "feed", "orders", "files", "stats", "trouble"];

const commands = {
  connect: "store connect",
  route: "alerts route add",
  orders: "orders",
  stats: "stats",
  files: "import-products",
};

/** @typedef {"connect" | "sample" | "order" | "take" | "paid" | "route" | "feed" | "orders" | "files" | "stats" | "trouble"} StepName */

/**
 * Makes a bar with the next step to try. It can be unfolded to show all steps.
 *
 * @param {object} of
 * @param {Record<StepName, () => void>} of.tries
 * @param {(name: string) => string} of.commandLabel returns a command as the reader types it
 * @param {() => void} of.startOver
 */
export function createGuide({ tries, commandLabel, startOver }) {
  const place = byId("guide");
  const done = new Set();
  let isOpen = false;

  const fold = (open) => {
    isOpen = open;
    draw();
  };
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !isOpen) return;
    fold(false);
    place.querySelector(".guide-toggle").focus();
  });
  // The reader needs the room to write or choose something elsewhere.
  document.addEventListener("focusin", ({ target }) => {
    if (isOpen && !place.contains(target)) fold(false);
  });
  const tryButton = (name, kind) => {
    const [, label] = say().steps[name];
    const onclick = () => {
      if (isOpen) fold(false);
      tries[name]();
    };
    return el(
      "button",
      { type: "button", class: `button small ${kind}`, onclick },
      label(commandLabel(commands[name])),
    );
  };

  const step = (name) => {
    const isDone = done.has(name);
    const again = () => {
      fold(false);
      startOver();
    };
    return el(
      "li",
      { class: isDone ? "done" : "" },
      el("span", { class: "mark", "aria-hidden": "true" }, isDone ? "✓" : ""),
      el("span", {}, say().steps[name][0], isDone && el("span", { class: "unseen" }, say().done)),
      name === "connect" && isDone
        ? el("button", { type: "button", class: "button small", onclick: again }, say().startOver)
        : (name !== "sample" || !isDone) && tryButton(name, ""),
    );
  };

  function draw() {
    const focused = place.contains(document.activeElement) ? document.activeElement?.className : undefined;
    const now = names.find((name) => !done.has(name));
    const text = now === undefined ? say().allTried : say().steps[now][0];
    const toggle = el(
      "button",
      {
        type: "button",
        class: "guide-toggle",
        "aria-expanded": String(isOpen),
        "aria-controls": "guide-steps",
        "aria-label": `${done.size}/${names.length} ${say().allSteps}`,
        onclick: () => fold(!isOpen),
      },
      el("span", { class: "chevron", "aria-hidden": "true" }, "▾"),
      ` ${done.size}/${names.length}`,
    );
    const hide = el(
      "button",
      { type: "button", class: "close", "aria-label": say().hideGuide, onclick: () => place.remove() },
      "✕",
    );
    place.replaceChildren(
      el(
        "div",
        { class: "guide-bar" },
        toggle,
        el("p", { class: "guide-now" }, text),
        now !== undefined && tryButton(now, "next"),
        hide,
      ),
      el("ol", { id: "guide-steps", class: "guide-steps", hidden: !isOpen }, ...names.map(step)),
    );
    if (focused) place.querySelector(`.${focused.split(" ").join(".")}`)?.focus();
  }
  draw();

  return {
    /** Call this after the language or the commands changed. */
    draw,
    mark(name, isDone = true) {
      if (done.has(name) === isDone) return;
      if (isDone) done.add(name);
      else done.delete(name);
      draw();
    },
  };
}
