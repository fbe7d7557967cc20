import type { Placed } from "./sample.ts";

export interface Result {
  readonly mutant: Placed;
  /** The history that failed, and its failures. Undefined if the mutant survived. */
  readonly killedBy: { readonly seed: number; readonly wrong: string } | undefined;
  /** Number of histories that were played to their end. */
  readonly played: number;
  /** Number of these histories whose trace differs from the trace without the fault. */
  readonly differing: number;
}

const widest = 160;
const shown = (text: string) => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > widest ? `${line.slice(0, widest)}…` : line || "(nothing)";
};

export function describe(result: Result): string {
  const { mutant, killedBy, played, differing } = result;
  const { file, line, mutator } = mutant;
  const fate = killedBy
    ? `killed by seed ${killedBy.seed}: ${killedBy.wrong}`
    : `SURVIVED ${played} histories, ${differing} traces not as without it`;
  return `${file}:${line} ${mutator}: ${fate}`;
}

/** The 95 % confidence interval of a share: Wilson's score interval, https://doi.org/10.1080/01621459.1927.10502953. */
function wilson(hits: number, all: number): readonly [number, number] {
  const z = 1.96;
  const share = hits / all;
  const middle = share + z ** 2 / (2 * all);
  const apart = z * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2));
  const whole = 1 + z ** 2 / all;
  return [(middle - apart) / whole, (middle + apart) / whole];
}

function score(what: string, results: readonly Result[]): string {
  const killed = results.filter(({ killedBy }) => killedBy !== undefined).length;
  if (results.length === 0) return `${what}: none`;
  const [least, most] = wilson(killed, results.length);
  const percent = (share: number) => (share * 100).toFixed(1);
  return `${what}: ${killed} of ${results.length} killed, ${percent(killed / results.length)} % (95 %: ${percent(least)} to ${percent(most)} %)`;
}

/** The report as Markdown: the table by files, the survivors, and the score. */
export function report(results: readonly Result[]): string {
  const byFile = Map.groupBy(results, ({ mutant }) => mutant.file);
  const rows = [...byFile].toSorted().map(([file, all]) => {
    const killed = all.filter(({ killedBy }) => killedBy !== undefined).length;
    return `| ${file} | ${all.length} | ${killed} | ${all.length - killed} |`;
  });
  const survivors = results
    .filter(({ killedBy }) => killedBy === undefined)
    .toSorted((one, other) => one.mutant.file.localeCompare(other.mutant.file) || one.mutant.line - other.mutant.line)
    .flatMap((result) => [
      describe(result),
      `  before: ${shown(result.mutant.before)}`,
      `  after:  ${shown(result.mutant.after)}`,
    ]);
  const noticed = results.filter(({ killedBy, differing }) => killedBy !== undefined || differing > 0);
  return [
    "",
    "| File | Mutants | Killed | Survived |",
    "|---|---:|---:|---:|",
    ...rows,
    "",
    ...survivors,
    "",
    score("All", results),
    score("Those that change a trace", noticed),
  ].join("\n");
}
