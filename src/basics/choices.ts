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

/** The longest processor time for one list of suggestions. Discord asks for a new list while the person types. */
const longestMs = 20;

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Makes at most 25 choices. An item is left out if `choiceOf` returns undefined or a value that Discord refuses. Stops after 20
 * ms of processor time, because a store can have very many items.
 *
 * @param cpuMs processor time that the thread has used, in ms
 */
export function firstChoices<Item>(
  items: Iterable<Item>,
  choiceOf: (item: Item) => Choice | undefined,
  cpuMs = threadCpuMs,
): Choice[] {
  const until = cpuMs() + longestMs;
  const choices: Choice[] = [];
  for (const item of items) {
    const choice = choiceOf(item);
    if (choice !== undefined && isChoosable(choice.value)) choices.push(choice);
    if (choices.length === mostChoices || cpuMs() > until) break;
  }
  return choices;
}

/** Returns a function that tells whether a text contains the typed text. Case and accents do not count. */
export function searchFor(typed: string): (text: string) => boolean {
  const wanted = withoutAccents(typed.trim().slice(0, longestChoice)).toLowerCase();
  return (text) => withoutAccents(text).toLowerCase().includes(wanted);
}
