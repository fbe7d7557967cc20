import { optionText } from "./command-model.js";
import { el } from "./el.js";
import { optionField } from "./option-field.js";
import { say } from "./words.js";

/**
 * @param {object} of
 * @param {import("./command-model.js").Typable} of.command
 * @param {Record<string, string>} of.given values that are filled in already, by option
 * @param {any} of.places channels, roles and people to choose from
 * @param {(focused: string, options: Record<string, unknown>) => Promise<any[]>} of.suggest
 * @param {(options: Record<string, unknown>) => Promise<void>} of.send
 */
export function commandForm({ command, given, locale, places, suggest, send, cancel }) {
  /** @type {Map<string, import("./option-field.js").OptionField>} */
  const fields = new Map();
  const filled = el("div", { class: "options" });
  const more = el("div", { class: "more-options" });

  const values = async (without) => {
    const read = await Promise.all(
      [...fields].filter(([name]) => name !== without).map(async ([name, field]) => [name, await field.read()]),
    );
    return Object.fromEntries(read.filter(([, value]) => value !== undefined));
  };

  const add = (option) => {
    const field = optionField({
      option,
      locale,
      places,
      suggest: async () => suggest(option.name, { ...(await values(option.name)), [option.name]: field.control.value }),
    });
    if (option.name in given) field.control.value = given[option.name];
    fields.set(option.name, field);
    filled.append(field.element);
    return field;
  };

  for (const option of command.options) {
    if (option.required || option.name in given) add(option);
    else {
      const { name, hint } = optionText(option, locale);
      const onclick = () => {
        adder.remove();
        add(option).control.focus();
      };
      const adder = el("button", { type: "button", class: "add-option", title: hint, onclick }, `+ ${name}`);
      more.append(adder);
    }
  }

  const submit = el("button", { type: "submit", class: "button primary" }, say().send);
  const form = el(
    "form",
    { class: "command-form", "aria-label": command.label },
    el(
      "div",
      { class: "command-head" },
      el("strong", { class: "command-name" }, command.label),
      el("span", { class: "command-hint" }, command.hint),
    ),
    filled,
    el(
      "div",
      { class: "command-foot" },
      more,
      el("button", { type: "button", class: "button link-button", onclick: cancel }, say().cancel),
      submit,
    ),
  );
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    cancel();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      await send(await values());
    } finally {
      submit.disabled = false;
    }
  });
  return { element: form, focus: () => ([...fields.values()][0]?.control ?? submit).focus() };
}
