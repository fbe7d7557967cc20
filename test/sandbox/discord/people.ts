import { PermissionFlagsBits } from "@discordjs/core";
import { refusedAccess } from "./access.ts";
import type { Commands } from "./commands.ts";
import { findPressable, type ModalFields, modalPayload, pressPayload } from "./filled-components.ts";
import { handleOf, type Interaction, type Interactions } from "./interactions.ts";
import type { ApiMessage, ApplicationCommand, DiscordBus, StoredMessage } from "./model.ts";
import { has, permissionsIn } from "./permissions.ts";
import { placeOf, surroundings } from "./resolved.ts";
import { type CommandInput, typedCommand } from "./typed-command.ts";
import type { World } from "./world.ts";

function current(world: World, by: string, message: ApiMessage): StoredMessage & { readonly guildId: string } {
  const stored = world.message(message.channel_id, message.id);
  if (stored === undefined) throw new Error("the message is not there any more");
  const { guildId } = stored;
  if (guildId === undefined) throw new Error("components of direct messages are not simulated");
  if (stored.ephemeralFor !== undefined && stored.ephemeralFor !== by)
    throw new Error(`${by} does not see that message`);
  // The record of the interaction must hold the stored message itself, because edits replace its content.
  return stored as StoredMessage & { readonly guildId: string };
}

/** `by` is a user id. Each call sends its event at once. */
export function createPeople(deps: { bus: DiscordBus; world: World; commands: Commands; interactions: Interactions }) {
  const { bus, world, commands, interactions } = deps;
  const open = (...event: Parameters<Interactions["open"]>): Interaction => handleOf(bus, interactions.open(...event));

  function type(by: string, input: CommandInput, focused?: string): Interaction {
    const { guildId, channelId, name } = input;
    const at = placeOf(world, guildId, channelId, by);
    const command = commands.find(guildId, name);
    if (command === undefined) throw new Error(`no command /${name} is published in ${at.guild.name}`);
    const refused = refusedAccess(commands, command, at.guild, at.channel, by);
    if (refused !== undefined && !input.force) throw new Error(`${at.member.user.username} ${refused}: /${name}`);
    const { data, ...typed } = typedCommand(world, at, command, input, focused);
    const kind = focused === undefined ? "command" : "autocomplete";
    const locale = input.locale ?? at.member.locale;
    return open(
      { kind, guildId, channelId, userId: by, locale, ...typed },
      { ...surroundings(world, at, locale), data },
    );
  }

  return {
    offered(by: string, guildId: string, channelId: string): ApplicationCommand[] {
      const { guild, channel } = placeOf(world, guildId, channelId, by);
      const own = commands.list(guildId);
      const global = commands.list().filter(({ name }) => !own.some((command) => command.name === name));
      return [...own, ...global].filter(
        (command) => refusedAccess(commands, command, guild, channel, by) === undefined,
      );
    },

    command: (by: string, input: CommandInput): Interaction => type(by, input),
    /** `focused` names the option that the cursor is in. */
    autocomplete: (by: string, input: CommandInput & { readonly focused: string }): Interaction =>
      type(by, input, input.focused),

    press(
      by: string,
      message: ApiMessage,
      customIdOrLabel: string,
      more: { readonly values?: readonly string[]; readonly locale?: string } = {},
    ): Interaction {
      const source = current(world, by, message);
      const { guildId, channelId } = source;
      const at = placeOf(world, guildId, channelId, by);
      if (!has(permissionsIn(at.guild, by, at.channel), PermissionFlagsBits.ViewChannel)) {
        throw new Error(`${at.member.user.username} does not see the channel`);
      }
      const component = findPressable(source.message, customIdOrLabel);
      const data = pressPayload(at, component, more.values ?? []);
      const locale = more.locale ?? at.member.locale;
      return open(
        { kind: "component", guildId, channelId, userId: by, label: component.custom_id, locale, source },
        { ...surroundings(world, at, locale), message: source.message, data },
      );
    },

    submit(by: string, opener: Interaction, fields: ModalFields): Interaction {
      const opened = interactions.byToken(opener.token);
      if (opened?.modal === undefined) throw new Error("that interaction opened no modal");
      if (opened.userId !== by) throw new Error("the modal was opened for somebody else");
      const { guildId, channelId, locale, source, modal } = opened;
      const at = placeOf(world, guildId, channelId, by);
      const data = modalPayload(world, at, modal, fields);
      return open(
        { kind: "modal", guildId, channelId, userId: by, label: modal.custom_id, locale, source },
        { ...surroundings(world, at, locale), ...(source ? { message: source.message } : {}), data },
      );
    },
  };
}
