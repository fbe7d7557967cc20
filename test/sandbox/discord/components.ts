import type { Path } from "./errors.ts";

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
  /** What a menu of channels or roles shows as chosen. */
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

/** Docs: Component Reference. Other types are not simulated. */
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

export const COMPONENTS_V2 = 1 << 15;
/** Flag of a message that only one person sees. */
export const EPHEMERAL = 1 << 6;
/** Flag of an answer that is still "thinking". */
export const LOADING = 1 << 7;

const selects: readonly number[] = [TYPE.stringSelect, TYPE.roleSelect, TYPE.channelSelect];

export const isSelect = ({ type }: Component): boolean => selects.includes(type);

/** Parents come first. */
export function* walk(components: readonly Component[], at: Path = ["components"]): Generator<[Component, Path]> {
  for (const [index, component] of components.entries()) {
    const path = [...at, index];
    yield [component, path];
    yield* walk(component.components ?? [], [...path, "components"]);
    if (component.component) yield [component.component, [...path, "component"]];
  }
}

export function flat(components: readonly Component[]): Component[] {
  return [...walk(components)].map(([component]) => component);
}
