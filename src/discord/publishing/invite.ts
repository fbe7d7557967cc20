import { OAuth2Scopes, PermissionFlagsBits } from "@discordjs/core";

/**
 * What alerts need in a channel. After a crash, the bot needs `ReadMessageHistory` to find out what was posted. To mention a
 * role that is not mentionable, the bot also needs `MentionEveryone`. The link does not ask for this permission, because the
 * owner decides about it.
 */
export const neededPermissions = ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"] as const;

/** Without `AttachFiles`, digests have no chart. */
const wishedPermissions = ["AttachFiles"] as const;

const scopes = [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands];
/** The bot has no commands for a person who installs it without a server (docs: Application, "Installation Context"). */
const intoServer = "0";

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
