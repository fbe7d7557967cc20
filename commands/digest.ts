import { clockIn } from "../src/basics/zone-choices.ts";
import { defineCommand, execute } from "../src/discord/commands/define-command.ts";
import { rhythms } from "../src/guilds/digest-settings.ts";
import { digestZoneNameOf } from "../src/guilds/guild.ts";
import { texts } from "../src/locales/texts.ts";
import { notice } from "../src/views/parts/notice.ts";
import { ProblemError } from "../src/views/parts/problem.ts";
import { warning } from "../src/views/parts/text.ts";
import { dateTime } from "../src/views/parts/time.ts";
import { channelProblemLines } from "../src/views/settings/set-up.ts";
import { assertOpen, inspectFor } from "./alert-target.ts";
import { channelOption, zoneIn, zoneOption } from "./options.ts";

export const digest = defineCommand("digest", {
  subcommands: {
    set: execute({
      options: {
        channel: channelOption,
        every: { kind: "string", required: true, choices: rhythms },
        hour: { kind: "integer", required: true, min: 0, max: 23 },
        timezone: zoneOption,
      },
      async run(caller, services) {
        const { guildId, locale, options } = caller;
        const { channel: channelId, every, hour } = options;
        const typed = options.timezone?.trim();
        const { guild } = await services.connected();
        const timezone = typed ? zoneIn(typed) : guild.digest?.timezone;
        const use = { channelId, role: undefined, showsCustomers: false };
        const { look, problems } = await inspectFor(caller, services, guild, use);
        assertOpen(problems);
        const nextAt = await services.alerts.setDigest(guildId, { channelId, every, hour, timezone });
        await services.auditLog.note(caller, { did: "digest_set", what: channelId });
        const say = texts(locale).stats;
        const zone = digestZoneNameOf({ ...guild, digest: { timezone } });
        const left = channelProblemLines(problems, use, locale);
        const lines = [
          say.set[every](`<#${channelId}>`, dateTime(nextAt)),
          say.zone(zone, clockIn(zone, services.now(), locale)),
          ...(look?.isPublic ? [warning(say.isPublic(`<#${channelId}>`))] : []),
          ...(look?.lacksFiles ? [warning(say.noPicture)] : []),
          ...left,
        ];
        return notice({ body: lines.join("\n"), tone: left.length > 0 ? "warn" : "ok" });
      },
    }),

    off: execute({
      async run(caller, services) {
        const { guildId, locale } = caller;
        const { digest } = await services.guilds.get(guildId);
        if (digest?.plan === undefined) throw new ProblemError({ code: "digest_off" });
        await services.alerts.turnDigestOff(guildId);
        await services.auditLog.note(caller, { did: "digest_off" });
        return notice({ body: texts(locale).stats.off, tone: "ok" });
      },
    }),
  },
});
