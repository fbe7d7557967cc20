import { withoutAccents } from "./folded.ts";

/**
 * If a person picks a suggestion and then edits it, or opens another channel, Discord sends the name and not the value
 * (discord/discord-api-docs#7206). So commands also accept names.
 */
export interface Choice {
  /** At most {@link longestChoice} characters. */
  readonly name: string;
  /** Must satisfy {@link isChoosable}. */
  readonly value: string;
}

/** Discord's limit for the name and for the value of a choice, in characters. Options of a menu have the same limit. */
export const longestChoice = 100;
/** Discord's limit on choices, and on the options of a menu. */
export const mostChoices = 25;
/** One bad value makes Discord refuse the whole list of choices. */
export const isChoosable = (value: string): boolean =>
  value !== "" && value.length <= longestChoice && value.isWellFormed();

/** Returns a function that tells whether a text contains the typed text. Case and accents do not count. */
export function searchFor(typed: string): (text: string) => boolean {
  const wanted = withoutAccents(typed.trim().slice(0, longestChoice)).toLowerCase();
  return (text) => withoutAccents(text).toLowerCase().includes(wanted);
}
