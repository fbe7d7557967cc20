import { componentProblems } from "./component-limits.ts";
import { type Component, TYPE, walk } from "./components.ts";
import { badLength, type Path, type Problem, problemIf } from "./errors.ts";

function inputProblems({ type, label, value, min_length = 0, max_length = 4_000 }: Component, path: Path): Problem[] {
  if (type !== TYPE.textInput) return [];
  const twice = "A text input in a Label takes no label of its own";
  const isBad = Boolean(value) && (String(value).length < min_length || String(value).length > max_length);
  return [
    ...problemIf(Boolean(label), [...path, "label"], "TEXT_INPUT_LABEL_IN_LABEL", twice),
    ...badLength(isBad, [...path, "value"], `between ${min_length} and ${max_length}`),
  ];
}

/** What Discord refuses, although its specification allows it. */
export function modalProblems(components: readonly Component[]): Problem[] {
  const labelled = [...walk(components)].filter(([, path]) => path.at(-1) === "component");
  const least = "A required component takes a min_values of at least 1";
  const disabled = "A select menu in a modal cannot be disabled";
  return [
    ...componentProblems(components, new Set()),
    ...badLength(components.length > 5, ["components"], "between 1 and 5"),
    ...labelled.flatMap(([component, path]) => [
      ...inputProblems(component, path),
      ...problemIf(
        component.min_values === 0 && component.required !== false,
        [...path, "min_values"],
        "NUMBER_TYPE_MIN",
        least,
      ),
      ...problemIf(Boolean(component.disabled), [...path, "disabled"], "COMPONENT_DISABLED_IN_MODAL", disabled),
    ]),
  ];
}
