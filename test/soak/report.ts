import { faultNames } from "./faults.ts";
import type { Sample, SoakResult } from "./run-soak.ts";
import { type Trend, trendOf } from "./trend.ts";

/** One thing that a run has to show. */
export interface Verdict {
  readonly what: string;
  readonly figure: string;
  readonly target: string;
  readonly isMet: boolean;
}

/** Growth that is no leak that anybody would notice in a month (1.4 GB would be). */
const mostGrowth = 2;
const mostDescriptors = 5;
const rows = 12;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const half = (result: SoakResult) => result.samples.filter(({ atMs }) => atMs >= result.plan.runMs / 2);

function trend(samples: readonly Sample[], read: (sample: Sample) => number | undefined): Trend | undefined {
  return trendOf(
    samples.flatMap((sample) => {
      const value = read(sample);
      return value === undefined ? [] : [{ atMs: sample.atMs, value }];
    }),
  );
}

const slope = (found: Trend | undefined, unit: string) =>
  found === undefined
    ? "too few samples"
    : `${found.slope.toFixed(2)} ± ${found.band.toFixed(2)} ${unit}/h (${found.lowest.toFixed(1)} to ${found.highest.toFixed(1)} ${unit})`;

const isFlat = (found: Trend | undefined) =>
  found !== undefined && (found.slope < mostGrowth || found.slope - found.band <= 0);

const exactly = (what: string, figure: number): Verdict => ({
  what,
  figure: String(figure),
  target: "0",
  isMet: figure === 0,
});

/** Descriptors that are open at the quietest moment of the third and of the fourth quarter: only what leaks is more then. */
function lowestDescriptors(result: SoakResult): readonly [number, number] {
  const middleMs = result.plan.runMs * 0.75;
  const lowest = (isIn: (sample: Sample) => boolean) =>
    Math.min(...half(result).flatMap((sample) => (isIn(sample) ? [sample.descriptors] : [])));
  return [lowest(({ atMs }) => atMs < middleMs), lowest(({ atMs }) => atMs >= middleMs)];
}

/** What has to hold of a run of any length. */
export function exactVerdicts(result: SoakResult): readonly Verdict[] {
  const { orders, commands, faults, refusals, exitCode } = result;
  const [before, after] = lowestDescriptors(result);
  return [
    exactly("Alerts lost", orders.lost),
    exactly("Alerts doubled", orders.doubled),
    exactly("Edits missing", orders.editsMissing),
    exactly("Commands unanswered", commands.unanswered),
    exactly("Kinds of fault that did not come", faultNames.filter((name) => !faults.has(name)).length),
    exactly("Requests that Discord would refuse", refusals),
    { what: "Exit code after SIGTERM", figure: String(exitCode), target: "0", isMet: exitCode === 0 },
    {
      what: "File descriptors: lowest of the third and of the fourth quarter",
      figure: `${before}, ${after}`,
      target: `at most ${mostDescriptors} more`,
      isMet: after - before <= mostDescriptors,
    },
  ];
}

/** What has to hold of a run that is long enough for it, the exact ones first. */
export function verdicts(result: SoakResult): readonly Verdict[] {
  const heap = trend(half(result), ({ atRest }) => atRest?.heap);
  const rss = trend(half(result), ({ atRest }) => atRest?.rss);
  const target = `below ${mostGrowth} MB/h, or 0 within the band`;
  return [
    ...exactVerdicts(result),
    { what: "RSS at rest, slope of the second half", figure: slope(rss, "MB"), target, isMet: isFlat(rss) },
    { what: "Heap at rest, slope of the second half", figure: slope(heap, "MB"), target, isMet: isFlat(heap) },
  ];
}

/** Of one core, over the second half; undefined where the bot was started again meanwhile. */
function processorShare(result: SoakResult): number | undefined {
  const samples = half(result);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first.life !== last.life) return undefined;
  return (last.processorMs - first.processorMs) / (last.atMs - first.atMs);
}

const table = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

function overTime({ samples }: SoakResult): string {
  const resting = samples.filter(({ atRest }) => atRest !== undefined);
  const every = Math.max(1, Math.ceil(resting.length / rows));
  const shown = resting.filter((_, index) => (resting.length - 1 - index) % every === 0);
  return table(
    ["Minute", "Start", "RSS, MB", "RSS at rest, MB", "Heap at rest, MB", "Descriptors", "Fault"],
    shown.map(({ atMs, life, rss, atRest, descriptors, fault }) => [
      (atMs / 60_000).toFixed(1),
      String(life),
      rss.toFixed(1),
      atRest?.rss.toFixed(1) ?? "",
      atRest?.heap.toFixed(1) ?? "",
      String(descriptors),
      fault,
    ]),
  );
}

/** The run as Markdown. */
export function render(result: SoakResult): string {
  const { plan, orders, commands, faults } = result;
  const open = trend(half(result), ({ descriptors }) => descriptors);
  const rss = trend(half(result), (sample) => sample.rss);
  return [
    `## Soak: ${(plan.runMs / 60_000).toFixed(0)} min, ${plan.servers} servers, polls every ${plan.pollSeconds} s, SEED=${plan.seed}`,
    `${orders.placed} orders, ${orders.rung} alerts, ${orders.settled} edits that were looked at twice; ${commands.sent} commands and presses, ${commands.answered} answered (${commands.sorry} with a problem), ${commands.cut} under way at the kill; ${sum([...faults.values()])} faults. Longest way from order to alert: ${(orders.longestMs / 1_000).toFixed(1)} s.`,
    overTime(result),
    [...faults].map(([what, count]) => `- ${what}: ${count}`).join("\n"),
    `RSS as it is, second half: ${slope(rss, "MB")}. Descriptors, second half, faults included: ${slope(open, "of them")}. Processor time: ${((processorShare(result) ?? Number.NaN) * 100).toFixed(1)} % of a core. Disk at the end: ${result.disk.toFixed(1)} MB.`,
    table(
      ["What", "Figure", "Target", ""],
      verdicts(result).map(({ what, figure, target, isMet }) => [what, figure, target, isMet ? "met" : "**MISSED**"]),
    ),
    ...commands.told.map((line) => `- unanswered: ${line}`),
  ].join("\n\n");
}
