import { OPTION, optionText, typedValue } from "./command-model.js";
import { upload } from "./connection.js";
import { el, freshId } from "./el.js";
import { listBox } from "./list-box.js";
import { say } from "./words.js";

const typingPauseMs = 150;

/**
 * @typedef {object} OptionField
 * @property {HTMLElement} element
 * @property {any} control
 * @property {() => Promise<unknown>} read returns the value, or undefined if there is none
 */

const choice = (value, text) => el("option", { value }, text);

function selectFor(option, places, locale) {
  const lists = {
    [OPTION.boolean]: () => [choice("true", say().yes), choice("false", say().no)],
    [OPTION.channel]: () =>
      places.channels
        .filter(({ type }) => !option.channel_types?.length || option.channel_types.includes(type))
        .map(({ id, name }) => choice(id, `#${name}`)),
    [OPTION.role]: () => places.roles.map(({ id, name }) => choice(id, `@${name}`)),
  };
  const list = lists[option.type];
  if (list !== undefined) return list();
  return option.choices?.map((one) => choice(String(one.value), optionText(one, locale).name));
}

function controlFor(option, { places, locale }, common) {
  const options = selectFor(option, places, locale);
  if (options !== undefined) return el("select", common, choice("", "…"), ...options);
  if (option.type === OPTION.attachment) return el("input", { ...common, type: "file" });
  if (option.type === OPTION.integer) {
    return el("input", { ...common, type: "number", min: option.min_value, max: option.max_value });
  }
  const lengths = { maxLength: option.max_length ?? 6_000, minLength: option.min_length ?? 0 };
  return el("input", { ...common, type: "text", autocomplete: "off", ...lengths });
}

/**
 * @param {{ option: any, locale: string, places: any, suggest: (option: any) => Promise<any[]> }} of
 * @returns {OptionField}
 */
export function optionField({ option, locale, places, suggest }) {
  const { name, hint } = optionText(option, locale);
  const id = freshId("option");
  const hintId = freshId("hint");
  const common = { id, name: option.name, required: option.required, "aria-describedby": hintId };
  const control = controlFor(option, { places, locale }, common);
  const box = el("div", { class: "option-control" }, control);
  const parts = [
    el("label", { for: id }, name, option.required && el("span", { class: "required", "aria-hidden": "true" }, " *")),
    box,
    el("p", { class: "option-note", id: hintId }, hint),
  ];
  // A choice shows its name, but its value is sent.
  let chosen;

  if (option.autocomplete) {
    control.setAttribute("role", "combobox");
    control.setAttribute("aria-autocomplete", "list");
    const list = listBox({
      label: () => say().suggestionsFor(name),
      owner: control,
      empty: () => say().noSuggestions,
      onPick(entry) {
        chosen = { label: entry.label, value: entry.value };
        control.value = entry.label;
        list.close();
      },
    });
    let turn = 0;
    let timer;
    const ask = async () => {
      turn += 1;
      const mine = turn;
      const found = await suggest(option).catch(() => []);
      if (mine === turn && document.activeElement === control) {
        list.show(found.map((entry) => ({ label: entry.name, value: entry.value })));
      }
    };
    control.addEventListener("input", () => {
      chosen = undefined;
      clearTimeout(timer);
      timer = setTimeout(ask, typingPauseMs);
    });
    control.addEventListener("focus", () => void ask());
    control.addEventListener("blur", () => list.close());
    control.addEventListener("keydown", (event) => {
      if (list.key(event)) event.stopPropagation();
    });
    box.append(list.element);
  }

  const text = () => (chosen !== undefined && chosen.label === control.value ? String(chosen.value) : control.value);
  return {
    element: el("div", { class: "option-field" }, ...parts),
    control,
    async read() {
      if (option.type === OPTION.attachment) return control.files[0] && upload(control.files[0]);
      return text() === "" ? undefined : typedValue(option, text());
    },
  };
}
