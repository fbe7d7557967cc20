import { parseArgs } from "node:util";
import { z } from "zod";
import { isMissed, render } from "../support/figure.ts";
import { reportSoak } from "./report.ts";
import { runSoak } from "./run-soak.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
// Two minutes have enough samples; the samples and the log of more than a day take too much memory.
const minutes = z.coerce.number().min(2).max(1_440).parse(values.minutes);
const seed = z.coerce
  .number()
  .int()
  .nonnegative()
  .parse(process.env.SEED ?? Date.now() % 2 ** 31);

console.log(`SEED=${seed}`);
const report = reportSoak(
  await runSoak({ runMs: minutes * 60_000, pollSeconds: 15, servers: 200, seed, print: console.log }),
);
console.log(`\n${render(report)}`);
if (report.figures.some(isMissed)) process.exitCode = 1;
