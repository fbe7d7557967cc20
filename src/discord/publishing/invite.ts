import { OAuth2Scopes, PermissionFlagsBits } from "@discordjs/core";

/**
 * Permissions that the bot needs in a channel of alerts: to see it, to post, with an embed, and to find after a crash
 * what it posted before. To mention a role that is not mentionable it also needs `MentionEveryone`. The owner decides
 * that, so the link does not ask for it.
 */
export const neededPermissions = ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"] as const;

/** Without this permission digests have no charts. Everything else works. */
const wishedPermissions = ["AttachFiles"] as const;

const scopes = [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands];
/**
 * Installs the bot into a server. Installed for a person alone, it would have no commands (docs: Application,
 * "Installation Context").
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
