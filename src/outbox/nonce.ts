import { hash } from "node:crypto";

/**
 * Returns the nonce of a message, with 25 characters, Discord's maximum. The same arguments always give the same nonce. For a
 * few minutes, Discord does not post a second message with the same nonce. Later, posted-before.ts finds out whether the
 * message was posted.
 */
export function nonceFor(guildId: string, channelId: string, what: readonly string[]): string {
  return hash("sha256", [guildId, channelId, ...what].join("\n"), "base64url").slice(0, 25);
}
