import {
  type APIApplicationCommandOption,
  ApplicationCommandOptionType as OptionType,
  PermissionFlagsBits,
} from "@discordjs/core";
import { refusedAccess } from "./access.ts";
import { apiChannel, apiInteractionMember } from "./api-objects.ts";
import type { Bus } from "./bus.ts";
import type { Commands } from "./commands.ts";
import { isSelect } from "./component-limits.ts";
import { type Component, flat, TYPE } from "./components.ts";
import { handleOf, type Interaction } from "./interaction-handle.ts";
import type { InteractionRecord, Interactions } from "./interactions.ts";
import { type ModalFields, modalPayload, resolveEntity } from "./modal-values.ts";
import type { ApiMessage, ApplicationCommand, StoredMessage } from "./model.ts";
import { type OptionValue, optionPayload, type Resolved } from "./option-values.ts";
import { has, permissionsIn } from "./permissions.ts";
import type { World } from "./world.ts";

/** A slash command as a person types it. */
interface CommandInput {
  readonly guildId: string;
  readonly channelId: string;
  readonly name: string;
  /** `set`, or `group set`. */
  readonly subcommand?: string;
  /** Channels, roles and people by id, files as `upload` made them. */
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** Language of the person's client; default: the person's own. */
  readonly locale?: string;
  /** Sends it although the person may not use the command. */
  readonly force?: boolean;
}

/** A command that is being typed; `focused` names the option that the cursor is in. */
type AutocompleteInput = CommandInput & { readonly focused: string };

/** What people do. `by` is a user id. Each sends its event at once and returns a handle on what comes of it. */
export interface People {
  /** The commands that a Discord client offers this person in a channel: those that they may use there. */
  offered(by: string, guildId: string, channelId: string): ApplicationCommand[];
  command(by: string, input: CommandInput): Interaction;
  autocomplete(by: string, input: AutocompleteInput): Interaction;
  press(
    by: string,
    message: ApiMessage,
    customIdOrLabel: string,
    more?: { readonly values?: readonly string[]; readonly locale?: string },
  ): Interaction;
  submit(by: string, opener: Interaction, fields: ModalFields): Interaction;
}

export function createPeople(deps: { bus: Bus; world: World; commands: Commands; interactions: Interactions }): People {
  const { bus, world, commands, interactions } = deps;

  const place = (guildId: string, channelId: string, userId: string) => {
    const guild = world.guildOf(guildId);
    const channel = world.channelOf(channelId);
    if (channel.guildId !== guildId || channel.deleted) throw new Error(`${guild.name} has no channel ${channelId}`);
    if (!guild.present) throw new Error(`the bot is not in ${guild.name}`);
    return { guild, channel, userId, member: world.memberOf(guild, userId) };
  };
  type Place = ReturnType<typeof place>;

  const surroundings = ({ guild, channel, member }: Place, locale: string) => ({
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale, features: [] },
    guild_locale: guild.locale,
    locale,
    channel_id: channel.id,
    channel: { ...apiChannel(channel), permissions: String(permissionsIn(guild, member.user.id, channel)) },
    member: apiInteractionMember(guild, member, channel),
    app_permissions: String(permissionsIn(guild, world.bot.id, channel)),
    entitlements: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: 10 * 1024 * 1024,
  });

  const type = (by: string, input: CommandInput, kind: "command" | "autocomplete", focused?: string): Interaction => {
    const at = place(input.guildId, input.channelId, by);
    const command = commands.find(input.guildId, input.name);
    if (command === undefined) throw new Error(`no command /${input.name} is published in ${at.guild.name}`);
    const refused = refusedAccess(commands, command, at.guild, at.channel, by);
    if (refused !== undefined && !input.force) throw new Error(`${at.member.user.username} ${refused}: /${input.name}`);

    const steps = input.subcommand === undefined ? [] : input.subcommand.split(" ");
    let definitions: readonly APIApplicationCommandOption[] = command.options ?? [];
    const path = steps.map((name) => {
      const step = definitions.find((option) => option.name === name);
      const nested = step?.type === OptionType.Subcommand || step?.type === OptionType.SubcommandGroup;
      if (step === undefined || !nested) throw new Error(`/${input.name} has no sub-command ${name}`);
      definitions = step.options ?? [];
      return { name, type: step.type };
    });
    if (
      definitions.some((option) => option.type === OptionType.Subcommand || option.type === OptionType.SubcommandGroup)
    ) {
      throw new Error(`/${[input.name, ...steps].join(" ")} needs a sub-command`);
    }
    const given = input.options ?? {};
    const stray = Object.keys(given).filter((name) => !definitions.some((option) => option.name === name));
    if (stray.length > 0) throw new Error(`/${input.name} has no option ${stray.join(", ")}`);
    const resolved: Resolved = {};
    const typing = kind === "autocomplete";
    const filled = definitions.flatMap((definition) => {
      const value = given[definition.name] ?? (definition.name === focused ? "" : undefined);
      if (value === undefined) {
        if (definition.required && !typing) throw new Error(`/${input.name}: option "${definition.name}" is required`);
        return [];
      }
      const payload = optionPayload(world, at, definition, value, resolved, typing);
      return [definition.name === focused ? { ...payload, value: String(value), focused: true } : payload];
    });
    const aimed = definitions.find(({ name }) => name === focused);
    if (typing && !(aimed !== undefined && "autocomplete" in aimed && aimed.autocomplete)) {
      throw new Error(`/${input.name}: option "${focused}" offers no autocomplete`);
    }
    const options = path.reduceRight<unknown[]>((inner, step) => [{ ...step, options: inner }], filled);
    const locale = input.locale ?? at.member.locale;
    const label = `/${[input.name, ...steps].join(" ")}`;
    const data = {
      id: command.id,
      name: command.name,
      type: command.type,
      ...(command.guild_id ? { guild_id: command.guild_id } : {}),
      ...(options.length > 0 ? { options } : {}),
      ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
    };
    const record = interactions.open(
      { kind, guildId: input.guildId, channelId: input.channelId, userId: by, label, locale, focusedType: aimed?.type },
      { ...surroundings(at, locale), data },
    );
    return remember(record);
  };

  const records = new Map<string, InteractionRecord>();
  const remember = (record: InteractionRecord): Interaction => {
    records.set(record.id, record);
    return handleOf(bus, record);
  };

  /** The message as it is now, if this person sees it. */
  const current = (by: string, message: ApiMessage): StoredMessage & { guildId: string } => {
    const stored = world.message(message.channel_id, message.id);
    if (stored === undefined) throw new Error("the message is not there any more");
    if (stored.guildId === undefined) throw new Error("only messages of servers have components to press here");
    if (stored.ephemeralFor !== undefined && stored.ephemeralFor !== by)
      throw new Error(`${by} does not see that message`);
    return stored as StoredMessage & { guildId: string };
  };

  const select = (at: Place, component: Component, values: readonly string[], resolved: Resolved): string[] => {
    const name = component.placeholder ?? component.custom_id ?? "";
    const { min_values: least = 1, max_values: most = 1 } = component;
    if (values.length < least || values.length > most)
      throw new Error(`the menu "${name}" takes ${least} to ${most} values`);
    return values.map((value) => {
      if (component.type !== TYPE.stringSelect) {
        resolveEntity(world, at, name, component.type, value, resolved);
        return value;
      }
      const option = component.options?.find((candidate) => candidate.value === value || candidate.label === value);
      if (option === undefined) throw new Error(`the menu "${name}" has no option ${value}`);
      return option.value;
    });
  };

  return {
    offered(by, guildId, channelId) {
      const { guild, channel } = place(guildId, channelId, by);
      const own = commands.list(guildId);
      const global = commands.list().filter(({ name }) => !own.some((command) => command.name === name));
      return [...own, ...global].filter(
        (command) => refusedAccess(commands, command, guild, channel, by) === undefined,
      );
    },

    command: (by, input) => type(by, input, "command"),
    autocomplete: (by, input) => type(by, input, "autocomplete", input.focused),

    press(by, message, customIdOrLabel, { values = [], locale } = {}) {
      const stored = current(by, message);
      const at = place(stored.guildId, stored.channelId, by);
      if (!has(permissionsIn(at.guild, by, at.channel), PermissionFlagsBits.ViewChannel)) {
        throw new Error(`${at.member.user.username} does not see the channel`);
      }
      const all = flat(stored.message.components as unknown as readonly Component[]);
      const fits = ({ custom_id, label, placeholder, emoji }: Component) =>
        [custom_id, label, placeholder, emoji?.name].includes(customIdOrLabel);
      const component = all.find(
        (candidate) => (candidate.type === TYPE.button || isSelect(candidate)) && fits(candidate),
      );
      if (component === undefined) throw new Error(`the message has no button or menu "${customIdOrLabel}"`);
      if (component.disabled) throw new Error(`"${customIdOrLabel}" is disabled`);
      if (component.custom_id === undefined) throw new Error(`"${customIdOrLabel}" is a link`);
      const resolved: Resolved = {};
      const chosen = isSelect(component) ? { values: select(at, component, values, resolved) } : {};
      const data = {
        id: component.id,
        component_type: component.type,
        custom_id: component.custom_id,
        ...chosen,
        ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
      };
      const language = locale ?? at.member.locale;
      const record = interactions.open(
        {
          kind: "component",
          guildId: stored.guildId,
          channelId: stored.channelId,
          userId: by,
          label: component.custom_id,
          locale: language,
          source: stored,
        },
        { ...surroundings(at, language), message: stored.message, data },
      );
      return remember(record);
    },

    submit(by, opener, fields) {
      const opened = records.get(opener.id);
      if (opened?.modal === undefined) throw new Error("that interaction opened no modal");
      if (opened.userId !== by) throw new Error("the modal was opened for somebody else");
      const at = place(opened.guildId, opened.channelId, by);
      const data = modalPayload(world, at, opened.modal, fields);
      const record = interactions.open(
        {
          kind: "modal",
          guildId: opened.guildId,
          channelId: opened.channelId,
          userId: by,
          label: opened.modal.custom_id,
          locale: opened.locale,
          source: opened.source,
          opener: opened,
        },
        { ...surroundings(at, opened.locale), ...(opened.source ? { message: opened.source.message } : {}), data },
      );
      return remember(record);
    },
  };
}
