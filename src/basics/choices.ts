/** Something to be chosen. */
export interface Choice {
  /** At most {@link longestChoice} characters. */
  readonly name: string;
  /** At most {@link longestChoice} characters. */
  readonly value: string;
}

/** Discord's limit on a choice's name and on its value, in characters; the same for the options of a menu. */
export const longestChoice = 100;
/** Discord's limit on choices, and on the options of a menu. */
export const mostChoices = 25;
/** Discord asks for suggestions with every second letter, so a person who types on finds what was not found in this time. */
const longestMs = 20;

/**
 * The first 25 choices that are made of these items, as far as 20 ms go: a store decides how many there are and how long
 * it takes to look at one.
 */
export function firstChoices<Item>(
  items: Iterable<Item>,
  choiceOf: (item: Item) => Choice | undefined,
  monotonic = () => performance.now(),
): Choice[] {
  const until = monotonic() + longestMs;
  const choices: Choice[] = [];
  for (const item of items) {
    const choice = choiceOf(item);
    if (choice !== undefined) choices.push(choice);
    if (choices.length === mostChoices || monotonic() > until) break;
  }
  return choices;
}

/** Tells whether a text has in it what was typed, whatever the capitals. No suggestion is longer than a choice. */
export function searchFor(typed: string): (text: string) => boolean {
  const wanted = typed.trim().slice(0, longestChoice).toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}
