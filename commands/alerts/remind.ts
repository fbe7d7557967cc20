import type { Choice } from "../../src/basics/choices.ts";
import { type Caller, isManager } from "../../src/discord/commands/caller.ts";
import { execute } from "../../src/discord/commands/define-command.ts";
import { type Guild, zoneNameOf } from "../../src/guilds/guild.ts";
import { quietIn } from "../../src/guilds/quiet-hours.ts";
import { durationIn, type RemindSettings } from "../../src/guilds/remind-settings.ts";
import { texts } from "../../src/locales/texts.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { formatNumber } from "../../src/views/parts/numbers.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { suggest } from "../../src/views/parts/suggest.ts";
import { plain } from "../../src/views/parts/text.ts";
import { alertsOf, inspectFor, mayMention, requireInspection } from "../alert-target.ts";
import { zoneIn, zoneOption } from "../options.ts";

const units = [
  ["day", 1_440],
  ["hour", 60],
  ["minute", 1],
] as const;

const offered = [15, 30, 60, 120, 1_440] as const;
const off = "off";

function inWords(ms: number, locale: Caller["locale"]): string {
  const minutes = ms / 60_000;
  const [unit, length] = units.find(([, length]) => minutes % length === 0) ?? units[2];
  return formatNumber(minutes / length, locale, { style: "unit", unit, unitDisplay: "long" });
}

function afterChoices(typed: string, { locale }: Caller): Choice[] {
  const choices = offered.map((minutes) => ({ name: inWords(minutes * 60_000, locale), value: `${minutes}m` }));
  return suggest(typed, [...choices, { name: off, value: off }], (choice) => choice);
}

function remindersTyped(
  { after, quiet, timezone }: { readonly after?: string; readonly quiet?: string; readonly timezone?: string },
  before: RemindSettings | undefined,
): RemindSettings | undefined {
  const isOff = (text: string | undefined) => text?.trim().toLowerCase() === off;
  if (isOff(after)) return undefined;
  const afterMs = after === undefined ? before?.afterMs : durationIn(after);
  const hours = quiet === undefined ? before?.quiet : isOff(quiet) ? undefined : quietIn(quiet);
  const timeZone = timezone === undefined ? before?.quiet?.timeZone : zoneIn(timezone);
  const isBadHours = hours === undefined && (timezone !== undefined || (quiet !== undefined && !isOff(quiet)));
  if (after === undefined && before === undefined) throw new ProblemError({ code: "reminders_off" });
  if (afterMs === undefined || isBadHours) throw new ProblemError({ code: "bad_reminder" });
  return { afterMs, ...(hours ? { quiet: { from: hours.from, to: hours.to, timeZone } } : {}) };
}

function remindersInWords(settings: RemindSettings | undefined, guild: Guild, locale: Caller["locale"]): string {
  const say = texts(locale).handling;
  if (settings === undefined) return say.remindersOff;
  const { afterMs, quiet } = settings;
  const hour = (at: number) => `${String(at).padStart(2, "0")}:00`;
  return [
    say.remindersAfter(inWords(afterMs, locale)),
    ...(quiet ? [say.quiet(hour(quiet.from), hour(quiet.to), plain(quiet.timeZone ?? zoneNameOf(guild), 60))] : []),
  ].join("\n");
}

/** Without options it shows the settings. */
export const remind = execute({
  options: {
    after: { kind: "string", max: 50, suggest: async (typed, caller) => afterChoices(typed, caller) },
    quiet: { kind: "string", max: 50 },
    timezone: zoneOption,
  },
  async run(caller, services) {
    const { guildId, locale, options } = caller;
    const { guild } = await services.connected();
    const alerts = alertsOf(guild);
    const { remind: before } = guild;
    if (Object.values(options).every((typed) => typed === undefined))
      return notice(remindersInWords(before, guild, locale));
    const change = (present: Guild["remind"]) => remindersTyped(options, present);
    const isOn = change(before) !== undefined;
    // A reminder mentions the role of the alerts or of a rule.
    if (isOn && !isManager(caller)) {
      await inspectFor(caller, services, guild, { ...alerts, role: "carried", showsCustomers: false });
      for (const { channelId, roleId, style } of guild.routes ?? []) {
        if (style === "feed" || roleId === undefined) continue;
        const there = await requireInspection(caller, services, { channelId, roleId }).catch((error: unknown) => {
          if (error instanceof MessengerError) return undefined;
          throw error;
        });
        if (there?.role && !mayMention(caller, there.role)) throw new ProblemError({ code: "role_not_theirs" });
      }
    }
    const settings = await services.alerts.remind(guildId, change);
    const what = settings === undefined ? "" : `${settings.afterMs / 60_000} min`;
    await services.auditLog.note(caller, { did: "reminders", what });
    return notice({ body: remindersInWords(settings, guild, locale), tone: "ok" });
  },
});
