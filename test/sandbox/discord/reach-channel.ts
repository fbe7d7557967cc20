import { PermissionFlagsBits } from "@discordjs/core";
import { apiErrors } from "./errors.ts";
import type { ChannelModel } from "./model.ts";
import { has, permissionsIn } from "./permissions.ts";
import type { ApiRequest } from "./routes.ts";
import type { World } from "./world.ts";

/** The channel of a request's path, where the bot has `wanted` (permission bits). Throws an `ApiError` as Discord does. */
export function reachChannel(world: World, request: ApiRequest, wanted = 0n): ChannelModel {
  const channel = world.channels.get(request.params.channelId ?? "");
  if (channel === undefined || channel.deleted) throw apiErrors.unknownChannel();
  if (channel.guildId === undefined) return channel;
  const guild = world.guildOf(channel.guildId);
  if (!guild.present) throw apiErrors.missingAccess();
  const permissions = permissionsIn(guild, world.bot.id, channel);
  if (!has(permissions, PermissionFlagsBits.ViewChannel)) throw apiErrors.missingAccess();
  if (!has(permissions, wanted)) throw apiErrors.missingPermissions();
  return channel;
}
