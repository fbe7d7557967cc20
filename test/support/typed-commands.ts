import type { Locale } from "../../src/basics/locale.ts";
import type { SubcommandText } from "../../src/locales/command-text.ts";
import { commandTexts } from "../../src/locales/texts.ts";

interface TypedCommand {
  /** The English name in every language: "/alerts route add". */
  readonly key: string;
  /** The name as people type it: "/avisos rota adicionar". */
  readonly typed: string;
  readonly text: SubcommandText;
}

type Subcommands = Readonly<Record<string, SubcommandText>>;

const under = (key: string, typed: string, subcommands: Subcommands = {}): TypedCommand[] =>
  Object.entries(subcommands).map(([name, text]) => ({ key: `${key} ${name}`, typed: `${typed} ${text.name}`, text }));

export function typedCommands(locale: Locale): TypedCommand[] {
  return Object.entries(commandTexts(locale)).flatMap(([name, text]) => {
    const [key, typed] = [`/${name}`, `/${text.name}`];
    if (text.subcommands === undefined) return [{ key, typed, text }];
    const groups = Object.entries(text.groups ?? {});
    return [
      ...under(key, typed, text.subcommands),
      ...groups.flatMap(([group, inside]) => under(`${key} ${group}`, `${typed} ${inside.name}`, inside.subcommands)),
    ];
  });
}
