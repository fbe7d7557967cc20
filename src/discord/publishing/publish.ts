import { createHash } from "node:crypto";
import {
  type API,
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
import { z } from "zod";
import { type Locale, localeOf } from "../../basics/locale.ts";
import type { Log } from "../../basics/log.ts";
import type { CommandText, OptionText } from "../../locales/command-text.ts";
import { commandTexts } from "../../locales/texts.ts";
import type { Table, TableShape } from "../../storage/table.ts";
import type { Command, Executable, OptionSpec } from "../commands/define-command.ts";

/** Discord's locales other than English that Shopbell speaks, and whose texts each gets. */
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

const kinds = {
  string: ApplicationCommandOptionType.String,
  integer: ApplicationCommandOptionType.Integer,
  number: ApplicationCommandOptionType.Number,
  boolean: ApplicationCommandOptionType.Boolean,
  channel: ApplicationCommandOptionType.Channel,
  role: ApplicationCommandOptionType.Role,
  attachment: ApplicationCommandOptionType.Attachment,
} as const;

/** A value of an option that can be chosen, called in each language by its text; what is sent stays the value. */
function choice(value: string, of: (locale: Locale) => OptionText) {
  const nameIn = (locale: Locale) => textIn(of(locale).choices, value);
  return {
    name: nameIn("en"),
    name_localizations: Object.fromEntries(translations.map(([discord, ours]) => [discord, nameIn(ours)])),
    value,
  };
}

function option<S>(
  name: string,
  spec: OptionSpec<S>,
  of: (locale: Locale) => OptionText,
): APIApplicationCommandBasicOption {
  const bounds =
    spec.kind === "string"
      ? { min_length: spec.min, max_length: spec.max }
      : spec.kind === "integer" || spec.kind === "number"
        ? { min_value: spec.min, max_value: spec.max }
        : {};
  return {
    ...named(name, of),
    type: kinds[spec.kind],
    required: spec.required ?? false,
    ...bounds,
    ...(spec.choices ? { choices: spec.choices.map((value) => choice(value, of)) } : {}),
    ...(spec.channelTypes ? { channel_types: spec.channelTypes } : {}),
    ...(spec.suggest ? { autocomplete: true } : {}),
  } as APIApplicationCommandBasicOption;
}

function optionsOf<S>(
  executable: Executable<S>,
  of: (locale: Locale) => CommandText,
): APIApplicationCommandBasicOption[] {
  return Object.entries(executable.options).map(([name, spec]) =>
    option(name, spec, (locale) => textIn(of(locale).options, name)),
  );
}

function textIn<T>(texts: Readonly<Record<string, T>> | undefined, name: string): T {
  const text = texts?.[name];
  if (!text) throw new Error(`there is no text for ${name}`);
  return text;
}

function subcommandsOf<S>(
  subcommands: Readonly<Record<string, Executable<S>>>,
  of: (locale: Locale) => Pick<CommandText, "subcommands">,
): APIApplicationCommandSubcommandOption[] {
  return Object.entries(subcommands).map(([name, executable]) => {
    const sub = (locale: Locale) => textIn(of(locale).subcommands, name);
    return { ...named(name, sub), type: ApplicationCommandOptionType.Subcommand, options: optionsOf(executable, sub) };
  });
}

/** The definition of one command as Discord takes it: for servers only, asking for Manage Server by default. */
export function definitionOf<S>(command: Command<S>): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const of = (locale: Locale) => textIn(commandTexts(locale), command.name);
  const options: APIApplicationCommandOption[] = command.execute
    ? optionsOf(command.execute, of)
    : [
        ...subcommandsOf(command.subcommands, of),
        ...Object.entries(command.groups ?? {}).map(([name, subcommands]) => {
          const group = (locale: Locale) => textIn(of(locale).groups, name);
          return {
            ...named(name, group),
            type: ApplicationCommandOptionType.SubcommandGroup as const,
            options: subcommandsOf(subcommands, group),
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

/**
 * Fingerprints of what was published, by application and server, and what Discord said when it refused to take the commands.
 * What is malformed is no fingerprint that there is: the commands are published again.
 */
export const publishedTable: TableShape<string> = { name: "published", schema: z.string().catch(""), version: 1 };

interface PublishedDeps<S> {
  readonly api: API;
  readonly applicationId: string;
  /** One server instead of all. */
  readonly guildId: string | undefined;
  readonly commands: readonly Command<S>[];
}

/** What it takes to change them. */
export type PublishDeps<S> = PublishedDeps<S> & { readonly published: Table<string>; readonly log: Log };

/** The keys in {@link publishedTable}: of the fingerprint, and of a refusal. */
function keysOf({ applicationId, guildId }: Pick<PublishedDeps<unknown>, "applicationId" | "guildId">) {
  const scope = `${applicationId}:${guildId ?? "global"}`;
  return { scope, refused: `${scope}:refused` };
}

const idsOf = (commands: readonly { readonly name: string; readonly id: string }[]) =>
  new Map(commands.map(({ name, id }) => [name, id]));

/** What the commands are, here and at Discord. */
function listOf<S>({ api, applicationId, guildId, commands }: PublishedDeps<S>) {
  const definitions = commands.map(definitionOf);
  return {
    definitions,
    fingerprint: createHash("sha256").update(JSON.stringify(definitions)).digest("hex"),
    ...keysOf({ applicationId, guildId }),
    /** What Discord shows. */
    read: () =>
      guildId
        ? api.applicationCommands.getGuildCommands(applicationId, guildId)
        : api.applicationCommands.getGlobalCommands(applicationId),
  };
}

/** How what Discord shows compares with this version's commands. */
export interface PublishedLook {
  /** Names that Discord lacks, and such as only Discord has. */
  readonly lacking: readonly string[];
  readonly strange: readonly string[];
  /** Whether the definitions are those that were published last; undefined where none ever were. */
  readonly isSame: boolean | undefined;
  /** Why Discord did not take them last time, in its own words. */
  readonly refusal: string | undefined;
}

/** Only looks, with one request. Throws what Discord's client throws. */
export async function lookAtPublished<S>(
  deps: PublishedDeps<S>,
  published: Pick<Table<string>, "get"> | undefined,
): Promise<PublishedLook> {
  const { definitions, fingerprint, scope, refused, read } = listOf(deps);
  const there = (await read()).map(({ name }) => name);
  const ours = definitions.map(({ name }) => name);
  const last = await published?.get(scope);
  return {
    lacking: ours.filter((name) => !there.includes(name)),
    strange: there.filter((name) => !ours.includes(name)),
    isSame: last === undefined ? undefined : last === fingerprint,
    refusal: await published?.get(refused),
  };
}

/** Of a refusal of many commands Discord's reasons are pages long. */
const longestRefusal = 300;

/** Keeps why Discord did not take the commands, for who looks at it later. Never rejects: it is in the log, too. */
export async function recordRefusal<S>(deps: PublishDeps<S>, why: string): Promise<void> {
  const text = why.slice(0, longestRefusal).toWellFormed();
  await deps.published.set(keysOf(deps).refused, text).catch(() => undefined);
}

/**
 * Publishes the commands if their definitions changed since they were last published there, or if Discord shows others.
 * Discord allows 200 command creations a day and server, so an unchanged list is left alone.
 *
 * @param found told the ids of the commands that stand there by now, by name, before that
 * @returns the ids of the commands by name
 */
export async function publishCommands<S>(
  deps: PublishDeps<S>,
  found: (ids: ReadonlyMap<string, string>) => void = () => undefined,
): Promise<ReadonlyMap<string, string>> {
  const { api, applicationId, guildId, published, log } = deps;
  const { definitions, fingerprint, scope, refused, read } = listOf(deps);
  // What cannot be read is published again, which does no harm.
  const there = await read().catch(() => undefined);
  if (there) found(idsOf(there));
  const sameNames =
    there?.length === definitions.length && definitions.every(({ name }) => there.some((other) => other.name === name));
  if (there && sameNames && (await published.get(scope)) === fingerprint) {
    log.debug({ scope }, "commands are published already");
    return idsOf(there);
  }
  const now = guildId
    ? await api.applicationCommands.bulkOverwriteGuildCommands(applicationId, guildId, definitions)
    : await api.applicationCommands.bulkOverwriteGlobalCommands(applicationId, definitions);
  await published.set(scope, fingerprint);
  await published.delete(refused);
  log.info({ scope, commands: now.length }, "commands published");
  return idsOf(now);
}
