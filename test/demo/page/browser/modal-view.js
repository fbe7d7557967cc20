import { TYPE } from "./component-types.js";
import { upload } from "./connection.js";
import { el, freshId } from "./el.js";
import { markdown } from "./markdown.js";
import { say } from "./words.js";

const PARAGRAPH = 2;

/**
 * `read` returns the value when the form is sent, or undefined if the input is left out.
 *
 * @typedef {{ control: HTMLElement, read: () => Promise<unknown> }} Field
 */

function textField(input, id) {
  const common = {
    id,
    name: input.custom_id,
    value: input.value ?? "",
    placeholder: input.placeholder ?? "",
    required: input.required ?? true,
    maxLength: input.max_length ?? 4_000,
    minLength: input.min_length ?? 0,
    autocomplete: "off",
  };
  const control =
    input.style === PARAGRAPH ? el("textarea", { ...common, rows: 3 }) : el("input", { ...common, type: "text" });
  return { control, read: async () => control.value };
}

function selectField(input, id) {
  const many = (input.max_values ?? 1) > 1;
  const control = el(
    "select",
    { id, name: input.custom_id, required: input.required ?? true, multiple: many },
    ...(many || input.options.some((option) => option.default)
      ? []
      : [el("option", { value: "" }, input.placeholder ?? say().choose)]),
    ...input.options.map((option) =>
      el("option", { value: option.value, selected: option.default ?? false }, option.label),
    ),
  );
  return { control, read: async () => [...control.selectedOptions].map(({ value }) => value).filter(Boolean) };
}

function fileField(input, id) {
  const control = el("input", {
    type: "file",
    id,
    name: input.custom_id,
    required: input.required ?? true,
    multiple: (input.max_values ?? 1) > 1,
    accept: (input.file_types ?? []).join(","),
  });
  return { control, read: () => Promise.all([...control.files].map(upload)) };
}

const fields = { [TYPE.textInput]: textField, [TYPE.stringSelect]: selectField, [TYPE.fileUpload]: fileField };

function labelled(label, hint, input, { into, aids }) {
  const make = fields[input.type];
  const id = freshId("field");
  if (make === undefined) return el("p", { class: "hint" }, `(an input of type ${input.type} is not drawn here)`);
  const field = make(input, id);
  into.push([input.custom_id, field]);
  const aid = aids[input.custom_id];
  const required = input.required ?? true;
  const hintId = hint ? freshId("hint") : undefined;
  if (hintId) field.control.setAttribute("aria-describedby", hintId);
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label, required && el("span", { class: "required", "aria-hidden": "true" }, " *")),
    hint && el("p", { class: "hint", id: hintId }, hint),
    field.control,
    aid?.(),
  );
}

/**
 * @param {{ title: string, components: any[] }} modal
 * @param {import("./markdown.js").Names} names
 * @param {(values: Record<string, unknown>) => Promise<void>} submit rejects with a sentence if the bot refuses the values
 * @param {Record<string, () => HTMLElement>} aids elements that the demo puts below an input, by its custom id
 * @param {() => void} leave takes the focus if the element that had it is gone
 */
export function openModal(modal, names, submit, aids, leave) {
  /** @type {[string, Field][]} */
  const inputs = [];
  const at = { into: inputs, aids };
  const titleId = freshId("title");
  const refusal = el("p", { class: "refusal", role: "alert" });
  const rows = modal.components.flatMap((component) => {
    if (component.type === TYPE.label)
      return [labelled(component.label, component.description, component.component, at)];
    return component.type === TYPE.textDisplay ? [markdown(component.content, names)] : [];
  });
  const send = el("button", { type: "submit", class: "button primary" }, say().submit);
  const form = el(
    "form",
    { method: "dialog" },
    el(
      "header",
      {},
      el("img", { src: "/page/shopbell.svg", alt: "", width: 28, height: 28 }),
      el("h2", { id: titleId }, modal.title),
    ),
    el("p", { class: "form-note" }, say().formNote),
    el("div", { class: "fields" }, ...rows),
    refusal,
    el(
      "footer",
      {},
      el("button", { type: "button", class: "button link-button", onclick: () => dialog.close() }, say().cancel),
      send,
    ),
  );
  const dialog = el("dialog", { class: "modal", "aria-labelledby": titleId }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    refusal.textContent = "";
    try {
      const values = await Promise.all(inputs.map(async ([name, { read }]) => [name, await read()]));
      await submit(Object.fromEntries(values));
      dialog.close();
    } catch (error) {
      refusal.textContent = error.message;
    } finally {
      send.disabled = false;
    }
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (document.activeElement === document.body) leave();
  });
  document.body.append(dialog);
  dialog.showModal();
}
