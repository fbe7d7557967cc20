/**
 * Name and description of a command, subcommand or option. Discord accepts names in lower case with at most 32
 * characters, and descriptions with at most 100.
 */
interface NamedText {
  readonly name: string;
  readonly description: string;
}

export interface OptionText extends NamedText {
  /** The name of each value in the menu, at most 100 characters. */
  readonly choices?: Readonly<Record<string, string>>;
}

export interface SubcommandText extends NamedText {
  readonly options?: Readonly<Record<string, OptionText>>;
}

interface GroupText extends NamedText {
  readonly subcommands: Readonly<Record<string, SubcommandText>>;
}

export interface CommandText extends SubcommandText {
  readonly subcommands?: Readonly<Record<string, SubcommandText>>;
  readonly groups?: Readonly<Record<string, GroupText>>;
}

/** An option that filters a list. The label names the filter above the list. */
export const filter = (name: string, description: string, label: string) => ({ name, description, label });

export const named = (name: string, description: string): NamedText => ({ name, description });
