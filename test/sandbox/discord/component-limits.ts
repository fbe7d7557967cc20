import { type Component, TYPE, walk } from "./components.ts";
import type { Problem } from "./errors.ts";

type Path = readonly (string | number)[];

const SELECTS: readonly number[] = [
  TYPE.stringSelect,
  TYPE.userSelect,
  TYPE.roleSelect,
  TYPE.mentionableSelect,
  TYPE.channelSelect,
];

/** Whether a component is a menu of any kind. */
export function isSelect(component: Component): boolean {
  return SELECTS.includes(component.type);
}

/** A problem for each repeated value. */
function repeated(values: readonly [string, Path][], code: string, message: string): Problem[] {
  const seen = new Set<string>();
  return values.flatMap(([value, path]) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [{ path, code, message }];
  });
}

function urlProblem(url: string, schemes: readonly string[], path: Path): Problem[] {
  const scheme = url.split(":", 1)[0] ?? "";
  if (schemes.includes(scheme.toLowerCase())) return [];
  const list = schemes.map((name) => `'${name}'`).join(", ");
  return [
    {
      path,
      code: "URL_TYPE_INVALID_SCHEME",
      message: `Scheme "${scheme}" is not supported. Scheme must be one of (${list}).`,
    },
  ];
}

function buttonProblems(button: Component, path: Path): Problem[] {
  const required = { code: "BASE_TYPE_REQUIRED", message: "This field is required" };
  const problems: Problem[] = [];
  const style = button.style ?? 0;
  if (style >= 1 && style <= 4 && !button.custom_id) problems.push({ path: [...path, "custom_id"], ...required });
  if (style === 5 && !button.url) problems.push({ path: [...path, "url"], ...required });
  if (style === 6 && !button.sku_id) problems.push({ path: [...path, "sku_id"], ...required });
  if (button.custom_id && button.url) {
    const message = "A custom id and url cannot both be specified";
    problems.push({ path, code: "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", message });
  }
  if (button.url) problems.push(...urlProblem(button.url, ["http", "https", "discord"], [...path, "url"]));
  if (style !== 6 && !button.label && !button.emoji) {
    problems.push({ path, code: "BUTTON_COMPONENT_INVALID", message: "A button must have a label or an emoji" });
  }
  return problems;
}

function optionProblems(component: Component, path: Path): Problem[] {
  const options = component.options;
  if (options === undefined) return [];
  const problems = repeated(
    options.map(({ value }, index) => [value, [...path, "options", index, "value"]]),
    "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
    "The specified option value is already used",
  );
  const most = component.max_values ?? (component.type === TYPE.stringSelect ? 1 : options.length);
  if (component.type === TYPE.radioGroup ? false : most > options.length) {
    problems.push({
      path: [...path, "options"],
      code: "BASE_TYPE_BAD_LENGTH",
      message: `Must be between ${most} and 25 in length.`,
    });
  }
  if (options.filter((option) => option.default).length > (component.type === TYPE.radioGroup ? 1 : most)) {
    problems.push({
      path: [...path, "options"],
      code: "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES",
      message: "There are more options marked as default than max_values allows",
    });
  }
  return problems;
}

const DEFAULTS_OF: Readonly<Record<number, readonly string[]>> = {
  [TYPE.userSelect]: ["user"],
  [TYPE.roleSelect]: ["role"],
  [TYPE.mentionableSelect]: ["user", "role"],
  [TYPE.channelSelect]: ["channel"],
};

/** Docs: Component Reference: as many default values as may be chosen, of the menu's own kind. */
function defaultValueProblems(component: Component, path: Path): Problem[] {
  const picked = component.default_values;
  if (picked === undefined) return [];
  const at = [...path, "default_values"];
  const { min_values: least = 1, max_values: most = 1 } = component;
  const kinds = DEFAULTS_OF[component.type] ?? [];
  const problems = picked.flatMap(({ type }, index): Problem[] =>
    kinds.includes(type)
      ? []
      : [{ path: [...at, index, "type"], code: "BASE_TYPE_CHOICES", message: `Value "${type}" is not of this menu.` }],
  );
  if (picked.length > 0 && (picked.length < least || picked.length > most)) {
    const message = `Must be between ${least} and ${most} in length.`;
    problems.push({ path: at, code: "BASE_TYPE_BAD_LENGTH", message });
  }
  return problems;
}

function rangeProblems(component: Component, path: Path): Problem[] {
  const problems: Problem[] = [];
  for (const kind of ["values", "length"] as const) {
    const least = component[`min_${kind}`] ?? (kind === "values" ? 1 : 0);
    const most = component[`max_${kind}`] ?? (kind === "values" ? Math.max(least, 1) : 4_000);
    if (least > most) {
      const message = `min_${kind} must not be greater than max_${kind}`;
      problems.push({ path: [...path, `min_${kind}`], code: "NUMBER_TYPE_MAX", message });
    }
  }
  return problems;
}

function rowProblems(row: Component, path: Path): Problem[] {
  const inner = row.components ?? [];
  if (inner.length > 1 && inner.some(({ type }) => type !== TYPE.button)) {
    const message = "A select menu or text input fills its action row alone";
    return [{ path: [...path, "components"], code: "COMPONENT_LAYOUT_WIDTH_EXCEEDED", message }];
  }
  return [];
}

function mediaProblems(component: Component, path: Path, files: ReadonlySet<string>): Problem[] {
  const media: [string, Path][] = [];
  if (component.media) media.push([component.media.url, [...path, "media", "url"]]);
  if (component.file) media.push([component.file.url, [...path, "file", "url"]]);
  for (const [index, item] of (component.items ?? []).entries()) {
    media.push([item.media.url, [...path, "items", index, "media", "url"]]);
  }
  const schemes = component.type === TYPE.file ? ["attachment"] : ["http", "https", "attachment"];
  return media.flatMap(([url, at]) => {
    const problems = urlProblem(url, schemes, at);
    if (problems.length > 0 || !url.startsWith("attachment://") || files.has(url.slice("attachment://".length))) {
      return problems;
    }
    const code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND";
    return [{ path: at, code, message: `The referenced attachment '${url}' was not found` }];
  });
}

/** What Discord refuses in components of a message or modal and its specification does not say. */
export function componentProblems(components: readonly Component[], files: ReadonlySet<string>): Problem[] {
  const all = [...walk(components)];
  const problems = all.flatMap(([component, path]) => {
    const found = [
      ...rangeProblems(component, path),
      ...optionProblems(component, path),
      ...defaultValueProblems(component, path),
    ];
    if (component.type === TYPE.row) found.push(...rowProblems(component, path));
    if (component.type === TYPE.button) found.push(...buttonProblems(component, path));
    found.push(...mediaProblems(component, path, files));
    return found;
  });
  const named = all.flatMap(([{ custom_id }, path]): [string, Path][] =>
    custom_id ? [[custom_id, [...path, "custom_id"]]] : [],
  );
  const numbered = all.flatMap(([{ id }, path]): [string, Path][] => (id ? [[String(id), [...path, "id"]]] : []));
  problems.push(
    ...repeated(named, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"),
    ...repeated(numbered, "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated"),
  );
  return problems;
}
