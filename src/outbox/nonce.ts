import { hash } from "node:crypto";

/** The same text for the same things said in the same channel, within Discord's 25 characters. */
export function nonceFor(guildId: string, channelId: string, what: readonly string[]): string {
  return hash("sha256", [guildId, channelId, ...what].join("\n"), "base64url").slice(0, 25);
}
