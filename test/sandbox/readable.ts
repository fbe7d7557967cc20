import type { GuildModel } from "./discord/discord.ts";

/** Markdown for a terminal: names for mentions, no marks. Times stay as they are. */
export function readable(markdown: string, guild: GuildModel): string {
  const people = guild.members.map(({ user }) => ({ id: user.id, name: user.username }));
  const nameOf = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((entry) => entry.id === id)?.name ?? "unknown";
  return markdown
    .replace(/(?<!\\)<#(\d+)>/g, (_, id) => `#${nameOf(guild.channels, id)}`)
    .replace(/(?<!\\)<@&(\d+)>/g, (_, id) => `@${nameOf(guild.roles, id)}`)
    .replace(/(?<!\\)<@(\d+)>/g, (_, id) => `@${nameOf(people, id)}`)
    .replace(/^(?:#{1,3}|-#) /gm, "")
    .replace(/(?<!\\)(?:\*\*|~~|`)/g, "")
    .replace(/\\([\p{P}\p{S}])/gu, "$1");
}
