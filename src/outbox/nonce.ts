import { hash } from "node:crypto";

/**
 * Returns the nonce of a message: always the same text for the same channel and content, at most Discord's 25 characters. For a
 * few minutes, Discord recognises a repeat by its nonce and does not post it twice. Later, posted-before.ts finds out whether the
 * message was posted.
 */
export function nonceFor(guildId: string, channelId: string, what: readonly string[]): string {
  return hash("sha256", [guildId, channelId, ...what].join("\n"), "base64url").slice(0, 25);
}
