import { type Choice, mostChoices, searchFor } from "./choices.ts";
import { type Locale, locales } from "./locale.ts";
import { zoneName, zoneNames } from "./zones.ts";

/** The usual time zones of each language's readers. The first is for readers who chose no zone. */
const likely: Readonly<Record<Locale, readonly string[]>> = {
  en: ["UTC", "Europe/London", "America/New_York", "America/Chicago", "America/Los_Angeles"],
  "pt-BR": ["America/Sao_Paulo", "America/Manaus", "America/Fortaleza", "America/Cuiaba", "Europe/Lisbon"],
  es: ["America/Mexico_City", "America/Bogota", "America/Argentina/Buenos_Aires", "America/Santiago", "Europe/Madrid"],
};

export const likelyZone = (locale: Locale): string => likely[locale][0] ?? "UTC";

/** If a person picks a suggestion and edits it, Discord sends the edited name, such as "UTC (10:00)", and not the value. */
function withoutTime(typed: string): string {
  const text = typed.trim();
  const from = text.lastIndexOf("(");
  return from >= 0 && text.endsWith(")") ? text.slice(0, from).trimEnd() : text;
}

/** `now` is epoch ms. Throws a `RangeError` if there is no such zone. */
export const clockIn = (zone: string, now: number, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: "short" }).format(now).replaceAll("\u202f", " ");

const zoneChoice = (zone: string, now: number, locale: Locale): Choice => ({
  name: `${zone} (${clockIn(zone, now, locale)})`,
  value: zone,
});

/** The usual zones of the reader's language, then `present`, then the usual zones of other languages. `now` is epoch ms. */
export const zoneMenu = (locale: Locale, now: number, present: string): Choice[] =>
  // `zoneName` gives each zone one spelling. Otherwise the present zone could appear twice, under two names.
  [...new Set([...likely[locale], present, ...locales.flatMap((other) => likely[other])].map(zoneName))].flatMap(
    (zone) => (zone === undefined ? [] : [zoneChoice(zone, now, locale)]),
  );

/** The typed text may also be another name of a zone, such as GMT. A choice shows the local time, which people recognise. */
export function suggestZones(typed: string, now: number, locale: Locale): Choice[] {
  const isWanted = searchFor(withoutTime(typed).replaceAll(" ", "_"));
  const named = zoneTyped(typed);
  const zones = new Set([...(named === undefined ? [] : [named]), ...likely[locale], ...zoneNames()]);
  const wanted = [...zones].filter((zone) => zone === named || isWanted(zone)).slice(0, mostChoices);
  // Only the shown zones are formatted, because formatting takes longer than the search.
  return wanted.map((zone) => zoneChoice(zone, now, locale));
}

/** The IANA name of the zone that was typed or picked, if there is one. */
export const zoneTyped = (typed: string): string | undefined => zoneName(withoutTime(typed));
