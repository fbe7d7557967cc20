import { atMost, exactly, type Figure, line, type Report } from "../support/figure.ts";
import type { Sample, SoakResult } from "./run-soak.ts";

/** The lowest value of the run's last quarter, less that of the quarter before. */
function growth({ plan, samples }: SoakResult, read: (sample: Sample) => number): number {
  const lowest = (from: number, to: number) => {
    const some = samples.filter(({ atMs }) => atMs >= from * plan.runMs && atMs < to * plan.runMs);
    return Math.min(...some.map(read));
  };
  return lowest(0.75, 1) - lowest(0.5, 0.75);
}

/** What has to hold of a run of any length. */
export function exactFigures(result: SoakResult): Figure[] {
  const { orders, unanswered, exitCode } = result;
  const none = { target: exactly(0) };
  return [
    line("Alerts lost", orders.missing, "orders", none),
    line("Alerts doubled", orders.doubled, "orders", none),
    line("Commands unanswered", unanswered.length, "commands", none),
    line("Exit code after SIGTERM", exitCode ?? Number.NaN, "", none),
    line(
      "Growth of open file descriptors",
      growth(result, ({ descriptors }) => descriptors),
      "descriptors",
      { target: atMost(5) },
    ),
  ];
}

/** The growth of memory says something only about a run of some minutes. */
export function reportSoak(result: SoakResult): Report {
  const { plan, orders, answered, unanswered } = result;
  return {
    title: `Soak: ${(plan.runMs / 60_000).toFixed(0)} min, ${plan.servers} servers, polls every ${plan.pollSeconds} s, SEED=${plan.seed}`,
    how: [
      `${orders.placed} orders; ${answered} commands answered. Growth is the lowest value of the last quarter, less that of the quarter before; memory is measured after a garbage collection.`,
      ...unanswered.slice(0, 10),
    ].join("\n"),
    figures: [
      ...exactFigures(result),
      line("Longest time from order to alert", orders.longestMs / 1_000, "s"),
      line(
        "Growth of resident memory",
        growth(result, ({ rss }) => rss),
        "MB",
        { target: atMost(4) },
      ),
      line(
        "Growth of the heap",
        growth(result, ({ heap }) => heap),
        "MB",
        { target: atMost(2) },
      ),
    ],
  };
}
