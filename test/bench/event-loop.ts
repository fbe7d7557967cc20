import { budgets } from "../../src/basics/limits/budgets.ts";
import { plain } from "../../src/views/parts/text.ts";
import { worksOfCommands } from "../largest/commands.ts";
import { worksOfExports } from "../largest/exports.ts";
import { worksOfFiles } from "../largest/files.ts";
import { type Filler, fillers } from "../largest/inputs.ts";
import { worksOfAnswers, worksOfParsers } from "../largest/parsers.ts";
import { worksOfSessions } from "../largest/sessions.ts";
import { worksOfViews } from "../largest/views.ts";
import { fillersNamed, type MakeWorks, type Work } from "../largest/work.ts";
import { atMost, type Figure, line, type Report, rounded } from "../support/figure.ts";
import { longestTurnAtBest } from "./thread-time.ts";

const all = [...fillers];
const filledIn = (filled: readonly (readonly [string, Filler])[], makes: ReadonlyMap<string, MakeWorks>) =>
  [...makes].map(([group, make]): [string, Iterable<Work>] => [group, make(filled)]);

function* texts(): Iterable<Work> {
  for (const [what, fill] of all) {
    const text = fill(4_000);
    yield { what, run: () => plain(text, 3_900) };
  }
}

async function measure(group: string, works: AsyncIterable<Work> | Iterable<Work>, baseline: string, most: number) {
  let [longest, worst] = [0, ""];
  for await (const { what, run } of works) {
    const ms = await longestTurnAtBest(run, Math.max(longest, most / 5));
    if (ms > longest) [longest, worst] = [ms, what];
  }
  return line(`${group}${worst && ` (${worst})`}`, longest, "ms", { baseline, target: atMost(most) });
}

/** For how long people and stores can hold the event loop, whatever they send. */
export async function reportEventLoop(): Promise<Report> {
  const mebibyte = JSON.stringify(Array(10_000).fill({ id: "a".repeat(30), price: 1.5, items: [{}] }));
  const parsing = await longestTurnAtBest(() => JSON.parse(mebibyte), 0);
  const baseline = `${rounded(parsing)} ms, JSON.parse of ${rounded(mebibyte.length / 1024)} KiB`;
  const groups: readonly (readonly [string, AsyncIterable<Work> | Iterable<Work>, number?])[] = [
    ["a text of 4,000 characters", texts(), 10],
    ...filledIn(all, worksOfViews),
    ...filledIn(all, worksOfParsers),
    ["an answer of the store", worksOfAnswers()],
    ["a file of 1 MiB", worksOfFiles()],
    ["sessions", worksOfSessions()],
    ["an export", worksOfExports()],
    ...filledIn(
      fillersNamed(["joined", "shortLines", "letters", "stars", "conjuncts", "blanks", "invisible", "enclosed"]),
      worksOfCommands(),
    ),
  ];
  const figures: Figure[] = [];
  for (const [group, works, most = budgets.eventLoopMs] of groups)
    figures.push(await measure(group, works, baseline, most));
  return {
    title: "The longest turn of the event loop",
    how: "The largest inputs that people and stores may send, each at best of four times, in processor time.",
    figures: figures.toSorted((one, other) => other.figure - one.figure).slice(0, 12),
  };
}
