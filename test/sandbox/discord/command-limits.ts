import { Locale } from "@discordjs/core";
import type { Problem } from "./errors.ts";

type Localizations = Readonly<Record<string, string>> | null;

/** A command or option as a request states it. */
export interface Definition {
  readonly type?: number | null;
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly description?: string | null;
  readonly description_localizations?: Localizations;
  readonly options?: readonly Definition[] | null;
  readonly required?: boolean | null;
  readonly autocomplete?: boolean | null;
  readonly choices?: readonly Choice[] | null;
}

interface Choice {
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly value: string | number;
}

type Path = readonly (string | number)[];

/** Docs: Application Commands, "Application Command Naming". */
const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const locales: readonly string[] = Object.values(Locale);
/** Docs: Application Commands, "Limits": name, description and values, with the longest localization of each. */
const largestCommand = 8_000;

const problem = (path: Path, code: string, message: string): Problem[] => [{ path, code, message }];
const isSubcommand = ({ type }: Definition) => type === 1 || type === 2;

function nameProblems(name: string, path: Path): Problem[] {
  if (namePattern.test(name) && name === name.toLowerCase()) return [];
  return problem(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
}

function localeProblems(localizations: Localizations | undefined, path: Path): Problem[] {
  return Object.keys(localizations ?? {}).flatMap((locale) =>
    locales.includes(locale)
      ? []
      : problem([...path, locale], "ENUM_TYPE_COERCE", `Value "${locale}" is not a valid enum value.`),
  );
}

/** A problem for each value that an earlier one equals. */
function repeated(values: readonly string[], path: Path, code: string, message: string): Problem[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? problem([...path, index], code, message) : [],
  );
}

function choiceProblems({ choices: given, autocomplete }: Definition, at: Path): Problem[] {
  const choices = given ?? [];
  const path = [...at, "choices"];
  const twice = "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS";
  const message = "The choice's name or value is already used";
  return [
    ...(choices.length > 0 && autocomplete
      ? problem(
          at,
          "APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES_EXCLUSIVE",
          "Options cannot have both autocomplete and choices",
        )
      : []),
    ...choices.flatMap(({ value, name_localizations: names }, index) => [
      ...localeProblems(names, [...path, index, "name_localizations"]),
      ...(typeof value === "string" && (value === "" || value.length > 100)
        ? problem([...path, index, "value"], "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
        : []),
    ]),
    ...repeated(
      choices.map(({ name }) => name),
      path,
      twice,
      message,
    ),
    ...repeated(
      choices.map(({ value }) => String(value)),
      path,
      twice,
      message,
    ),
  ];
}

function optionsProblems(options: readonly Definition[], path: Path, depth: number): Problem[] {
  const nested = options.filter(isSubcommand);
  const isMixed = nested.length > 0 && nested.length < options.length;
  const isTooDeep = nested.some(({ type }) => (type === 2 ? depth > 0 : depth > 1));
  const firstOptional = options.findIndex((option) => !option.required);
  const isLate = ({ required }: Definition, index: number) => required && firstOptional !== -1 && index > firstOptional;
  return [
    ...(isMixed || isTooDeep
      ? problem(path, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands and options cannot be mixed like this")
      : []),
    ...(nested.length === 0 && options.some(isLate)
      ? problem(
          path,
          "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
          "Required options must be placed before non-required options",
        )
      : []),
    ...repeated(
      options.map(({ name }) => name),
      path,
      "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS",
      "Option name already exists",
    ),
    ...options.flatMap((option, index) => definitionProblems(option, [...path, index], depth + 1)),
  ];
}

function definitionProblems(definition: Definition, path: Path, depth: number): Problem[] {
  return [
    ...nameProblems(definition.name, [...path, "name"]),
    ...Object.entries(definition.name_localizations ?? {}).flatMap(([locale, name]) =>
      nameProblems(name, [...path, "name_localizations", locale]),
    ),
    ...localeProblems(definition.name_localizations, [...path, "name_localizations"]),
    ...localeProblems(definition.description_localizations, [...path, "description_localizations"]),
    ...choiceProblems(definition, path),
    ...optionsProblems(definition.options ?? [], [...path, "options"], depth),
    ...(definition.description
      ? []
      : problem([...path, "description"], "BASE_TYPE_REQUIRED", "This field is required")),
  ];
}

function longest(text: string | null | undefined, localizations: Localizations | undefined): number {
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

/** What Discord refuses in a list of slash commands, although its specification allows it. */
export function commandProblems(commands: readonly Definition[]): Problem[] {
  return [
    ...commands.flatMap((command, index) => [
      ...definitionProblems(command, [index], 0),
      ...(sizeOf(command) > largestCommand
        ? problem([index], "APPLICATION_COMMAND_TOO_LARGE", `Command exceeds maximum size (${largestCommand})`)
        : []),
    ]),
    ...repeated(
      commands.map(({ name }) => name),
      [],
      "APPLICATION_COMMANDS_DUPLICATE_NAME",
      "Application command names must be unique",
    ),
    ...(commands.length > 100 ? problem([], "BASE_TYPE_BAD_LENGTH", "Must be 100 or fewer in length.") : []),
  ];
}
