/** Something to be chosen. */
export interface Choice {
  /** At most 100 characters. */
  readonly name: string;
  /** At most 100 characters. */
  readonly value: string;
}

/** Discord's limit on choices. */
const MOST = 25;
/** Suggestions are asked for with every second letter: whoever types on finds what was not found in this time. */
const LONGEST_MS = 20;

/**
 * The first 25 choices that are made of these items, as far as 20 ms go: a store decides how many there are and how long
 * it takes to look at one.
 */
export function firstChoices<Item>(
  items: Iterable<Item>,
  choiceOf: (item: Item) => Choice | undefined,
  monotonic = () => performance.now(),
): Choice[] {
  const until = monotonic() + LONGEST_MS;
  const choices: Choice[] = [];
  for (const item of items) {
    const choice = choiceOf(item);
    if (choice !== undefined) choices.push(choice);
    if (choices.length === MOST || monotonic() > until) break;
  }
  return choices;
}

/** The longest text that is looked for: a choice has no more characters (Discord's limit), so no suggestion is longer. */
const LONGEST_WANTED = 100;

/** Tells whether a text has in it what was typed, whatever the capitals. */
export function searchFor(typed: string): (text: string) => boolean {
  const wanted = typed.trim().slice(0, LONGEST_WANTED).toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}
