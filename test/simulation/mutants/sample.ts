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

/** The files that turn a list of the store into messages in Discord: alerts, their edits, payments and reminders. */
const alertPath = [
  "src/{alerts,baseline,orders,polling}/*.ts",
  "src/outbox/**/*.ts",
  "src/create-polling.ts",
  "src/routing/*.ts",
  "src/handling/{edit-throttle,takes}.ts",
  "src/store-api/{list-pages,order-status,parse-time}.ts",
  "src/discord/rest/{request-queue,rest-messenger}.ts",
];
/** Files whose work no history has: the queue, samples, and programs of the operator (docs/simulation.md). */
const notSimulated = /\/(?:lock-out-bots|partition-queue|sample-order)\.ts$/;

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

/** Draws `count` items, or all if there are fewer. The first draws take one item of each file. */
export function sample<Item>(byFile: ReadonlyMap<string, readonly Item[]>, count: number, seed: number): Item[] {
  const stream = new Stream(seed, "mutants");
  const byFiles = [...byFile.values()].map((items) => shuffled(items, stream));
  const first = shuffled(
    byFiles.flatMap(([item]) => item ?? []),
    stream,
  );
  const rest = shuffled(
    byFiles.flatMap((items) => items.slice(1)),
    stream,
  );
  return [...first, ...rest].slice(0, count);
}
