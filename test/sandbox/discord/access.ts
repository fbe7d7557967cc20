import { PermissionFlagsBits } from "@discordjs/core";
import type { Commands } from "./commands.ts";
import type { ApplicationCommand, ChannelModel, GuildModel } from "./model.ts";
import { ALL_PERMISSIONS, has, permissionsIn } from "./permissions.ts";

/**
 * Why a person may not use a command here, or undefined. Overrides come before the command's own default
 * (docs: Application Commands, "Permissions").
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
  const own = commands.overrides(guild.id, command.id);
  const overrides = own.length > 0 ? own : commands.overrides(guild.id, command.application_id);

  const everyChannel = String(BigInt(guild.id) - 1n);
  const here =
    overrides.find(({ type, id }) => type === 3 && id === channel.id) ??
    overrides.find(({ type, id }) => type === 3 && id === everyChannel);
  if (here?.permission === false) return "may not use it in this channel";

  const person = overrides.find(({ type, id }) => type === 2 && id === userId);
  if (person !== undefined) return person.permission ? undefined : "is barred from it";
  const roles = guild.members.find(({ user }) => user.id === userId)?.roles ?? [];
  const byRole = overrides.filter(({ type, id }) => type === 1 && roles.includes(id));
  if (byRole.length > 0)
    return byRole.some(({ permission }) => permission) ? undefined : "has a role that is barred from it";
  const everyone = overrides.find(({ type, id }) => type === 1 && id === guild.id);
  if (everyone !== undefined) return everyone.permission ? undefined : "is barred from it like everyone";

  const wanted = command.default_member_permissions;
  if (wanted === null || wanted === undefined) return undefined;
  if (wanted === "0") return "is no administrator";
  return has(permissions, BigInt(wanted)) ? undefined : "lacks the permission that it asks for";
}
