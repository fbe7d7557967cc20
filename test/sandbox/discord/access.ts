import { PermissionFlagsBits } from "@discordjs/core";
import type { CommandOverride, Commands } from "./commands.ts";
import type { ApplicationCommand, ChannelModel, GuildModel } from "./model.ts";
import { ALL_PERMISSIONS, has, permissionsIn } from "./permissions.ts";

/** Discord's types of an entry (docs: Application Commands, "Application Command Permission Type"). */
const OF = { role: 1, user: 2, channel: 3 } as const;

/**
 * The settings that hold for a command: its own entry for a role, person or channel replaces the application's entry for
 * the same one; all other entries of the application stay in effect (docs: Application Commands, "Permissions").
 */
function merged(
  ofApplication: readonly CommandOverride[],
  ofCommand: readonly CommandOverride[],
): readonly CommandOverride[] {
  const isReplaced = ({ type, id }: CommandOverride) => ofCommand.some((own) => own.type === type && own.id === id);
  return [...ofApplication.filter((entry) => !isReplaced(entry)), ...ofCommand];
}

/**
 * Why a person may not use a command here, or undefined. The settings of the application and of the command come before
 * the command's own default.
 */
export function refusedAccess(
  commands: Commands,
  command: ApplicationCommand,
  guild: GuildModel,
  channel: ChannelModel,
  userId: string,
): string | undefined {
  const permissions = permissionsIn(guild, userId, channel);
  if (!has(permissions, PermissionFlagsBits.ViewChannel)) return "does not see the channel";
  if (permissions === ALL_PERMISSIONS) return undefined;
  if (!has(permissions, PermissionFlagsBits.UseApplicationCommands)) return "may not use commands in the channel";
  const { id: commandId, application_id: applicationId } = command;
  const settings = merged(commands.overrides(guild.id, applicationId), commands.overrides(guild.id, commandId));
  const of = (type: CommandOverride["type"], id: string) =>
    settings.find((entry) => entry.type === type && entry.id === id)?.permission;

  const everyChannel = String(BigInt(guild.id) - 1n);
  if ((of(OF.channel, channel.id) ?? of(OF.channel, everyChannel)) === false) return "may not use it in this channel";

  const person = of(OF.user, userId);
  if (person !== undefined) return person ? undefined : "is barred from it";
  const roles = guild.members.find(({ user }) => user.id === userId)?.roles ?? [];
  const byRole = roles.map((id) => of(OF.role, id)).filter((permission) => permission !== undefined);
  if (byRole.length > 0) return byRole.includes(true) ? undefined : "has a role that is barred from it";
  const everyone = of(OF.role, guild.id);
  if (everyone !== undefined) return everyone ? undefined : "is barred from it like everyone";

  const wanted = command.default_member_permissions;
  if (wanted === null || wanted === undefined) return undefined;
  if (wanted === "0") return "is no administrator";
  return has(permissions, BigInt(wanted)) ? undefined : "lacks the permission that it asks for";
}
