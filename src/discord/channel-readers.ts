import { type API, OverwriteType, PermissionFlagsBits } from "@discordjs/core";

/**
 * Whether everybody in the server can read the channel: what the role @everyone (its id is the server's) is allowed, as
 * the channel's own overwrite changes it.
 */
export async function isPublicChannel(api: API, guildId: string, channelId: string): Promise<boolean> {
  const [channel, roles] = await Promise.all([api.channels.get(channelId), api.guilds.getRoles(guildId)]);
  const base = BigInt(roles.find(({ id }) => id === guildId)?.permissions ?? 0);
  const overwrites = "permission_overwrites" in channel ? (channel.permission_overwrites ?? []) : [];
  const own = overwrites.find(({ id, type }) => id === guildId && type === OverwriteType.Role);
  const allowed = (base & ~BigInt(own?.deny ?? 0)) | BigInt(own?.allow ?? 0);
  return (allowed & PermissionFlagsBits.ViewChannel) !== 0n;
}
