import { type Component, TYPE, walk } from "./components.ts";
import type { Problem } from "./errors.ts";

type Path = readonly (string | number)[];

const required = { code: "BASE_TYPE_REQUIRED", message: "This field is required" };

/** A problem for each repeated value. */
function repeated(values: readonly [string, Path][], code: string, message: string): Problem[] {
  const seen = new Set<string>();
  return values.flatMap(([value, path]) => {
    if (seen.has(value)) return [{ path, code, message }];
    seen.add(value);
    return [];
  });
}

function buttonProblems(button: Component, path: Path): Problem[] {
  const problems: Problem[] = [];
  if (!button.custom_id) problems.push({ path: [...path, "custom_id"], ...required });
  if (!button.label && !button.emoji) {
    problems.push({ path, code: "BUTTON_COMPONENT_INVALID", message: "A button must have a label or an emoji" });
  }
  return problems;
}

function optionProblems({ options, max_values: most = 1 }: Component, path: Path): Problem[] {
  if (options === undefined) return [];
  const problems = repeated(
    options.map(({ value }, index) => [value, [...path, "options", index, "value"]]),
    "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
    "The specified option value is already used",
  );
  if (most > options.length) {
    const message = `Must be between ${most} and 25 in length.`;
    problems.push({ path: [...path, "options"], code: "BASE_TYPE_BAD_LENGTH", message });
  }
  if (options.filter((option) => option.default).length > most) {
    const message = "There are more options marked as default than max_values allows";
    problems.push({ path: [...path, "options"], code: "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", message });
  }
  return problems;
}

/** Docs: Component Reference: as many default values as may be chosen, of the menu's own kind. */
function defaultValueProblems(component: Component, path: Path): Problem[] {
  const picked = component.default_values ?? [];
  const { min_values: least = 1, max_values: most = 1 } = component;
  const kind = component.type === TYPE.roleSelect ? "role" : "channel";
  const at = [...path, "default_values"];
  const problems = picked.flatMap(({ type }, index): Problem[] =>
    type === kind
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
  return (["values", "length"] as const).flatMap((kind) => {
    const least = component[`min_${kind}`] ?? (kind === "values" ? 1 : 0);
    const most = component[`max_${kind}`] ?? (kind === "values" ? Math.max(least, 1) : 4_000);
    if (least <= most) return [];
    const message = `min_${kind} must not be greater than max_${kind}`;
    return [{ path: [...path, `min_${kind}`], code: "NUMBER_TYPE_MAX", message }];
  });
}

function rowProblems({ components: inner = [] }: Component, path: Path): Problem[] {
  if (inner.length <= 1 || inner.every(({ type }) => type === TYPE.button)) return [];
  const message = "A select menu or text input fills its action row alone";
  return [{ path: [...path, "components"], code: "COMPONENT_LAYOUT_WIDTH_EXCEEDED", message }];
}

function urlProblems(url: string, schemes: readonly string[], path: Path, files: ReadonlySet<string>): Problem[] {
  const [scheme = ""] = url.split(":", 1);
  if (!schemes.includes(scheme.toLowerCase())) {
    const message = `Scheme "${scheme}" is not supported. Scheme must be one of (${schemes.join(", ")}).`;
    return [{ path, code: "URL_TYPE_INVALID_SCHEME", message }];
  }
  if (scheme !== "attachment" || files.has(url.slice("attachment://".length))) return [];
  const message = `The referenced attachment '${url}' was not found`;
  return [{ path, code: "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", message }];
}

function mediaProblems({ file, items = [] }: Component, path: Path, files: ReadonlySet<string>): Problem[] {
  return [
    ...(file ? urlProblems(file.url, ["attachment"], [...path, "file", "url"], files) : []),
    ...items.flatMap(({ media }, index) =>
      urlProblems(media.url, ["http", "https", "attachment"], [...path, "items", index, "media", "url"], files),
    ),
  ];
}

/** What Discord refuses in the components of a message or modal, although its specification allows it. */
export function componentProblems(components: readonly Component[], files: ReadonlySet<string>): Problem[] {
  const all = [...walk(components)];
  const named = all.flatMap(([{ custom_id }, path]): [string, Path][] =>
    custom_id ? [[custom_id, [...path, "custom_id"]]] : [],
  );
  return [
    ...all.flatMap(([component, path]) => [
      ...rangeProblems(component, path),
      ...optionProblems(component, path),
      ...defaultValueProblems(component, path),
      ...(component.type === TYPE.row ? rowProblems(component, path) : []),
      ...(component.type === TYPE.button ? buttonProblems(component, path) : []),
      ...mediaProblems(component, path, files),
    ]),
    ...repeated(named, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"),
  ];
}
