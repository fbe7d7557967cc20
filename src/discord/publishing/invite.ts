import { OAuth2Scopes, PermissionFlagsBits } from "@discordjs/core";

/**
 * Permissions that the bot needs in a channel for alerts: to see it, to post, to post with a card (embed), and to find after a
 * crash what it posted. To mention a role that is not mentionable, the bot also needs `MentionEveryone`. The link does not ask
 * for that permission, because the owner decides about it.
 */
export const neededPermissions = ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"] as const;

/**
 * Permissions that the link asks for, although the bot can do without them. Without permission to attach files, digests have no
 * chart.
 */
const wishedPermissions = ["AttachFiles"] as const;

const scopes = [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands];
/**
 * The link's installation type for servers. The bot has no commands for a person who installs it without a server (docs:
 * Application, "Installation Context").
 */
const intoServer = "0";

/** URL of the page where a member with Manage Server adds the bot to a server, with its commands and permissions. */
export function inviteLink(applicationId: string): string {
  const permissions = [...neededPermissions, ...wishedPermissions].reduce(
    (bits, name) => bits | PermissionFlagsBits[name],
    0n,
  );
  const query = [
    `client_id=${applicationId}`,
    `integration_type=${intoServer}`,
    `scope=${scopes.join("+")}`,
    `permissions=${permissions}`,
  ];
  return `https://discord.com/oauth2/authorize?${query.join("&")}`;
}
