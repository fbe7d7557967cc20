import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { reportBurst } from "./burst.ts";
import { reportCommandLatency } from "./command-latency.ts";
import { type Report, render } from "./figure.ts";
import { reportFirstConnection } from "./first-connection.ts";
import { reportFlood } from "./flood.ts";
import { reportManyServers } from "./many-servers.ts";
import { reportFollowedMemory, reportMemory } from "./memory.ts";
import { reportNeighbours } from "./neighbours.ts";
import { reportQuietPoll } from "./quiet-poll.ts";
import { reportStartUp } from "./start-up.ts";
import { reportScanRequests, reportSteadyPolls } from "./steady-polls.ts";

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
const largest = quick ? 5_000 : 50_000;
const windowMs = quick ? 30_000 : 60_000;
const sizes = [0, 100, 5_000, 50_000].filter((size) => size <= largest);

const reports: (() => Promise<Report>)[] = [
  () => reportScanRequests(sizes),
  () => reportSteadyPolls(sizes),
  () => reportBurst(),
  () => reportFirstConnection(largest),
  () => reportMemory(2_500),
  () => reportFollowedMemory(),
  () => reportManyServers(200, windowMs),
  () => reportQuietPoll(windowMs),
  () => reportCommandLatency(windowMs),
  () => reportNeighbours(),
  () => reportFlood(),
  () => reportStartUp(),
];

console.log(`# Benchmarks

Made by \`npm run --silent bench > docs/benchmarks.md\` on ${availableParallelism()} cores, Node ${process.versions.node.split(".")[0]}${quick ? ", with `--quick`" : ""}.
The bot is the process that \`npm start\` runs; Discord and the store are the sandbox's, on loopback. Counts and ratios say
more than times, which depend on the machine.
`);
const missed: string[] = [];
for (const report of reports) {
  const made = await report();
  console.log(render(made));
  for (const { what, target } of made.figures) if (target && !target.met) missed.push(`${made.title}: ${what}`);
}
console.log("## Targets\n");
console.log(missed.length === 0 ? "Every target is met." : missed.map((what) => `- **Missed.** ${what}`).join("\n"));
if (missed.length > 0) process.exitCode = 1;
