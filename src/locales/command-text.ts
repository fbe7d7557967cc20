/** Name and description of a command, subcommand or option: names as Discord takes them (lower case, 32 characters), descriptions of at most 100. */
interface NamedText {
  readonly name: string;
  readonly description: string;
}

export interface OptionText extends NamedText {
  /** What each of its values is called in the menu: at most 100 characters. */
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

/** A name with its description. */
export const named = (name: string, description: string): NamedText => ({ name, description });
