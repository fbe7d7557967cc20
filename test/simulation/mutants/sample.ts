import { globSync, readFileSync } from "node:fs";
import { Stream } from "../randomness.ts";
import { type Mutant, mutantsOf } from "./mutators.ts";

/** A mutant of one file of the repository. */
export interface Placed extends Mutant {
  readonly file: string;
  readonly url: string;
  readonly line: number;
}

const root = new URL("../../../", import.meta.url);

/** From a list of the store to a message in Discord, and on to its edits, rings and reminders. */
const alertPath = [
  "src/{alerts,baseline,digests,orders,polling}/*.ts",
  "src/outbox/**/*.ts",
  "src/create-polling.ts",
  "src/routing/*.ts",
  "src/handling/{edit-throttle,takes}.ts",
  "src/store-api/{listing,order-status,order-filter,parse-time}.ts",
  "src/discord/rest/{request-queue,invalid-request-limit,rest-messenger}.ts",
];
/** Turns of several processes by a queue, another store, samples, and how polls are shown: no history has them (docs/simulation.md). */
const notSimulated = /\/(?:new-store|progress|sample-order)\.ts$/;

/** All mutants of the alert path, by its files. */
export function alertPathMutants(): ReadonlyMap<string, readonly Placed[]> {
  const files = globSync(alertPath, { cwd: root }).filter((file) => !notSimulated.test(file));
  const placed = (file: string): Placed[] => {
    const { href: url } = new URL(file, root);
    const source = readFileSync(new URL(url), "utf8");
    const lineOf = ({ start }: Mutant) => source.slice(0, start).split("\n").length;
    return mutantsOf(source).map((mutant) => ({ ...mutant, file, url, line: lineOf(mutant) }));
  };
  const byFile = files.toSorted().map((file) => [file, placed(file)] as const);
  return new Map(byFile.filter(([, mutants]) => mutants.length > 0));
}

function shuffled<Item>(items: readonly Item[], stream: Stream): Item[] {
  const left = [...items];
  for (let index = left.length - 1; index > 0; index--) {
    const other = stream.below(index + 1);
    [left[index], left[other]] = [left[other] as Item, left[index] as Item];
  }
  return left;
}

/**
 * Draws so many of them, or all: of each file one, then in proportion to how many it has (Sainte-Laguë). Where there are more
 * files than that, the seed says which.
 */
export function sample<Item>(byFile: ReadonlyMap<string, readonly Item[]>, count: number, seed: number): Item[] {
  const strata = shuffled([...byFile], new Stream(seed, "files")).map(([file, items]) => ({
    items: shuffled(items, new Stream(seed, file)),
    drawn: [] as Item[],
  }));
  const claim = ({ items, drawn }: (typeof strata)[number]) => {
    if (drawn.length === items.length) return 0;
    return drawn.length === 0 ? Number.POSITIVE_INFINITY : items.length / (drawn.length + 0.5);
  };
  for (let left = count; left > 0; left--) {
    const first = strata.reduce((best, next) => (claim(next) > claim(best) ? next : best));
    if (claim(first) === 0) break;
    first.drawn.push(...first.items.slice(first.drawn.length, first.drawn.length + 1));
  }
  return strata.flatMap(({ drawn }) => drawn);
}
