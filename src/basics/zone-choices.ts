import { type Choice, firstChoices, searchFor } from "./choices.ts";
import { type Locale, locales } from "./locale.ts";
import { zoneName, zoneNames } from "./zones.ts";

/** Where most people are who read this language. */
const likely: Readonly<Record<Locale, readonly string[]>> = {
  en: ["UTC", "Europe/London", "America/New_York", "America/Chicago", "America/Los_Angeles"],
  "pt-BR": ["America/Sao_Paulo", "America/Manaus", "America/Fortaleza", "America/Cuiaba", "Europe/Lisbon"],
  es: ["America/Mexico_City", "America/Bogota", "America/Argentina/Buenos_Aires", "America/Santiago", "Europe/Madrid"],
};

/** A first guess. */
export const likelyZone = (locale: Locale): string => likely[locale][0] ?? "UTC";

/** A suggestion's name stands for what it suggests: Discord sends it where a person types on and goes back. */
function withoutTime(typed: string): string {
  const text = typed.trim();
  const from = text.lastIndexOf("(");
  return from >= 0 && text.endsWith(")") ? text.slice(0, from).trimEnd() : text;
}

/** The time (`now` in epoch ms) that a clock on a wall of this zone shows. Throws a `RangeError` for what is no zone. */
export const clockIn = (zone: string, now: number, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: "short" }).format(now).replaceAll("\u202f", " ");

const zoneChoice = (zone: string, now: number, locale: Locale): Choice => ({
  name: `${zone} (${clockIn(zone, now, locale)})`,
  value: zone,
});

/** As many as a menu takes, those of the reader's language first, with the present one among them; `now` in epoch ms. */
export const zoneMenu = (locale: Locale, now: number, present: string): Choice[] =>
  // As this Node writes them: the present one would stand there under two names.
  [...new Set([...likely[locale], present, ...locales.flatMap((other) => likely[other])].map(zoneName))].flatMap(
    (zone) => (zone === undefined ? [] : [zoneChoice(zone, now, locale)]),
  );

/** Zones with the time that it is there (`now` in epoch ms), by which most people know theirs. */
export function suggestZones(typed: string, now: number, locale: Locale): Choice[] {
  const isWanted = searchFor(withoutTime(typed).replaceAll(" ", "_"));
  const zones = new Set([...likely[locale], ...zoneNames()]);
  const wanted = firstChoices(zones, (zone) => (isWanted(zone) ? { name: zone, value: zone } : undefined));
  // A clock for each of them takes longer than to find them.
  return wanted.map(({ value }) => zoneChoice(value, now, locale));
}

/** The zone, as IANA writes it, that was typed, or suggested and typed again; undefined for what is none. */
export const zoneTyped = (typed: string): string | undefined => zoneName(withoutTime(typed));
