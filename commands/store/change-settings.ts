import type { Caller } from "../../src/discord/commands/caller.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import type { Services } from "../../src/services.ts";

type Settings = Guild["settings"];

/** Changes the server's settings, and records each change in the audit log. */
export async function changeSettings(
  caller: Caller,
  { guilds, alerts, auditLog }: Services,
  change: (settings: Settings) => Settings,
): Promise<Guild> {
  const { guildId } = caller;
  const { settings: before } = await guilds.get(guildId);
  const guild = await alerts.changeSettings(guildId, change);
  const { settings: after } = guild;
  const deeds = [
    { did: "currency", was: before.currency, what: after.currency },
    { did: "language", was: before.language, what: after.language },
    { did: "privacy", was: before.privacy, what: after.privacy },
    { did: "staff", was: before.staffRoleId, what: after.staffRoleId },
    { did: "timezone", was: before.timezone, what: after.timezone },
  ] as const;
  const changed = deeds.filter(({ was, what }) => was !== what);
  await Promise.all(changed.map(({ did, what }) => auditLog.note(caller, { did, what })));
  return guild;
}
