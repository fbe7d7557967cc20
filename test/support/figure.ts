/** One line of a table of results. */
export interface Figure {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  /** What it is measured against, in the same run. */
  readonly baseline?: string;
  readonly target?: Target;
}

/** A bound that a figure has to keep. */
interface Target {
  /** As in "at most 3". */
  readonly text: string;
  isMet(figure: number): boolean;
}

/** Results that belong together, with a sentence on how they came about. */
export interface Report {
  readonly title: string;
  readonly how: string;
  readonly figures: readonly Figure[];
}

export const atMost = (most: number): Target => ({ text: `at most ${most}`, isMet: (figure) => figure <= most });
export const atLeast = (least: number): Target => ({ text: `at least ${least}`, isMet: (figure) => figure >= least });
export const exactly = (wanted: number): Target => ({ text: String(wanted), isMet: (figure) => figure === wanted });

/** A line of a table of results. */
export const line = (
  what: string,
  figure: number,
  unit: string,
  more: Pick<Figure, "baseline" | "target"> = {},
): Figure => ({ what, figure, unit, ...more });

/** A line with a target that was missed. */
export const isMissed = ({ figure, target }: Figure): boolean => target?.isMet(figure) === false;

/** Rounded to what such measurements can tell: three digits, and no fraction from 100 on. */
export function rounded(value: number): string {
  return value.toLocaleString(
    "en",
    Math.abs(value) < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}

/** The least value that this share of the values does not exceed. NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

/** The report as Markdown. */
export function render({ title, how, figures }: Report): string {
  const rows = figures.map((row) => {
    const verdict = row.target === undefined ? "" : isMissed(row) ? "**MISSED**" : "met";
    return [row.what, rounded(row.figure), row.unit, row.baseline ?? "", row.target?.text ?? "", verdict].join(" | ");
  });
  const head = ["What | Figure | Unit | Baseline | Target | ", "--- | ---: | --- | --- | --- | ---"];
  return [`## ${title}`, "", how, "", ...[...head, ...rows].map((row) => `| ${row} |`), ""].join("\n");
}
