import { PermissionFlagsBits } from "@discordjs/core";
import type { Commands } from "./commands.ts";
import type { ApplicationCommand, ChannelModel, GuildModel } from "./model.ts";
import { ALL_PERMISSIONS, has, permissionsIn } from "./permissions.ts";

/**
 * Undefined if the person may use the command. The first of these decides: the command's setting for the person, its setting
 * for everyone, its default permissions.
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
  const settings = commands.overrides(guild.id, command.id);
  const of = (id: string) => settings.find((entry) => entry.id === id)?.permission;
  const allowed = of(userId) ?? of(guild.id);
  if (allowed !== undefined) return allowed ? undefined : "is barred from it";

  const wanted = command.default_member_permissions;
  if (wanted === null || wanted === undefined) return undefined;
  if (wanted === "0") return "is no administrator";
  return has(permissions, BigInt(wanted)) ? undefined : "lacks the permission that it asks for";
}
