import { type Locale, languageNames } from "../../basics/locale.ts";
import type { Guild } from "../../guilds/guild.ts";
import { texts } from "../../locales/texts.ts";
import { facts, notice } from "../parts/notice.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { plain } from "../parts/text.ts";

/** Lists a server's settings as names and values. */
export function settingFacts(settings: Guild["settings"], locale: Locale) {
  const say = texts(locale).settings;
  const privacy = { none: say.privacyNone, masked: say.privacyMasked, full: say.privacyFull }[settings.privacy];
  return [
    [say.currency, settings.currency ? plain(settings.currency, 10) : say.plainNumbers],
    [say.language, languageNames[settings.language]],
    [say.timezone, settings.timezone ? plain(settings.timezone, 60) : say.noZone],
    [say.privacy, privacy],
    [say.staff, settings.staffRoleId ? `<@&${settings.staffRoleId}>` : say.nobody],
  ] as const;
}

/** A server's settings after a change. `warning` is finished markdown about who can read what these settings show. */
export function settingsNotice(settings: Guild["settings"], locale: Locale, warning?: string): MessagePayload {
  const body = facts(settingFacts(settings, locale));
  return notice({
    title: texts(locale).settings.settingsTitle,
    body: warning === undefined ? body : `${body}\n⚠️ ${warning}`,
    tone: warning === undefined ? "ok" : "warn",
  });
}
