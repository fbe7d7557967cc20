import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Fault } from "./fault.ts";
import { playFault } from "./play-fault.ts";
import { blockedLoop, fastClock, noDescriptors, slowClock } from "./process-faults.ts";
import { type Row, render, wrongIn } from "./report.ts";
import { fullDisk, lockedDatabase, postgresRestarted, redisGone, smallFiles } from "./storage-faults.ts";
import { noNames, storeDown } from "./store-faults.ts";

const target = resolve(import.meta.dirname, "../../docs/faults.md");
const faults: readonly Fault[] = [
  fullDisk,
  smallFiles,
  lockedDatabase,
  redisGone,
  postgresRestarted,
  noNames,
  storeDown,
  fastClock,
  slowClock,
  blockedLoop,
  noDescriptors,
];

/** With a word of a title, only such faults are played, and the report is printed and not written. */
const only = process.argv.slice(2).join(" ");
const rows: Row[] = [];
const wrong: string[] = [];
for (const fault of faults.filter(({ title }) => title.includes(only))) {
  const { title } = fault;
  const missing = fault.missing?.();
  console.log(missing === undefined ? title : `${title}: not made here, for ${missing}`);
  if (missing !== undefined) {
    rows.push({ fault, missing });
    continue;
  }
  const played = await playFault(fault);
  rows.push(played);
  wrong.push(...wrongIn(played));
}
if (only === "") await writeFile(target, render(rows));
else console.log(render(rows));
for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;
