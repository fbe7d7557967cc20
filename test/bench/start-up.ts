import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWorld } from "../e2e/harness.ts";
import { median, type Report, rounded } from "./figure.ts";

const starts = 5;

async function startOfNode(): Promise<number> {
  const from = performance.now();
  await once(spawn(process.execPath, ["-e", ""]), "exit");
  return performance.now() - from;
}

/** From the start of the process until it has identified itself at the gateway. */
export async function reportStartUp(): Promise<Report> {
  await using world = await createWorld();
  const measured: number[] = [];
  const bare: number[] = [];
  // The first start publishes the commands and makes the key and the database.
  for (let count = 0; count <= starts; count++) {
    bare.push(await startOfNode());
    const from = performance.now();
    const bot = await world.start({ LOG_LEVEL: "warn" });
    measured.push(performance.now() - from);
    await bot.stop();
  }
  const [first = Number.NaN, ...later] = measured;
  const node = median(bare.slice(1));
  return {
    title: "Start",
    how: "From the start of the process until it is connected to the gateway.",
    figures: [
      {
        what: `Median of ${starts}`,
        figure: median(later),
        unit: "ms",
        baseline: `${rounded(node)} ms for Node alone`,
      },
      { what: "Slowest", figure: Math.max(...later), unit: "ms" },
      { what: "Very first start, which publishes the commands", figure: first, unit: "ms" },
    ],
  };
}
