/** A straight line through figures over time. */
export interface Trend {
  /** Units an hour. */
  readonly slope: number;
  /** The true slope is within so much of `slope` in 95 of 100 runs, if the rest is chance. */
  readonly band: number;
  readonly lowest: number;
  readonly highest: number;
  readonly count: number;
}

const hourMs = 3_600_000;
/** Of the normal distribution, for 95 % between -z and z. */
const z = 1.959964;

/** The same for Student's t with so many degrees of freedom; within 1 % from 3 on (Abramowitz and Stegun 26.7.5). */
function quantile(freedom: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}

/** Linear regression by least squares. Undefined for fewer than 5 points, which say nothing. */
export function trendOf(points: readonly { readonly atMs: number; readonly value: number }[]): Trend | undefined {
  const count = points.length;
  if (count < 5) return undefined;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const values = points.map(({ value }) => value);
  const hours = points.map(({ atMs }) => atMs / hourMs);
  const [middle, level] = [mean(hours), mean(values)];
  const spread = hours.reduce((sum, hour) => sum + (hour - middle) ** 2, 0);
  const slope =
    points.reduce((sum, { value }, index) => sum + ((hours[index] ?? 0) - middle) * (value - level), 0) / spread;
  const squares = points.map(({ value }, index) => (value - level - slope * ((hours[index] ?? 0) - middle)) ** 2);
  const error = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / (count - 2) / spread);
  return {
    slope,
    band: quantile(count - 2) * error,
    lowest: Math.min(...values),
    highest: Math.max(...values),
    count,
  };
}
