/** One line of a table of results. */
export interface Figure {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  /** What it is measured against, in the same run. */
  readonly baseline?: string;
  readonly target?: Target;
}

export interface Target {
  /** As in "at most 3". */
  readonly text: string;
  readonly met: boolean;
}

/** Results that belong together, with a sentence on how they came about. */
export interface Report {
  readonly title: string;
  readonly how: string;
  readonly figures: readonly Figure[];
}

export const atMost = (figure: number, most: number): Target => ({ text: `at most ${most}`, met: figure <= most });
export const exactly = (figure: number, wanted: number): Target => ({ text: String(wanted), met: figure === wanted });

/** Rounded to what such measurements can tell: three digits, and no fraction from 100 on. */
export function rounded(value: number): string {
  return value.toLocaleString(
    "en",
    Math.abs(value) < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("no values to take the median of");
  return middle;
}

const verdict = ({ target }: Figure) => (target ? (target.met ? "met" : "**MISSED**") : "");

/** The report as Markdown. */
export function render({ title, how, figures }: Report): string {
  const rows = figures.map((figure) =>
    [
      figure.what,
      rounded(figure.figure),
      figure.unit,
      figure.baseline ?? "",
      figure.target?.text ?? "",
      verdict(figure),
    ].join(" | "),
  );
  const head = ["What | Figure | Unit | Baseline | Target | ", "--- | ---: | --- | --- | --- | ---"];
  return [`## ${title}`, "", how, "", ...[...head, ...rows].map((row) => `| ${row} |`), ""].join("\n");
}
