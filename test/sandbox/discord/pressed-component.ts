import { isSelect } from "./component-limits.ts";
import { type Component, flat, TYPE } from "./components.ts";
import { resolveEntity } from "./modal-values.ts";
import type { ApiMessage } from "./model.ts";
import type { Resolved } from "./option-values.ts";
import type { Place } from "./place.ts";
import type { World } from "./world.ts";

/** A component that can be pressed or chosen from. */
type Pressable = Component & { readonly custom_id: string };

/** The button or menu of this custom id, label, placeholder or emoji. Throws a sentence when nobody could press it. */
export function findPressable(message: ApiMessage, customIdOrLabel: string): Pressable {
  const all = flat(message.components as unknown as readonly Component[]);
  const fits = ({ custom_id, label, placeholder, emoji }: Component) =>
    [custom_id, label, placeholder, emoji?.name].includes(customIdOrLabel);
  const component = all.find((candidate) => (candidate.type === TYPE.button || isSelect(candidate)) && fits(candidate));
  if (component === undefined) throw new Error(`the message has no button or menu "${customIdOrLabel}"`);
  if (component.disabled) throw new Error(`"${customIdOrLabel}" is disabled`);
  const { custom_id } = component;
  if (custom_id === undefined) throw new Error(`"${customIdOrLabel}" is a link`);
  return { ...component, custom_id };
}

/** The values chosen from a menu, by value or label, with people, roles and channels added to `resolved`. */
function chosenValues(
  world: World,
  at: Place,
  menu: Pressable,
  values: readonly string[],
  resolved: Resolved,
): string[] {
  const name = menu.placeholder ?? menu.custom_id;
  const { min_values: least = 1, max_values: most = 1 } = menu;
  if (values.length < least || values.length > most)
    throw new Error(`the menu "${name}" takes ${least} to ${most} values`);
  return values.map((value) => {
    if (menu.type !== TYPE.stringSelect) {
      resolveEntity(world, at, name, menu.type, value, resolved);
      return value;
    }
    const option = menu.options?.find((candidate) => candidate.value === value || candidate.label === value);
    if (option === undefined) throw new Error(`the menu "${name}" has no option ${value}`);
    return option.value;
  });
}

/** A press as its interaction carries it; `values` are what is chosen from a menu. */
export function pressPayload(world: World, at: Place, component: Pressable, values: readonly string[]) {
  const resolved: Resolved = {};
  const chosen = isSelect(component) ? { values: chosenValues(world, at, component, values, resolved) } : {};
  return {
    id: component.id,
    component_type: component.type,
    custom_id: component.custom_id,
    ...chosen,
    ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
  };
}
