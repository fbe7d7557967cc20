import { atMost, exactly, type Figure, line, type Report } from "../support/figure.ts";
import { faultNames } from "./faults.ts";
import type { Sample, SoakResult } from "./run-soak.ts";

/** Growth in MB an hour that nobody would notice in a month (1.4 GB). */
const maxGrowth = 2;
const maxMoreDescriptors = 5;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Linear regression by least squares: MB an hour, and twice the standard error. If the rest is chance, the true slope is
 * within that band in 95 of 100 runs. NaN for fewer than 3 samples.
 */
function trendOf(samples: readonly Sample[], read: (sample: Sample) => number): { slope: number; band: number } {
  const hours = samples.map(({ atMs }) => atMs / 3_600_000);
  const values = samples.map(read);
  const [middle, level] = [mean(hours), mean(values)];
  const spread = hours.reduce((sum, hour) => sum + (hour - middle) ** 2, 0);
  const slope = hours.reduce((sum, hour, at) => sum + (hour - middle) * ((values[at] ?? 0) - level), 0) / spread;
  const rest = values.reduce((sum, value, at) => sum + (value - level - slope * ((hours[at] ?? 0) - middle)) ** 2, 0);
  return { slope, band: 2 * Math.sqrt(rest / (samples.length - 2) / spread) };
}

function growth(what: string, samples: readonly Sample[], read: (sample: Sample) => number): Figure {
  const { slope, band } = trendOf(samples, read);
  const target = {
    text: `below ${maxGrowth}, or 0 within ± ${band.toFixed(2)}`,
    isMet: (figure: number) => figure < maxGrowth || figure <= band,
  };
  return line(`${what}: growth over the second half, garbage collected`, slope, "MB/h", { target });
}

/** What has to hold of a run of any length. */
export function exactFigures({ plan, orders, people, faults, samples, exitCode }: SoakResult): Figure[] {
  const lowest = (from: number, to: number) => {
    const some = samples.filter(({ atMs }) => atMs >= from * plan.runMs && atMs < to * plan.runMs);
    return Math.min(...some.map(({ descriptors }) => descriptors));
  };
  const none = { target: exactly(0) };
  return [
    line("Alerts lost", orders.missing, "orders", none),
    line("Alerts doubled", orders.doubled, "orders", none),
    line("Edits missing", orders.outdated, "orders", none),
    line("Commands unanswered", people.unanswered.length, "commands", none),
    line("Kinds of fault that did not come", faultNames.filter((name) => !faults.has(name)).length, "kinds", none),
    line("Exit code after SIGTERM", exitCode ?? Number.NaN, "", none),
    line("File descriptors, fourth quarter's lowest less third's", lowest(0.75, 1) - lowest(0.5, 0.75), "descriptors", {
      target: atMost(maxMoreDescriptors),
    }),
  ];
}

/** The growth of memory says something only about a run of some minutes. */
export function reportSoak(result: SoakResult): Report {
  const { plan, orders, people, faults, samples } = result;
  const half = samples.filter(({ atMs }) => atMs >= plan.runMs / 2);
  const kinds = [...faults].map(([what, count]) => `${what} ${count}`).join(", ");
  return {
    title: `Soak: ${(plan.runMs / 60_000).toFixed(0)} min, ${plan.servers} servers, polls every ${plan.pollSeconds} s, SEED=${plan.seed}`,
    how: [
      `${orders.placed} orders, ${orders.alerted} alerts, ${orders.finished} edited; ${people.answered} commands and presses answered. Faults: ${kinds}.`,
      ...people.unanswered.slice(0, 10),
    ].join("\n"),
    figures: [
      ...exactFigures(result),
      line("Longest time from order to alert", orders.longestMs / 1_000, "s"),
      growth("RSS", half, ({ rss }) => rss),
      growth("Heap", half, ({ heap }) => heap),
    ],
  };
}
