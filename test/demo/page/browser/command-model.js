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

/** In the option's type. */
export function typedValue({ type }, text) {
  if (type === OPTION.boolean) return text === "true";
  return type === OPTION.integer ? Number(text) : text;
}
