import { el, freshId } from "./el.js";

/** @typedef {{ label: string, hint?: string, value: unknown }} Entry */

/**
 * The keys are those of the owner, because the list itself never has the focus (ARIA: aria-activedescendant).
 *
 * @param {{ label: () => string, owner: HTMLElement, onPick: (entry: Entry) => void, empty: () => string }} options
 */
export function listBox({ label, owner, onPick, empty }) {
  const list = el("ul", {
    role: "listbox",
    id: freshId("list"),
    class: "list-box",
    "aria-label": label(),
    hidden: true,
  });
  owner.setAttribute("aria-controls", list.id);
  owner.setAttribute("aria-expanded", "false");
  /** @type {Entry[]} */
  let entries = [];
  let active = -1;

  function mark(next) {
    active = next;
    for (const [index, option] of [...list.children].entries()) {
      option.setAttribute("aria-selected", String(index === active));
    }
    const option = list.children[active];
    if (option === undefined || entries.length === 0) owner.removeAttribute("aria-activedescendant");
    else {
      owner.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    }
  }

  function close() {
    list.hidden = true;
    owner.setAttribute("aria-expanded", "false");
    owner.removeAttribute("aria-activedescendant");
  }

  function show(next) {
    entries = next;
    list.setAttribute("aria-label", label());
    list.replaceChildren(
      ...(entries.length === 0
        ? [el("li", { class: "empty", role: "option", "aria-disabled": "true" }, empty())]
        : entries.map((entry) =>
            el(
              "li",
              {
                role: "option",
                id: freshId("option"),
                // This event comes before the owner would lose the focus.
                onmousedown: (event) => {
                  event.preventDefault();
                  onPick(entry);
                },
              },
              el("span", { class: "option-label" }, entry.label),
              entry.hint && el("span", { class: "option-hint" }, entry.hint),
            ),
          )),
    );
    list.hidden = false;
    owner.setAttribute("aria-expanded", "true");
    mark(entries.length > 0 ? 0 : -1);
  }

  return {
    element: list,
    show,
    close,
    /** For a key that was pressed in the owner. Returns whether the list used it. */
    key(event) {
      if (list.hidden) return false;
      const steps = { ArrowDown: 1, ArrowUp: -1 };
      const step = steps[event.key];
      if (step !== undefined && entries.length > 0) mark((active + step + entries.length) % entries.length);
      else if ((event.key === "Enter" || event.key === "Tab") && entries[active] !== undefined) onPick(entries[active]);
      else if (event.key === "Escape") close();
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
