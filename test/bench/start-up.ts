import { spawn } from "node:child_process";
import { once } from "node:events";
import { atMost, line, median, type Report, rounded } from "../support/figure.ts";
import { createWorld } from "../support/process/world.ts";

const starts = 7;
const most = 600;

async function startOfNode(): Promise<number> {
  const from = performance.now();
  await once(spawn(process.execPath, ["-e", ""]), "exit");
  return performance.now() - from;
}

/** Time from the start of the process until it logs that it is ready. */
export async function reportStartUp(): Promise<Report> {
  await using world = await createWorld();
  const measured: number[] = [];
  const bare: number[] = [];
  // The first start publishes the commands, makes the key and the database, and may have to fill Node's compile cache.
  for (let count = 0; count <= starts; count++) {
    bare.push(await startOfNode());
    const from = performance.now();
    const bot = await world.start({ LOG_LEVEL: "info" });
    await bot.printed('"msg":"ready"');
    measured.push(performance.now() - from);
    await bot.stop();
  }
  const [first = Number.NaN, ...later] = measured;
  return {
    title: "Start",
    how: "From the start of the process until it is connected to the gateway and says that it is ready.",
    figures: [
      line(`Median of ${starts}`, median(later), "ms", {
        baseline: `${rounded(median(bare.slice(1)))} ms for Node alone`,
        target: atMost(most),
      }),
      line("Very first start, which publishes the commands", first, "ms"),
    ],
  };
}
