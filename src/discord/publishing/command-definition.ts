import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  Locale as DiscordLocale,
  InteractionContextType,
  type LocalizationMap,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "@discordjs/core";
import { type Locale, localeOf } from "../../basics/locale.ts";
import type { CommandText, OptionText } from "../../locales/command-text.ts";
import { commandTexts } from "../../locales/texts.ts";
import type { Command, Executable } from "../commands/define-command.ts";
import { type OptionSpec, optionKinds } from "../commands/option-values.ts";

/** English is left out, because it is the default. */
const translations = Object.values(DiscordLocale)
  .map((discord) => [discord, localeOf(discord)] as const)
  .filter(([, ours]) => ours !== "en");

interface Named {
  readonly name: string;
  readonly description: string;
}

function named(name: string, of: (locale: Locale) => Named) {
  const each = (field: keyof Named): LocalizationMap =>
    Object.fromEntries(translations.map(([discord, ours]) => [discord, of(ours)[field]]));
  return {
    name,
    name_localizations: each("name"),
    description: of("en").description,
    description_localizations: each("description"),
  };
}

function choice(value: string, of: (locale: Locale) => OptionText) {
  const nameIn = (locale: Locale) => textIn(of(locale).choices, value);
  return {
    name: nameIn("en"),
    name_localizations: Object.fromEntries(translations.map(([discord, ours]) => [discord, nameIn(ours)])),
    value,
  };
}

function option(name: string, spec: OptionSpec, of: (locale: Locale) => OptionText): APIApplicationCommandBasicOption {
  const bounds =
    spec.kind === "string"
      ? { min_length: spec.min, max_length: spec.max }
      : spec.kind === "integer"
        ? { min_value: spec.min, max_value: spec.max }
        : {};
  return {
    ...named(name, of),
    type: optionKinds[spec.kind].type,
    required: spec.required ?? false,
    ...bounds,
    ...(spec.choices ? { choices: spec.choices.map((value) => choice(value, of)) } : {}),
    ...(spec.channelTypes ? { channel_types: spec.channelTypes } : {}),
    ...(spec.suggest ? { autocomplete: true } : {}),
  } as APIApplicationCommandBasicOption;
}

function optionsOf(executable: Executable, of: (locale: Locale) => CommandText): APIApplicationCommandBasicOption[] {
  return Object.entries(executable.options).map(([name, spec]) =>
    option(name, spec, (locale) => textIn(of(locale).options, name)),
  );
}

function textIn<T>(texts: Readonly<Record<string, T>> | undefined, name: string): T {
  const text = texts?.[name];
  if (!text) throw new Error(`there is no text for ${name}`);
  return text;
}

function subcommandsOf(
  { subcommands = {} }: Pick<Command, "subcommands">,
  of: (locale: Locale) => Pick<CommandText, "subcommands">,
): APIApplicationCommandSubcommandOption[] {
  return Object.entries(subcommands).map(([name, executable]) => {
    const sub = (locale: Locale) => textIn(of(locale).subcommands, name);
    return { ...named(name, sub), type: ApplicationCommandOptionType.Subcommand, options: optionsOf(executable, sub) };
  });
}

/** The command is for servers only, with Manage Server as the default permission. */
export function definitionOf(command: Command): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const of = (locale: Locale) => textIn(commandTexts(locale), command.name);
  const options: APIApplicationCommandOption[] = command.execute
    ? optionsOf(command.execute, of)
    : [
        ...subcommandsOf(command, of),
        ...Object.entries(command.groups ?? {}).map(([name, inside]) => {
          const group = (locale: Locale) => textIn(of(locale).groups, name);
          return {
            ...named(name, group),
            type: ApplicationCommandOptionType.SubcommandGroup as const,
            options: subcommandsOf(inside, group),
          };
        }),
      ];
  return {
    ...named(command.name, of),
    type: ApplicationCommandType.ChatInput,
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    options,
  };
}
