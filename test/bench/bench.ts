import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMissed, type Report, render } from "../support/figure.ts";
import { reportAlertLag } from "./alert-lag.ts";
import { reportBurst } from "./burst.ts";
import { reportCommandLatency } from "./command-latency.ts";
import { reportDigest } from "./digest.ts";
import { reportEventLoop } from "./event-loop.ts";
import { reportExport } from "./export.ts";
import { reportFollowedMemory, reportMemory } from "./memory.ts";
import { reportFlood, reportNeighbours } from "./neighbours.ts";
import { reportProxyCost } from "./proxy-cost.ts";
import { reportQuietPoll } from "./quiet-poll.ts";
import { reportScale } from "./scale.ts";
import { reportScanRequests } from "./scan-requests.ts";
import { reportStartUp } from "./start-up.ts";
import { reportQueueCost, reportWorkers } from "./workers.ts";

const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const { quick } = values;
const largest = quick ? 5_000 : 50_000;
const windowMs = quick ? 30_000 : 60_000;
const sizes = [0, 100, 5_000, 50_000].filter((size) => size <= largest);

/** `several` takes 20 minutes more. */
const parts: Readonly<Record<string, readonly (() => Promise<Report>)[]>> = {
  one: [
    () => reportScanRequests(sizes),
    () => reportBurst(),
    () => reportMemory(2_500),
    () => reportFollowedMemory(),
    () => reportQuietPoll(windowMs),
    () => reportCommandLatency(windowMs),
    () => reportNeighbours(),
    () => reportFlood(),
    () => reportStartUp(),
  ],
  "event-loop": [() => reportEventLoop(quick)],
  reports: [() => reportExport(largest), () => reportDigest(largest)],
  several: [
    () => reportWorkers([1, 2, 4], windowMs),
    () => reportQueueCost([1, 2, 4], windowMs),
    () => reportScale(quick ? [100, 1_000] : [100, 1_000, 10_000], windowMs),
    () => reportAlertLag(quick ? 100 : 300),
    () => reportProxyCost(windowMs / 2),
  ],
};
const unknown = positionals.filter((name) => !(name in parts));
if (unknown.length > 0) throw new Error(`no part is called ${unknown.join(" or ")}; there are ${Object.keys(parts)}`);
const reports = Object.entries(parts).flatMap(([name, some]) =>
  positionals.length === 0 || positionals.includes(name) ? some : [],
);

console.log(`# Benchmarks

Made by \`npm run --silent bench\` on ${availableParallelism()} cores, Node ${process.versions.node.split(".")[0]}${quick ? ", with `--quick`" : ""}.
The bot is the process that \`npm start\` runs; Discord and the store are the sandbox's, on loopback. Counts and ratios say
more than times, which depend on the machine.
`);
const missed: string[] = [];
for (const report of reports) {
  const made = await report();
  console.log(render(made));
  missed.push(...made.figures.filter(isMissed).map(({ what }) => `${made.title}: ${what}`));
}
console.log("## Targets\n");
console.log(missed.length === 0 ? "Every target is met." : missed.map((what) => `- **Missed.** ${what}`).join("\n"));
if (missed.length > 0) process.exitCode = 1;
