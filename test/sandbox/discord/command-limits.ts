import { Locale } from "@discordjs/core";
import { badLength, type Path, type Problem, problemIf, repeated, required } from "./errors.ts";

type Localizations = Readonly<Record<string, string>> | null;

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

/** Docs: Application Commands, "Application Command Naming". */
const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const locales: readonly string[] = Object.values(Locale);
/** Maximum characters in all names, descriptions and values, with the longest localization of each (docs, "Limits"). */
const largestCommand = 8_000;

const isSubcommand = ({ type }: Definition) => type === 1 || type === 2;
const numbered = (values: readonly (string | number)[], path: Path) =>
  values.map((value, index) => [String(value), [...path, index]] as const);
const namesOf = (things: readonly { readonly name: string }[]) => things.map(({ name }) => name);

function nameProblems(name: string, path: Path): Problem[] {
  const isGood = namePattern.test(name) && name === name.toLowerCase();
  return problemIf(!isGood, path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid");
}

function localeProblems(localizations: Localizations | undefined, path: Path): Problem[] {
  return Object.keys(localizations ?? {}).flatMap((locale) => {
    const message = `Value "${locale}" is not a valid enum value.`;
    return problemIf(!locales.includes(locale), [...path, locale], "ENUM_TYPE_COERCE", message);
  });
}

function choiceProblems({ choices: given, autocomplete }: Definition, at: Path): Problem[] {
  const choices = given ?? [];
  const path = [...at, "choices"];
  const twice = (values: readonly (string | number)[]) =>
    repeated(
      numbered(values, path),
      "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS",
      "The choice's name or value is already used",
    );
  return [
    ...problemIf(
      choices.length > 0 && Boolean(autocomplete),
      at,
      "APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES_EXCLUSIVE",
      "Options cannot have both autocomplete and choices",
    ),
    ...choices.flatMap(({ value, name_localizations: names }, index) => [
      ...localeProblems(names, [...path, index, "name_localizations"]),
      ...badLength(value === "" || String(value).length > 100, [...path, index, "value"], "between 1 and 100"),
    ]),
    ...twice(namesOf(choices)),
    ...twice(choices.map(({ value }) => value)),
  ];
}

function optionsProblems(options: readonly Definition[], path: Path, depth: number): Problem[] {
  const nested = options.filter(isSubcommand);
  const isMixed = nested.length > 0 && nested.length < options.length;
  const isTooDeep = nested.some(({ type }) => (type === 2 ? depth > 0 : depth > 1));
  const firstOptional = options.findIndex((option) => !option.required);
  const isLate = ({ required: must }: Definition, index: number) =>
    must && firstOptional !== -1 && index > firstOptional;
  return [
    ...problemIf(
      isMixed || isTooDeep,
      path,
      "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
      "Sub-commands and options cannot be mixed like this",
    ),
    ...problemIf(
      nested.length === 0 && options.some(isLate),
      path,
      "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
      "Required options must be placed before non-required options",
    ),
    ...repeated(
      numbered(namesOf(options), path),
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
    ...required(definition.description, [...path, "description"]),
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

/** What Discord refuses, although its specification allows it. */
export function commandProblems(commands: readonly Definition[]): Problem[] {
  const tooLarge = `Command exceeds maximum size (${largestCommand})`;
  return [
    ...commands.flatMap((command, index) => [
      ...definitionProblems(command, [index], 0),
      ...problemIf(sizeOf(command) > largestCommand, [index], "APPLICATION_COMMAND_TOO_LARGE", tooLarge),
    ]),
    ...repeated(
      numbered(namesOf(commands), []),
      "APPLICATION_COMMANDS_DUPLICATE_NAME",
      "Application command names must be unique",
    ),
    ...badLength(commands.length > 100, [], "100 or fewer"),
  ];
}
