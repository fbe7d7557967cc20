import { Locale } from "@discordjs/core";
import type { Problem } from "./errors.ts";

/** A command or option as a request states it. */
export interface Definition {
  readonly type?: number | null;
  readonly name: string;
  readonly name_localizations?: Readonly<Record<string, string>> | null;
  readonly description?: string | null;
  readonly description_localizations?: Readonly<Record<string, string>> | null;
  readonly options?: readonly Definition[] | null;
  readonly required?: boolean | null;
  readonly autocomplete?: boolean | null;
  readonly choices?: readonly Choice[] | null;
  readonly channel_types?: readonly number[] | null;
  readonly min_value?: number | null;
  readonly max_value?: number | null;
  readonly min_length?: number | null;
  readonly max_length?: number | null;
}

interface Choice {
  readonly name: string;
  readonly name_localizations?: Readonly<Record<string, string>> | null;
  readonly value: string | number;
}

type Path = readonly (string | number)[];

/** Docs: Application Commands, "Application Command Naming". */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES: readonly string[] = Object.values(Locale);

function nameProblems(name: string, path: Path): Problem[] {
  if (NAME.test(name) && name === name.toLowerCase()) return [];
  const message = "Command name is invalid";
  return [{ path, code: "APPLICATION_COMMAND_INVALID_NAME", message }];
}

function localeProblems(localizations: Readonly<Record<string, string>> | null | undefined, path: Path): Problem[] {
  return Object.keys(localizations ?? {}).flatMap((locale) =>
    LOCALES.includes(locale)
      ? []
      : [
          {
            path: [...path, locale],
            code: "ENUM_TYPE_COERCE",
            message: `Value "${locale}" is not a valid enum value.`,
          },
        ],
  );
}

function choiceProblems(option: Definition, path: Path): Problem[] {
  const choices = option.choices ?? [];
  const problems: Problem[] = [];
  if (choices.length > 0 && option.autocomplete) {
    const message = "Options cannot have both autocomplete and choices";
    problems.push({ path, code: "APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES_EXCLUSIVE", message });
  }
  for (const [index, choice] of choices.entries()) {
    const at = [...path, "choices", index];
    problems.push(...localeProblems(choice.name_localizations, [...at, "name_localizations"]));
    if (typeof choice.value === "string" && (choice.value.length > 100 || choice.value === "")) {
      problems.push({
        path: [...at, "value"],
        code: "BASE_TYPE_BAD_LENGTH",
        message: "Must be between 1 and 100 in length.",
      });
    }
    if (
      choices.some((other, before) => before < index && (other.name === choice.name || other.value === choice.value))
    ) {
      const message = "The choice's name or value is already used";
      problems.push({ path: at, code: "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", message });
    }
  }
  return problems;
}

function rangeProblems(option: Definition, path: Path): Problem[] {
  return (["value", "length"] as const).flatMap((kind) => {
    const least = option[`min_${kind}`];
    const most = option[`max_${kind}`];
    if (typeof least !== "number" || typeof most !== "number" || least <= most) return [];
    return [{ path: [...path, `max_${kind}`], code: "NUMBER_TYPE_MIN", message: `max_${kind} is below min_${kind}` }];
  });
}

function optionsProblems(options: readonly Definition[], path: Path, depth: number): Problem[] {
  const problems: Problem[] = [];
  const nested = options.filter(({ type }) => type === 1 || type === 2).length;
  if (nested > 0 && nested < options.length) {
    const message = "Sub-commands and options cannot stand beside each other";
    problems.push({ path, code: "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", message });
  }
  let optional = false;
  for (const [index, option] of options.entries()) {
    const at = [...path, index];
    problems.push(...definitionProblems(option, at, depth + 1));
    if (options.some(({ name }, before) => before < index && name === option.name)) {
      const message = "Option name already exists";
      problems.push({ path: at, code: "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", message });
    }
    if (option.type !== 1 && option.type !== 2) {
      if (option.required && optional) {
        const message = "Required options must be placed before non-required options";
        problems.push({ path: at, code: "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", message });
      }
      optional ||= !option.required;
    }
    if ((option.type === 2 && depth > 0) || (option.type === 1 && depth > 1)) {
      const message = "Sub-command groups stand on the first level, sub-commands on the first or second";
      problems.push({ path: at, code: "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", message });
    }
  }
  return problems;
}

function definitionProblems(definition: Definition, path: Path, depth: number): Problem[] {
  const problems = [
    ...nameProblems(definition.name, [...path, "name"]),
    ...Object.entries(definition.name_localizations ?? {}).flatMap(([locale, name]) =>
      nameProblems(name, [...path, "name_localizations", locale]),
    ),
    ...localeProblems(definition.name_localizations, [...path, "name_localizations"]),
    ...localeProblems(definition.description_localizations, [...path, "description_localizations"]),
    ...choiceProblems(definition, path),
    ...rangeProblems(definition, path),
    ...optionsProblems(definition.options ?? [], [...path, "options"], depth),
  ];
  if (!definition.description) {
    problems.push({ path: [...path, "description"], code: "BASE_TYPE_REQUIRED", message: "This field is required" });
  }
  return problems;
}

function longest(
  text: string | null | undefined,
  localizations: Readonly<Record<string, string>> | null | undefined,
): number {
  return Math.max(text?.length ?? 0, ...Object.values(localizations ?? {}).map(({ length }) => length));
}

function sizeOf(definition: Definition): number {
  const own =
    longest(definition.name, definition.name_localizations) +
    longest(definition.description, definition.description_localizations);
  const choices = (definition.choices ?? []).map(
    (choice) => longest(choice.name, choice.name_localizations) + String(choice.value).length,
  );
  const inner = (definition.options ?? []).map(sizeOf);
  return [...choices, ...inner].reduce((sum, size) => sum + size, own);
}

/** What Discord refuses in a list of chat commands and its specification does not say. */
export function commandProblems(commands: readonly Definition[]): Problem[] {
  const problems = commands.flatMap((command, index) => {
    const found =
      command.type === undefined || command.type === null || command.type === 1
        ? definitionProblems(command, [index], 0)
        : [];
    // Docs: Application Commands, "Limits": 8,000 characters for name, description and values, longest localization each.
    if (sizeOf(command) > 8_000) {
      const message = "Command exceeds maximum size (8000)";
      found.push({ path: [index], code: "APPLICATION_COMMAND_TOO_LARGE", message });
    }
    if (
      commands.some(
        ({ name, type }, before) => before < index && name === command.name && (type ?? 1) === (command.type ?? 1),
      )
    ) {
      const message = "Application command names must be unique";
      found.push({ path: [index, "name"], code: "APPLICATION_COMMANDS_DUPLICATE_NAME", message });
    }
    return found;
  });
  if (commands.length > 100) {
    problems.push({ path: [], code: "BASE_TYPE_BAD_LENGTH", message: "Must be 100 or fewer in length." });
  }
  return problems;
}
