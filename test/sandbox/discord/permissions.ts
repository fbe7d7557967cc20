import { PermissionFlagsBits } from "@discordjs/core";
import type { ChannelModel, GuildModel } from "./model.ts";

export const ALL_PERMISSIONS: bigint = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** Permissions in a fresh server. */
export const EVERYONE_PERMISSIONS: bigint =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AddReactions |
  PermissionFlagsBits.UseExternalEmojis |
  PermissionFlagsBits.UseApplicationCommands |
  PermissionFlagsBits.ChangeNickname |
  PermissionFlagsBits.CreateInstantInvite |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.CreatePublicThreads;

/** In a channel of a server (docs: Permissions, "Permission Overwrites"). */
export function permissionsIn(guild: GuildModel, userId: string, channel: ChannelModel): bigint {
  if (guild.ownerId === userId) return ALL_PERMISSIONS;
  const member = guild.members.find(({ user }) => user.id === userId);
  if (member === undefined) return 0n;
  const mine = new Set([guild.id, ...member.roles]);
  const base = guild.roles.filter(({ id }) => mine.has(id)).reduce((all, role) => all | role.permissions, 0n);
  if ((base & PermissionFlagsBits.Administrator) !== 0n) return ALL_PERMISSIONS;
  const apply = (permissions: bigint, overwrites: ChannelModel["overwrites"]) => {
    const deny = overwrites.reduce((all, overwrite) => all | overwrite.deny, 0n);
    const allow = overwrites.reduce((all, overwrite) => all | overwrite.allow, 0n);
    return (permissions & ~deny) | allow;
  };
  const { overwrites } = channel;
  const everyone = apply(
    base,
    overwrites.filter(({ id, type }) => type === 0 && id === guild.id),
  );
  const roles = apply(
    everyone,
    overwrites.filter(({ id, type }) => type === 0 && id !== guild.id && mine.has(id)),
  );
  return apply(
    roles,
    overwrites.filter(({ id, type }) => type === 1 && id === userId),
  );
}

export function has(permissions: bigint, wanted: bigint): boolean {
  return (permissions & wanted) === wanted;
}
