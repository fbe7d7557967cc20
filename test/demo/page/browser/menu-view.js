import { TYPE } from "./component-types.js";
import { el } from "./el.js";
import { listBox } from "./list-box.js";
import { say } from "./words.js";

/** Marks the entries that are chosen already. If a menu may be empty, one entry empties it. */
function entriesOf(component, { channels, roles }) {
  const lists = {
    [TYPE.channelSelect]: () =>
      channels
        .filter(({ type }) => !component.channel_types?.length || component.channel_types.includes(type))
        .map(({ id, name }) => ({ label: `#${name}`, value: id })),
    [TYPE.roleSelect]: () => roles.map(({ id, name }) => ({ label: `@${name}`, value: id })),
  };
  const list = lists[component.type]?.();
  const chosen = new Set(component.default_values?.map(({ id }) => id));
  const entries = (list ?? component.options).map(({ label, description, value, default: preset }) => ({
    label,
    hint: description,
    value,
    isChosen: preset ?? chosen.has(value),
  }));
  return component.min_values === 0 ? [{ label: "✕", value: undefined, isChosen: false }, ...entries] : entries;
}

/**
 * A button that opens the list of options. The menu is pressed when an option is picked.
 *
 * @param {any} component
 * @param {import("./components-view.js").Scene} scene
 */
export function menu(component, { press, places }) {
  const options = entriesOf(component, places());
  const title = component.placeholder ?? say().choose;
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
    el("span", {}, options.find(({ isChosen }) => isChosen)?.label ?? title),
    el("span", { class: "chevron", "aria-hidden": "true" }, "▾"),
  );
  const list = listBox({
    label: () => title,
    owner: control,
    onPick(entry) {
      list.close();
      press(component.custom_id, control, entry.value === undefined ? [] : [String(entry.value)]);
    },
  });
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
