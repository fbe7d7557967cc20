import { ChannelType } from "@discordjs/core";
import { type Choice, firstChoices, searchFor } from "../src/basics/choices.ts";
import type { Locale } from "../src/basics/locale.ts";
import { zoneName, zoneNames } from "../src/basics/zones.ts";
import { assertTheirs, hurdlesOf, lookFor } from "../src/discord/alert-place.ts";
import { rhythms } from "../src/reports/periods.ts";
import { defineCommand, execute } from "../src/services.ts";
import { texts } from "../src/views/catalogue/catalogue.ts";
import { notice } from "../src/views/notice.ts";
import { permissionNames } from "../src/views/permissions.ts";
import { ProblemError } from "../src/views/problem.ts";
import { isClosed } from "../src/views/set-up.ts";
import { dateTime } from "../src/views/time.ts";

/** Where most people are who read this language. */
const likely: Readonly<Record<Locale, readonly string[]>> = {
  en: ["UTC", "Europe/London", "America/New_York", "America/Chicago", "America/Los_Angeles"],
  "pt-BR": ["America/Sao_Paulo", "America/Manaus", "America/Fortaleza", "America/Cuiaba", "Europe/Lisbon"],
  es: ["Europe/Madrid", "America/Mexico_City", "America/Argentina/Buenos_Aires", "America/Bogota", "America/Santiago"],
};

const clock = (zone: string, now: number, locale: Locale) =>
  new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: "short" }).format(now).replaceAll("\u202f", " ");

/** Zones with the time that it is there, by which most people know theirs. */
function suggestZones(typed: string, now: number, locale: Locale): Choice[] {
  const isWanted = searchFor(typed.replaceAll(" ", "_"));
  const zones = new Set([...likely[locale], ...zoneNames()]);
  const wanted = firstChoices(zones, (zone) => (isWanted(zone) ? { name: zone, value: zone } : undefined));
  // A clock for each of them takes longer than to find them.
  return wanted.map(({ value }) => ({ name: `${value} (${clock(value, now, locale)})`, value }));
}

/** A suggestion's name stands for what it suggests: Discord sends it where somebody types on and goes back. */
function zoneIn(typed: string): string {
  const name = zoneName(typed.replace(/\s*\([^)]*\)\s*$/, ""));
  if (name === undefined) throw new ProblemError({ code: "bad_zone" });
  return name;
}

export const digest = defineCommand("digest", {
  subcommands: {
    set: execute({
      options: {
        channel: {
          kind: "channel",
          required: true,
          channelTypes: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
        },
        every: { kind: "string", required: true, choices: rhythms },
        hour: { kind: "integer", required: true, min: 0, max: 23 },
        timezone: {
          kind: "string",
          max: 100,
          suggest: async (typed, { locale }, { now }) => suggestZones(typed, now(), locale),
        },
      },
      answer: "ephemeral",
      async run(caller, services) {
        const { guildId, locale, options } = caller;
        const { channel: channelId, every, hour } = options;
        if (!Number.isInteger(hour) || hour < 0 || hour > 23) throw new ProblemError({ code: "bad_hour" });
        const typed = options.timezone?.trim();
        const timezone = typed ? zoneIn(typed) : (await services.alerts.digest(guildId)).timezone;
        const { guild } = await services.connected(guildId);
        const look = await lookFor(caller, services, { channelId });
        if (look) assertTheirs(caller, look, { role: undefined, showsCustomers: false, isMoved: true });
        const hurdles = hurdlesOf(look, guild);
        if (isClosed(hurdles)) {
          throw new ProblemError({ code: "forbidden", permissions: permissionNames(hurdles.missing, locale) });
        }
        const nextAt = await services.alerts.setDigest(guildId, { channelId, every, hour, timezone });
        await services.trail.note(caller, { did: "digest_set", what: channelId });
        const say = texts(locale).stats;
        const lines = [
          say.set[every](`<#${channelId}>`, dateTime(nextAt)),
          say.zone(timezone, clock(timezone, services.now(), locale)),
          ...(look?.lacksFiles ? [`⚠️ ${say.noPicture}`] : []),
        ];
        return notice({ body: lines.join("\n"), tone: look?.lacksFiles ? "warn" : "ok" });
      },
    }),

    off: execute({
      options: {},
      answer: "ephemeral",
      async run(caller, services) {
        const { guildId, locale } = caller;
        const { plan } = await services.alerts.digest(guildId);
        if (plan === undefined) throw new ProblemError({ code: "digest_off" });
        await services.alerts.turnDigestOff(guildId);
        await services.trail.note(caller, { did: "digest_off" });
        return notice({ body: texts(locale).stats.off, tone: "ok" });
      },
    }),
  },
});
