import { el } from "./el.js";
import { listBox } from "./list-box.js";

/**
 * A menu of a message: a button that opens the list of its options, and presses when one is picked.
 *
 * @param {any} component
 * @param {import("./components-view.js").Scene} scene
 */
export function menu(component, { press }) {
  const title = component.placeholder ?? "Choose";
  const control = el(
    "button",
    {
      type: "button",
      role: "combobox",
      class: "menu-button",
      "aria-haspopup": "listbox",
      "aria-label": title,
      disabled: component.disabled ?? false,
      "data-custom-id": component.custom_id,
    },
    el("span", {}, title),
    el("span", { class: "chevron", "aria-hidden": "true" }, "▾"),
  );
  const list = listBox({
    label: title,
    owner: control,
    onPick(entry) {
      list.close();
      press(component.custom_id, control, [String(entry.value)]);
    },
  });
  const options = component.options.map(({ label, description, value }) => ({ label, hint: description, value }));
  control.addEventListener("click", () => (list.isOpen() ? list.close() : list.show(options)));
  control.addEventListener("keydown", (event) => {
    if (list.key(event)) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      list.show(options);
    }
  });
  control.addEventListener("blur", () => list.close());
  return el("div", { class: "menu" }, control, list.element);
}
