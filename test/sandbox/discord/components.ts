import type { Path } from "./errors.ts";

/** Any component of a message or a modal, before or after Discord accepted it. */
export interface Component {
  readonly type: number;
  readonly id?: number;
  readonly custom_id?: string;
  readonly label?: string;
  readonly style?: number;
  readonly disabled?: boolean;
  readonly emoji?: { readonly name?: string };
  readonly content?: string;
  readonly description?: string | null;
  readonly placeholder?: string;
  readonly value?: string;
  readonly default?: boolean;
  readonly required?: boolean;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly file_types?: readonly string[];
  readonly accent_color?: number | null;
  readonly options?: readonly SelectOption[];
  /** The channels or roles that a menu shows as chosen. */
  readonly default_values?: readonly { readonly id: string; readonly type: string }[];
  readonly components?: readonly Component[];
  readonly component?: Component;
  readonly file?: { readonly url: string };
  readonly items?: readonly { readonly media: { readonly url: string }; readonly description?: string | null }[];
}

interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string;
  readonly default?: boolean;
}

/** Component types by name (docs: Component Reference). Others are not simulated. */
export const TYPE = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  roleSelect: 6,
  channelSelect: 8,
  textDisplay: 10,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
} as const;

/** Flag of a message that consists of components only. */
export const COMPONENTS_V2 = 1 << 15;
/** Flag of a message that only one person sees. */
export const EPHEMERAL = 1 << 6;
/** Flag of an answer that is still "thinking". */
export const LOADING = 1 << 7;

const selects: readonly number[] = [TYPE.stringSelect, TYPE.roleSelect, TYPE.channelSelect];

/** Whether a component is a menu of any kind. */
export const isSelect = ({ type }: Component): boolean => selects.includes(type);

/** Every component of a tree with its path, parents first. */
export function* walk(components: readonly Component[], at: Path = ["components"]): Generator<[Component, Path]> {
  for (const [index, component] of components.entries()) {
    const path = [...at, index];
    yield [component, path];
    yield* walk(component.components ?? [], [...path, "components"]);
    if (component.component) yield [component.component, [...path, "component"]];
  }
}

/** The components of a tree without their paths. */
export function flat(components: readonly Component[]): Component[] {
  return [...walk(components)].map(([component]) => component);
}
