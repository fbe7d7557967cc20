import { TYPE } from "./component-types.js";
import { el } from "./el.js";
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
  const chosen = new Set(component.default_values?.map(({ id }) => id));
  const entries = (lists[component.type]?.() ?? component.options).map(
    ({ label, description, value, default: preset }) => ({
      text: description ? `${label} · ${description}` : label,
      value,
      isChosen: preset ?? chosen.has(value),
    }),
  );
  return component.min_values === 0 ? [{ text: "✕", value: "", isChosen: false }, ...entries] : entries;
}

/**
 * The menu is pressed when an option is picked, and shows again what it showed before.
 *
 * @param {any} component
 * @param {import("./components-view.js").Scene} scene
 */
export function menu(component, { press, places }) {
  const entries = entriesOf(component, places());
  const title = component.placeholder ?? say().choose;
  const shown = entries.findIndex(({ isChosen }) => isChosen);
  const control = el(
    "select",
    {
      class: "menu",
      "aria-label": title,
      disabled: component.disabled ?? false,
      "data-custom-id": component.custom_id,
    },
    el("option", { hidden: true }, title),
    ...entries.map(({ text, value }) => el("option", { value }, text)),
  );
  control.selectedIndex = shown + 1;
  control.addEventListener("change", () => {
    const { value } = control;
    control.selectedIndex = shown + 1;
    press(component.custom_id, control, value === "" ? [] : [value]);
  });
  // A closed menu would take an arrow or a letter for a choice.
  control.addEventListener("keydown", (event) => {
    if (["Tab", "Shift", "Escape"].includes(event.key) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    control.showPicker();
  });
  return control;
}
