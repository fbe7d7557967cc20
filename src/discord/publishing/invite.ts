import { OAuth2Scopes, PermissionFlagsBits } from "@discordjs/core";

/**
 * What the bot needs in a channel that it posts to: see it, post, with an embed, and find after a crash what it posted
 * before. A role that is not mentionable takes `MentionEveryone` on top, which is the owner's choice and not asked for.
 */
export const neededPermissions = ["ViewChannel", "SendMessages", "EmbedLinks", "ReadMessageHistory"] as const;

/** Without it digests come without their charts, and all else works. */
const wishedPermissions = ["AttachFiles"] as const;

const scopes = [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands];
/** Into a server; installed for a person alone the bot would have no commands (docs: Application, "Installation Context"). */
const intoServer = "0";

/** The page on which somebody with Manage Server lets the bot into a server, with its commands, all that it needs, and charts. */
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
