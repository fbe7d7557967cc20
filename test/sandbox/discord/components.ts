/** Any component of a message or a modal, before or after Discord took it. */
export interface Component {
  readonly type: number;
  readonly id?: number;
  readonly custom_id?: string;
  readonly label?: string;
  readonly url?: string;
  readonly sku_id?: string;
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
  readonly options?: readonly SelectOption[];
  /** What stands in a menu of channels, roles or people already. */
  readonly default_values?: readonly { readonly id: string; readonly type: string }[];
  readonly components?: readonly Component[];
  readonly component?: Component;
  readonly accessory?: Component;
  readonly media?: { readonly url: string };
  readonly file?: { readonly url: string };
  readonly items?: readonly { readonly media: { readonly url: string }; readonly description?: string | null }[];
}

interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string;
  readonly default?: boolean;
}

/** Component types by name (docs: Component Reference). */
export const TYPE = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23,
} as const;

/** Flag of a message that consists of components only. */
export const COMPONENTS_V2 = 1 << 15;
/** Flag of a message that only one person sees. */
export const EPHEMERAL = 1 << 6;
/** Flag of an answer that is still "thinking". */
export const LOADING = 1 << 7;

type Path = readonly (string | number)[];

/** Every component of a tree with its path, parents first. */
export function* walk(components: readonly Component[], at: Path = ["components"]): Generator<[Component, Path]> {
  for (const [index, component] of components.entries()) {
    const path = [...at, index];
    yield [component, path];
    yield* walk(component.components ?? [], [...path, "components"]);
    for (const key of ["accessory", "component"] as const) {
      const inner = component[key];
      if (inner === undefined || inner === null) continue;
      yield [inner, [...path, key]];
    }
  }
}

/** The components of a tree without their paths. */
export function flat(components: readonly Component[]): Component[] {
  return [...walk(components)].map(([component]) => component);
}
