export interface Figure {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  /** The figure for comparison, from the same run. */
  readonly baseline?: string;
  readonly target?: Target;
}

interface Target {
  /** Such as "at most 3". */
  readonly text: string;
  isMet(figure: number): boolean;
}

export interface Report {
  readonly title: string;
  readonly how: string;
  readonly figures: readonly Figure[];
}

export const atMost = (most: number): Target => ({ text: `at most ${most}`, isMet: (figure) => figure <= most });
export const atLeast = (least: number): Target => ({ text: `at least ${least}`, isMet: (figure) => figure >= least });
export const exactly = (wanted: number): Target => ({ text: String(wanted), isMet: (figure) => figure === wanted });

export const line = (
  what: string,
  figure: number,
  unit: string,
  more: Pick<Figure, "baseline" | "target"> = {},
): Figure => ({ what, figure, unit, ...more });

export const isMissed = ({ figure, target }: Figure): boolean => target?.isMet(figure) === false;

/** Formats a value with three digits, and without a fraction from 100 on. Measurements are not more exact. */
export function rounded(value: number): string {
  return value.toLocaleString(
    "en",
    Math.abs(value) < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}

/** The smallest value that is at least as large as this share of the values. NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

export function render({ title, how, figures }: Report): string {
  const rows = figures.map((row) => {
    const verdict = row.target === undefined ? "" : isMissed(row) ? "**MISSED**" : "met";
    return [row.what, rounded(row.figure), row.unit, row.baseline ?? "", row.target?.text ?? "", verdict].join(" | ");
  });
  const head = ["What | Figure | Unit | Baseline | Target | ", "--- | ---: | --- | --- | --- | ---"];
  return [`## ${title}`, "", how, "", ...[...head, ...rows].map((row) => `| ${row} |`), ""].join("\n");
}
