import { say } from "./words.js";

/** Docs: Application Commands, "Application Command Option Type". */
export const OPTION = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  channel: 7,
  role: 8,
  attachment: 11,
};

const describe = (thing, locale) => thing.description_localizations?.[locale] ?? thing.description;
const nameOf = (thing, locale) => thing.name_localizations?.[locale] ?? thing.name;

/**
 * A command that can be typed after the slash.
 *
 * @typedef {object} Typable
 * @property {string} name the command's own name
 * @property {string} [subcommand] `set`, or `group set`
 * @property {string} label `/alerts set`, in the reader's language
 * @property {string} hint
 * @property {any[]} options
 */

/** Every command and subcommand in one flat list, from `commands` as published. @returns {Typable[]} */
export function typables(commands, locale) {
  const below = (thing, path, label) => {
    const nested = (thing.options ?? []).filter(({ type }) => type === OPTION.subcommand || type === OPTION.group);
    if (nested.length === 0) return [{ path, label, hint: describe(thing, locale), options: thing.options ?? [] }];
    return nested.flatMap((option) => below(option, [...path, option.name], `${label} ${nameOf(option, locale)}`));
  };
  return commands.flatMap((command) =>
    below(command, [], `/${nameOf(command, locale)}`).map(({ path, ...rest }) => ({
      name: command.name,
      ...(path.length > 0 ? { subcommand: path.join(" ") } : {}),
      ...rest,
    })),
  );
}

/** A command as the reader types it, such as `/loja conectar`. `path`: such as `store connect`. */
export function labelOf(commands, path, locale) {
  const found = typables(commands, locale).find(({ name, subcommand }) => path === [name, subcommand].join(" ").trim());
  return found?.label ?? `/${path}`;
}

/** As the reader sees an option, or a choice of an option. */
export const optionText = (option, locale) => ({ name: nameOf(option, locale), hint: describe(option, locale) });

const lengthProblem = (text, { min_length: least = 0, max_length: most = 6_000 }) => {
  if (text.length < least) return say().shortest(least);
  return text.length > most ? say().longest(most, text.length) : undefined;
};

function numberProblem(text, { min_value: least, max_value: most }) {
  const number = Number(text);
  if (text.trim() === "" || Number.isNaN(number)) return say().number;
  if (!Number.isInteger(number)) return say().wholeNumber;
  if (least !== undefined && number < least) return say().least(least);
  return most !== undefined && number > most ? say().most(most) : undefined;
}

/** What a Discord client finds wrong with the typed or chosen value of an option, or undefined. */
export function problemOf(option, text) {
  if (text === "") return option.required ? say().required : undefined;
  if (option.type === OPTION.string) return lengthProblem(text, option);
  return option.type === OPTION.integer ? numberProblem(text, option) : undefined;
}

/** In the option's type. Text that is no number is returned as it was typed. */
export function typedValue(option, text) {
  if (option.type === OPTION.boolean) return text === "true";
  if (option.type !== OPTION.integer) return text;
  return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
}
