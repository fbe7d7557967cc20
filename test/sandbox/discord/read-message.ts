import { type Component, flat, TYPE } from "./components.ts";
import type { ApiMessage } from "./model.ts";

function componentsOf(message: ApiMessage): Component[] {
  return flat((message.components ?? []) as unknown as readonly Component[]);
}

/** Every text that a reader sees: content, embeds, text displays, labels of buttons, and menus with their options. */
export function textOf(message: ApiMessage): string {
  const embeds = message.embeds.flatMap((embed) => [
    embed.author?.name,
    embed.title,
    embed.description,
    ...(embed.fields ?? []).flatMap(({ name, value }) => [name, value]),
    embed.footer?.text,
  ]);
  const components = componentsOf(message).flatMap((component) => [
    component.content,
    component.label,
    component.placeholder,
    ...(component.items ?? []).map(({ description }) => description),
    ...(component.options ?? []).flatMap(({ label, description }) => [label, description]),
  ]);
  return [message.content, ...embeds, ...components].filter(Boolean).join("\n");
}

/** In reading order. */
export function buttonsOf(message: ApiMessage) {
  return componentsOf(message)
    .filter(({ type }) => type === TYPE.button)
    .map(({ label, emoji, custom_id, disabled = false }) => ({
      label: label ?? emoji?.name ?? "",
      customId: custom_id,
      disabled,
    }));
}

/** Ids of everything that can be pressed or chosen from. */
export function customIdsOf(message: ApiMessage): string[] {
  return componentsOf(message).flatMap(({ custom_id }) => custom_id ?? []);
}
