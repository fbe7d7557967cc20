import { parseArgs } from "node:util";
import { z } from "zod";
import { render, verdicts } from "./report.ts";
import { runSoak } from "./run-soak.ts";

/** Below two minutes there are too few samples to draw a line through; the samples and the bot's log of more than a day are much to keep. */
const minutesSchema = z.coerce.number().min(2).max(1_440);
const seedSchema = z.coerce.number().int().nonnegative();

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
const minutes = minutesSchema.parse(values.minutes);
const seed = seedSchema.parse(process.env.SEED ?? Date.now() % 2 ** 31);

console.log(`SEED=${seed}`);
const result = await runSoak({ runMs: minutes * 60_000, pollSeconds: 15, servers: 200, seed, print: console.log });
console.log(`\n${render(result)}`);
if (verdicts(result).some(({ isMet }) => !isMet)) process.exitCode = 1;
