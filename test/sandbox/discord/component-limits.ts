import { type Component, TYPE, walk } from "./components.ts";
import { badLength, type Path, type Problem, problemIf, repeated, required } from "./errors.ts";

function buttonProblems({ custom_id, label, emoji }: Component, path: Path): Problem[] {
  const message = "A button must have a label or an emoji";
  return [
    ...required(custom_id, [...path, "custom_id"]),
    ...problemIf(!label && !emoji, path, "BUTTON_COMPONENT_INVALID", message),
  ];
}

function optionProblems({ options, max_values: most = 1 }: Component, path: Path): Problem[] {
  if (options === undefined) return [];
  const at = [...path, "options"];
  const defaults = options.filter((option) => option.default).length;
  const tooMany = "There are more options marked as default than max_values allows";
  return [
    ...repeated(
      options.map(({ value }, index) => [value, [...at, index, "value"]]),
      "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
      "The specified option value is already used",
    ),
    ...badLength(most > options.length, at, `between ${most} and 25`),
    ...problemIf(defaults > most, at, "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", tooMany),
  ];
}

/** Docs: Component Reference: at most as many default values as a person may choose, all of the menu's kind. */
function defaultValueProblems(component: Component, path: Path): Problem[] {
  const picked = component.default_values ?? [];
  const { min_values: least = 1, max_values: most = 1 } = component;
  const kind = component.type === TYPE.roleSelect ? "role" : "channel";
  const at = [...path, "default_values"];
  return [
    ...picked.flatMap(({ type }, index) =>
      problemIf(type !== kind, [...at, index, "type"], "BASE_TYPE_CHOICES", `Value "${type}" is not of this menu.`),
    ),
    ...badLength(
      picked.length > 0 && (picked.length < least || picked.length > most),
      at,
      `between ${least} and ${most}`,
    ),
  ];
}

function rangeProblems(component: Component, path: Path): Problem[] {
  return (["values", "length"] as const).flatMap((kind) => {
    const least = component[`min_${kind}`] ?? (kind === "values" ? 1 : 0);
    const most = component[`max_${kind}`] ?? (kind === "values" ? Math.max(least, 1) : 4_000);
    const message = `min_${kind} must not be greater than max_${kind}`;
    return problemIf(least > most, [...path, `min_${kind}`], "NUMBER_TYPE_MAX", message);
  });
}

function rowProblems({ type: rowType, components: inner = [] }: Component, path: Path): Problem[] {
  const isMixed = rowType === TYPE.row && inner.length > 1 && inner.some(({ type }) => type !== TYPE.button);
  const message = "A select menu or text input fills its action row alone";
  return problemIf(isMixed, [...path, "components"], "COMPONENT_LAYOUT_WIDTH_EXCEEDED", message);
}

function urlProblems(url: string, schemes: readonly string[], path: Path, files: ReadonlySet<string>): Problem[] {
  const [scheme = ""] = url.split(":", 1);
  const others = `Scheme "${scheme}" is not supported. Scheme must be one of (${schemes.join(", ")}).`;
  const isMissing = scheme === "attachment" && !files.has(url.slice("attachment://".length));
  const missing = `The referenced attachment '${url}' was not found`;
  return [
    ...problemIf(!schemes.includes(scheme.toLowerCase()), path, "URL_TYPE_INVALID_SCHEME", others),
    ...problemIf(isMissing, path, "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", missing),
  ];
}

function mediaProblems({ file, items = [] }: Component, path: Path, files: ReadonlySet<string>): Problem[] {
  return [
    ...(file ? urlProblems(file.url, ["attachment"], [...path, "file", "url"], files) : []),
    ...items.flatMap(({ media }, index) =>
      urlProblems(media.url, ["http", "https", "attachment"], [...path, "items", index, "media", "url"], files),
    ),
  ];
}

/** What Discord refuses in a message or modal, although its specification allows it. */
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
      ...rowProblems(component, path),
      ...(component.type === TYPE.button ? buttonProblems(component, path) : []),
      ...mediaProblems(component, path, files),
    ]),
    ...repeated(named, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"),
  ];
}
