import { type Choice, firstChoices, searchFor } from "./choices.ts";
import { type Locale, locales } from "./locale.ts";
import { zoneName, zoneNames } from "./zones.ts";

/** Zones in which most readers of a language live. */
const likely: Readonly<Record<Locale, readonly string[]>> = {
  en: ["UTC", "Europe/London", "America/New_York", "America/Chicago", "America/Los_Angeles"],
  "pt-BR": ["America/Sao_Paulo", "America/Manaus", "America/Fortaleza", "America/Cuiaba", "Europe/Lisbon"],
  es: ["America/Mexico_City", "America/Bogota", "America/Argentina/Buenos_Aires", "America/Santiago", "Europe/Madrid"],
};

export const likelyZone = (locale: Locale): string => likely[locale][0] ?? "UTC";

/** Removes the time that a suggestion shows: Discord sends the whole suggestion if a person picks it and then types on. */
function withoutTime(typed: string): string {
  const text = typed.trim();
  const from = text.lastIndexOf("(");
  return from >= 0 && text.endsWith(")") ? text.slice(0, from).trimEnd() : text;
}

/** Returns the local time in this zone (`now` in epoch ms). Throws a `RangeError` if there is no such zone. */
export const clockIn = (zone: string, now: number, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: "short" }).format(now).replaceAll("\u202f", " ");

const zoneChoice = (zone: string, now: number, locale: Locale): Choice => ({
  name: `${zone} (${clockIn(zone, now, locale)})`,
  value: zone,
});

/**
 * Makes a menu of at most 25 zones. Zones of the reader's language come first, and the present zone is included; `now`
 * in epoch ms.
 */
export const zoneMenu = (locale: Locale, now: number, present: string): Choice[] =>
  // All zones are spelled as this Node spells them. Otherwise the present zone could appear twice, under two names.
  [...new Set([...likely[locale], present, ...locales.flatMap((other) => likely[other])].map(zoneName))].flatMap(
    (zone) => (zone === undefined ? [] : [zoneChoice(zone, now, locale)]),
  );

/**
 * Suggests zones that match the typed text. It shows their local time (`now` in epoch ms), by which most people
 * recognise their zone.
 */
export function suggestZones(typed: string, now: number, locale: Locale): Choice[] {
  const isWanted = searchFor(withoutTime(typed).replaceAll(" ", "_"));
  const zones = new Set([...likely[locale], ...zoneNames()]);
  const wanted = firstChoices(zones, (zone) => (isWanted(zone) ? { name: zone, value: zone } : undefined));
  // Formatting the local time takes longer than the search, so only the found zones get one.
  return wanted.map(({ value }) => zoneChoice(value, now, locale));
}

/** Returns the zone, in IANA's spelling, that was typed or picked; undefined if there is none. */
export const zoneTyped = (typed: string): string | undefined => zoneName(withoutTime(typed));
