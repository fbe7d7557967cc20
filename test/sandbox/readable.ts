import type { GuildModel } from "./discord/discord.ts";

/** Discord's markdown as a terminal shows it: names for mentions, local times, no marks. */
export function readable(markdown: string, guild: GuildModel): string {
  const people = guild.members.map(({ user }) => ({ id: user.id, name: user.username }));
  const nameOf = (list: readonly { id: string; name: string }[], id: string) =>
    list.find((entry) => entry.id === id)?.name ?? "unknown";
  return markdown
    .replace(/<t:(\d+):R>/g, (_, seconds) => ago(Number(seconds)))
    .replace(/<t:(\d+)(?::\w)?>/g, (_, seconds) => new Date(Number(seconds) * 1_000).toLocaleString("en-GB"))
    .replace(/(?<!\\)<#(\d+)>/g, (_, id) => `#${nameOf(guild.channels, id)}`)
    .replace(/(?<!\\)<@&(\d+)>/g, (_, id) => `@${nameOf(guild.roles, id)}`)
    .replace(/(?<!\\)<@(\d+)>/g, (_, id) => `@${nameOf(people, id)}`)
    .replace(/^(?:#{1,3}|-#) /gm, "")
    .replace(/(?<!\\)(?:\*\*|~~|`)/g, "")
    .replace(/\\([\p{P}\p{S}])/gu, "$1");
}

function ago(seconds: number): string {
  const past = Math.round(Date.now() / 1_000 - seconds);
  return past < 60 ? `${Math.max(past, 0)} s ago` : `${Math.round(past / 60)} min ago`;
}
