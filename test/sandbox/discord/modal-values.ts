import { type Component, TYPE } from "./components.ts";
import type { OpenedModal } from "./interactions.ts";
import type { Attachment } from "./model.ts";
import { type Resolved, resolveChannel, resolveRole, resolveUser } from "./option-values.ts";
import type { Place } from "./place.ts";
import type { World } from "./world.ts";

/** What a person fills into a modal, by label or custom id; a field left out keeps what the modal filled in. */
export type ModalFields = Readonly<Record<string, string | boolean | readonly string[] | readonly Attachment[]>>;

function refuse(field: string, why: string): never {
  throw new Error(`Discord's client would not send the field "${field}": ${why}`);
}

function checkCount(field: string, input: Component, count: number): void {
  const required = input.required ?? true;
  const { min_values: least = required ? 1 : 0, max_values: most = input.type === TYPE.checkboxGroup ? 10 : 1 } = input;
  if (count === 0 && !required) return;
  if (count < Math.max(least, required ? 1 : 0) || count > most)
    refuse(field, `${count} chosen, not ${least} to ${most}`);
}

function textPayload(field: string, input: Component, given: unknown): Record<string, unknown> {
  const value = given ?? input.value ?? "";
  if (typeof value !== "string") return refuse(field, "it takes text");
  if (value === "" && (input.required ?? true)) refuse(field, "it is required");
  const { min_length: least = 0, max_length: most = 4_000 } = input;
  if (value !== "" && (value.length < least || value.length > most)) {
    refuse(field, `its length is ${value.length}, not ${least} to ${most}`);
  }
  return { value };
}

function chosen(field: string, input: Component, given: unknown): string[] {
  const options = input.options ?? [];
  const preset = options.filter((option) => option.default).map(({ value }) => value);
  const wanted = given === undefined ? preset : [given].flat().map(String);
  return wanted.map((name) => {
    const option = options.find(({ value, label }) => value === name || label === name);
    return option?.value ?? refuse(field, `"${name}" is none of its options`);
  });
}

function fileIds(world: World, field: string, input: Component, given: unknown, into: Resolved): string[] {
  const files = [given ?? []].flat() as Attachment[];
  for (const file of files) {
    if (!world.attachments.has(file.id)) refuse(field, "it takes uploaded files");
    const allowed = input.file_types ?? [];
    const suffix = file.filename.slice(file.filename.lastIndexOf(".")).toLowerCase();
    const fits = allowed.some(
      (type) => type.toLowerCase().replace(/^\.?/, ".") === suffix || file.content_type?.startsWith(type),
    );
    if (allowed.length > 0 && !fits) refuse(field, `${file.filename} is none of ${allowed.join(", ")}`);
    into.attachments = { ...into.attachments, [file.id]: { ...file, ephemeral: true } };
  }
  return files.map(({ id }) => id);
}

function inputPayload(world: World, at: Place, field: string, input: Component, given: unknown, into: Resolved) {
  const named = { type: input.type, id: input.id ?? 0, custom_id: input.custom_id };
  switch (input.type) {
    case TYPE.textInput:
      return { ...named, ...textPayload(field, input, given) };
    case TYPE.checkbox:
      return { ...named, value: given ?? input.default ?? false };
    case TYPE.radioGroup: {
      const [value = null, ...more] = chosen(field, input, given);
      if (more.length > 0 || (value === null && (input.required ?? true))) refuse(field, "it takes one of its options");
      return { ...named, value };
    }
    case TYPE.stringSelect:
    case TYPE.checkboxGroup: {
      const values = chosen(field, input, given);
      checkCount(field, input, values.length);
      return { ...named, values };
    }
    case TYPE.fileUpload: {
      const values = fileIds(world, field, input, given, into);
      checkCount(field, input, values.length);
      return { ...named, values };
    }
    default: {
      const values = [given ?? []].flat().map(String);
      checkCount(field, input, values.length);
      for (const id of values) resolveEntity(world, at, field, input.type, id, into);
      return { ...named, values };
    }
  }
}

/** Adds what was picked from a menu of people, roles or channels. Throws when there is no such thing. */
export function resolveEntity(world: World, at: Place, field: string, type: number, id: string, into: Resolved): void {
  const person = () => resolveUser(world, at.guild, at.channel, id, into);
  const role = () => resolveRole(at.guild, id, into);
  const found =
    type === TYPE.userSelect
      ? person()
      : type === TYPE.roleSelect
        ? role()
        : type === TYPE.mentionableSelect
          ? person() || role()
          : resolveChannel(at.guild, at.userId, id, into);
  if (!found) refuse(field, `${id} is nothing that it takes`);
}

/** The submitted components of a modal. Throws a sentence when a Discord client would not let a person send them. */
export function modalPayload(world: World, at: Place, modal: OpenedModal, fields: ModalFields) {
  const resolved: Resolved = {};
  const used = new Set<string>();
  let next = 0;
  const fill = (input: Component, label: string | undefined) => {
    const key = [input.custom_id, label].find((name) => name !== undefined && name in fields);
    if (key !== undefined) used.add(key);
    const named = label ?? input.custom_id ?? "";
    next += 1;
    return inputPayload(
      world,
      at,
      named,
      { ...input, id: input.id || next },
      key === undefined ? undefined : fields[key],
      resolved,
    );
  };
  const components = modal.components.map((component): Record<string, unknown> => {
    next += 1;
    const id = component.id || next;
    if (component.component) return { type: component.type, id, component: fill(component.component, component.label) };
    const inner = (component.components ?? []).map((input) => fill(input, input.label));
    return component.type === TYPE.row ? { type: component.type, id, components: inner } : { type: component.type, id };
  });
  const stray = Object.keys(fields).filter((name) => !used.has(name));
  if (stray.length > 0) throw new Error(`the modal "${modal.title}" has no field called ${stray.join(", ")}`);
  return { custom_id: modal.custom_id, components, ...(Object.keys(resolved).length > 0 ? { resolved } : {}) };
}
