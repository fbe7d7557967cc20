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
import { reportQueueCost } from "./queue-cost.ts";
import { reportQuietPoll } from "./quiet-poll.ts";
import { reportScale } from "./scale.ts";
import { reportScanRequests } from "./scan-requests.ts";
import { reportStartUp } from "./start-up.ts";

const benchmarks: Readonly<Record<string, () => Promise<Report>>> = {
  "scan-requests": reportScanRequests,
  burst: reportBurst,
  memory: reportMemory,
  "followed-memory": reportFollowedMemory,
  "quiet-poll": reportQuietPoll,
  "command-latency": reportCommandLatency,
  neighbours: reportNeighbours,
  flood: reportFlood,
  "start-up": reportStartUp,
  "event-loop": reportEventLoop,
  export: reportExport,
  digest: reportDigest,
  "queue-cost": reportQueueCost,
  scale: reportScale,
  "alert-lag": reportAlertLag,
  "proxy-cost": reportProxyCost,
};
const { positionals: named } = parseArgs({ allowPositionals: true });
const unknown = named.filter((name) => !(name in benchmarks));
if (unknown.length > 0) throw new Error(`no benchmark is called ${unknown.join(" or ")}: ${Object.keys(benchmarks)}`);
const chosen = Object.entries(benchmarks).filter(([name]) => named.length === 0 || named.includes(name));

console.log(`# Benchmarks

Made by \`npm run --silent bench\` on ${availableParallelism()} cores, Node ${process.versions.node.split(".")[0]}.
The bot is the process that \`npm start\` runs; Discord and the store are the sandbox's, on loopback. Counts and ratios say
more than times, which depend on the machine.
`);
const missed: string[] = [];
for (const [, report] of chosen) {
  const made = await report();
  console.log(render(made));
  missed.push(...made.figures.filter(isMissed).map(({ what }) => `${made.title}: ${what}`));
}
console.log("## Targets\n");
console.log(missed.length === 0 ? "Every target is met." : missed.map((what) => `- **Missed.** ${what}`).join("\n"));
if (missed.length > 0) process.exitCode = 1;
