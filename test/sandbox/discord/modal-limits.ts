import { componentProblems } from "./component-limits.ts";
import { type Component, TYPE, walk } from "./components.ts";
import type { Problem } from "./errors.ts";

/** What Discord refuses in a modal, although its specification allows it. */
export function modalProblems(components: readonly Component[]): Problem[] {
  const problems = componentProblems(components, new Set());
  if (components.length > 5) {
    const message = "Must be between 1 and 5 in length.";
    problems.push({ path: ["components"], code: "BASE_TYPE_BAD_LENGTH", message });
  }
  for (const [component, path] of walk(components)) {
    if (path.at(-1) !== "component") continue;
    if (component.type === TYPE.textInput) {
      if (component.label) {
        const message = "A text input in a Label takes no label of its own";
        problems.push({ path: [...path, "label"], code: "TEXT_INPUT_LABEL_IN_LABEL", message });
      }
      const { value, min_length = 0, max_length = 4_000 } = component;
      if (value && (value.length < min_length || value.length > max_length)) {
        const message = `Must be between ${min_length} and ${max_length} in length.`;
        problems.push({ path: [...path, "value"], code: "BASE_TYPE_BAD_LENGTH", message });
      }
    }
    if (component.min_values === 0 && component.required !== false) {
      const message = "A required component takes a min_values of at least 1";
      problems.push({ path: [...path, "min_values"], code: "NUMBER_TYPE_MIN", message });
    }
    if (component.disabled) {
      const message = "A select menu in a modal cannot be disabled";
      problems.push({ path: [...path, "disabled"], code: "COMPONENT_DISABLED_IN_MODAL", message });
    }
  }
  return problems;
}
