import { suggestZones, zoneTyped } from "../src/basics/zone-choices.ts";
import type { Caller } from "../src/discord/commands/caller.ts";
import type { Services } from "../src/services.ts";
import { ProblemError } from "../src/views/parts/problem.ts";

/** A time zone, suggested with the time that it is there. */
export const zoneOption = {
  kind: "string",
  max: 100,
  suggest: async (typed: string, { locale }: Caller, { now }: Services) => suggestZones(typed, now(), locale),
} as const;

/** As IANA writes it; throws a `ProblemError` for what is none. */
export function zoneIn(typed: string): string {
  const zone = zoneTyped(typed);
  if (zone === undefined) throw new ProblemError({ code: "bad_zone" });
  return zone;
}
