import { type Component, flat, isSelect, TYPE } from "./components.ts";
import type { OpenedModal } from "./interactions.ts";
import type { ApiMessage, Attachment } from "./model.ts";
import { type Place, type Resolved, resolveChannel, resolvedIn, resolveFile, resolveRole } from "./resolved.ts";
import type { World } from "./world.ts";

/** By label or custom id. An input that is left out keeps the value that the modal gave it. */
export type ModalFields = Readonly<Record<string, string | readonly string[] | readonly Attachment[]>>;

type Pressable = Component & { readonly custom_id: string };

function refuse(field: string, why: string): never {
  throw new Error(`Discord's client would not send "${field}": ${why}`);
}

function checkCount(field: string, input: Component, count: number, required = input.required ?? true): void {
  const { min_values: least = required ? 1 : 0, max_values: most = 1 } = input;
  if (count === 0 && !required) return;
  if (count < Math.max(least, required ? 1 : 0) || count > most)
    refuse(field, `${count} chosen, not ${least} to ${most}`);
}

function chosen(at: Place, field: string, menu: Component, values: readonly string[], into: Resolved): string[] {
  return values.map((name) => {
    if (menu.type === TYPE.roleSelect && resolveRole(at, name, into)) return name;
    if (menu.type === TYPE.channelSelect && resolveChannel(at, name, into)) return name;
    const option = menu.options?.find(({ value, label }) => value === name || label === name);
    return option?.value ?? refuse(field, `it has no option ${name}`);
  });
}

/** Finds by custom id, label, placeholder or emoji. Throws a sentence if nobody could press it. */
export function findPressable(message: ApiMessage, customIdOrLabel: string): Pressable {
  const all = flat(message.components as unknown as readonly Component[]);
  const fits = ({ custom_id, label, placeholder, emoji }: Component) =>
    [custom_id, label, placeholder, emoji?.name].includes(customIdOrLabel);
  const component = all.find((candidate) => (candidate.type === TYPE.button || isSelect(candidate)) && fits(candidate));
  if (component?.custom_id === undefined) throw new Error(`the message has no button or menu "${customIdOrLabel}"`);
  if (component.disabled) throw new Error(`"${customIdOrLabel}" is disabled`);
  return { ...component, custom_id: component.custom_id };
}

/** `values` are the values chosen from a menu. */
export function pressPayload(at: Place, component: Pressable, values: readonly string[]) {
  const { id, type: component_type, custom_id, placeholder } = component;
  const pressed = { id, component_type, custom_id };
  if (!isSelect(component)) return pressed;
  const name = placeholder ?? custom_id;
  checkCount(name, component, values.length, component.min_values !== 0);
  const resolved: Resolved = {};
  return { ...pressed, values: chosen(at, name, component, values, resolved), ...resolvedIn(resolved) };
}

function textPayload(field: string, input: Component, given: unknown) {
  const value = given ?? input.value ?? "";
  if (typeof value !== "string") return refuse(field, "it takes text");
  if (value === "" && (input.required ?? true)) refuse(field, "it is required");
  const { min_length: least = 0, max_length: most = 4_000 } = input;
  if (value !== "" && (value.length < least || value.length > most)) {
    refuse(field, `its length is ${value.length}, not ${least} to ${most}`);
  }
  return { value };
}

function uploadPayload(world: World, field: string, input: Component, given: unknown, into: Resolved) {
  const allowed = input.file_types ?? [];
  const values = [given ?? []].flat().map((file: unknown) => {
    if (!resolveFile(world, file, into)) return refuse(field, "it takes uploaded files");
    const suffix = file.filename.slice(file.filename.lastIndexOf(".")).toLowerCase();
    const fits = allowed.some(
      (type) => type.toLowerCase().replace(/^\.?/, ".") === suffix || file.content_type?.startsWith(type),
    );
    if (allowed.length > 0 && !fits) refuse(field, `${file.filename} is none of ${allowed.join(", ")}`);
    return file.id;
  });
  checkCount(field, input, values.length);
  return { values };
}

function inputPayload(world: World, at: Place, field: string, input: Component, given: unknown, into: Resolved) {
  if (input.type === TYPE.textInput) return textPayload(field, input, given);
  if (input.type === TYPE.fileUpload) return uploadPayload(world, field, input, given, into);
  const preset = (input.options ?? []).filter((option) => option.default).map(({ value }) => value);
  const values = chosen(at, field, input, given === undefined ? preset : [given].flat().map(String), into);
  checkCount(field, input, values.length);
  return { values };
}

/** Throws a sentence if a Discord client would not let a person send the fields. */
export function modalPayload(world: World, at: Place, modal: OpenedModal, fields: ModalFields) {
  const resolved: Resolved = {};
  const used = new Set<string>();
  const components = modal.components.map(({ type, label = "", component: input }, index) => {
    const id = 2 * index + 1;
    if (input === undefined) return { type, id };
    const { type: inputType, custom_id = "" } = input;
    const key = [custom_id, label].find((name) => name in fields);
    if (key !== undefined) used.add(key);
    const given = key === undefined ? undefined : fields[key];
    const payload = inputPayload(world, at, label, input, given, resolved);
    return { type, id, component: { type: inputType, id: id + 1, custom_id, ...payload } };
  });
  const stray = Object.keys(fields).filter((name) => !used.has(name));
  if (stray.length > 0) throw new Error(`the modal "${modal.title}" has no field called ${stray.join(", ")}`);
  return { custom_id: modal.custom_id, components, ...resolvedIn(resolved) };
}
