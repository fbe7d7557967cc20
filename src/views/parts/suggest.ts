import { type Choice, isChoosable, longestChoice, mostChoices, searchFor } from "../../basics/choices.ts";
import { label } from "./text.ts";

/** The longest processor time for one list of suggestions. Discord asks for a new list while the person types. */
const longestMs = 20;

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Suggests at most 25 items of which a text contains the typed text. A value that Discord refuses is left out. Stops after 20 ms
 * of processor time, because a store can have very many items.
 *
 * @param choiceOf the name may have any length
 * @param textsOf the texts of an item that are searched; by default the name of its choice
 * @param cpuMs processor time that the thread has used, in ms
 */
export function suggest<Item>(
  typed: string,
  items: Iterable<Item>,
  choiceOf: (item: Item) => Choice,
  textsOf: (item: Item) => readonly string[] = (item) => [choiceOf(item).name],
  cpuMs = threadCpuMs,
): Choice[] {
  const isWanted = searchFor(typed);
  const until = cpuMs() + longestMs;
  const choices: Choice[] = [];
  for (const item of items) {
    if (textsOf(item).some(isWanted)) {
      const { name, value } = choiceOf(item);
      if (isChoosable(value)) choices.push({ name: label(name, longestChoice), value });
    }
    if (choices.length === mostChoices || cpuMs() > until) break;
  }
  return choices;
}
