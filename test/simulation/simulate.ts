import "./install.ts";
import { writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { History } from "./history.ts";
import type { Outcome } from "./play-history.ts";

// Everything of the product comes after virtual time.
const { installMachine } = await import("./lives.ts");
const { play } = await import("./play-history.ts");
const { drawHistory } = await import("./draw-history.ts");
const { describe } = await import("./history.ts");
const { shrink } = await import("./shrink.ts");
const { realNow } = await import("./virtual-time.ts");
await import("../../src/storage/sqlite-backend.ts");
installMachine();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    histories: { type: "string" },
    hours: { type: "string" },
    minutes: { type: "string" },
    twice: { type: "boolean", default: false },
    shrink: { type: "string", default: "120" },
    file: { type: "string" },
    save: { type: "string" },
    corpus: { type: "boolean", default: false },
    "kill-everywhere": { type: "boolean", default: false },
    each: { type: "string", default: "1" },
    trace: { type: "string" },
  },
});
/** A history that fails, and how. */
interface Known {
  readonly what: string;
  readonly history: History;
}

const first = Number(values.seed);
const hours = values.hours === undefined ? undefined : Number(values.hours);
const endsAt = values.minutes === undefined ? Number.POSITIVE_INFINITY : realNow() + Number(values.minutes) * 60_000;
const most = Number(values.histories ?? (values.minutes === undefined ? 1 : Number.POSITIVE_INFINITY));
const say = (line: string) => process.stdout.write(`${line}\n`);

const kindsOf = ({ findings }: Outcome) => [...new Set(findings.map(({ what }) => what))];
const totals = {
  histories: 0,
  orders: 0,
  lives: 0,
  events: 0,
  hours: 0,
  cpuMs: 0,
  differing: 0,
  doubledWithoutNonces: 0,
  notJudged: 0,
};
const found = new Map<string, { readonly seed: number; readonly after: number; count: number }>();

async function smallest(history: History, what: string): Promise<History> {
  const until = realNow() + Number(values.shrink) * 1_000;
  const fails = async (next: History) =>
    kindsOf(await play(next).catch(() => ({ findings: [] }) as unknown as Outcome)).includes(what);
  return shrink(history, fails, () => realNow() < until);
}

async function tell(history: History, outcome: Outcome): Promise<void> {
  for (const what of kindsOf(outcome)) {
    const texts = outcome.findings.filter((finding) => finding.what === what);
    say(`seed ${history.seed}: ${what}: ${texts[0]?.text}${texts.length > 1 ? ` (and ${texts.length - 1} more)` : ""}`);
    const kind = found.get(what) ?? { seed: history.seed, after: totals.histories, count: 0 };
    found.set(what, kind);
    kind.count += 1;
    if (kind.count <= Number(values.each) && Number(values.shrink) > 0) {
      const small = await smallest(history, what);
      say(["", `${what}, the smallest history that shows it:`, ...describe(small), ""].join("\n"));
      if (values.save === undefined) continue;
      const known: Known = { what: kindsOf(await play(small)).join(","), history: small };
      const name = `${what.replaceAll(" ", "-")}-${history.seed}.json`;
      writeFileSync(join(values.save, name), `${JSON.stringify(known, undefined, 2)}\n`);
    }
  }
  say(`again: npm run simulate -- --seed ${history.seed}${hours === undefined ? "" : ` --hours ${hours}`}`);
}

async function one(history: History): Promise<void> {
  const lines: string[] = [];
  const before = process.cpuUsage();
  const outcome = await play(history, values.trace === undefined ? {} : { onLine: (line) => void lines.push(line) });
  if (values.trace !== undefined) writeFileSync(values.trace, lines.join("\n"));
  // Others may use the machine as well: what counts is the time of a core.
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  totals.histories += 1;
  totals.orders += outcome.orders;
  totals.lives += outcome.lives;
  totals.events += outcome.events;
  totals.hours += outcome.hours;
  totals.doubledWithoutNonces += outcome.doubledWithoutNonces;
  totals.notJudged += outcome.isJudged ? 0 : 1;
  totals.cpuMs += cpuMs;
  say(
    `seed ${history.seed}: ${outcome.hours.toFixed(1)} h, ${outcome.orders} orders, ${outcome.lives} lives, ${outcome.events} events, ${Math.round(cpuMs)} ms, trace ${outcome.trace.slice(0, 12)}`,
  );
  if (values.twice) {
    const again = await play(history);
    if (again.trace !== outcome.trace) {
      totals.differing += 1;
      say(`seed ${history.seed}: NOT THE SAME TWICE: ${again.trace.slice(0, 12)}`);
    }
  }
  if (outcome.findings.length > 0) await tell(history, outcome);
}

/** Every history of the past shows what it is known to show, and nothing where that is mended; with `--twice`, the same twice. */
async function playCorpus(): Promise<void> {
  const directory = new URL("corpus/", import.meta.url);
  for (const name of (await readdir(directory)).toSorted()) {
    const { what, history } = JSON.parse(await readFile(new URL(name, directory), "utf8")) as Known;
    const outcome = await play(history);
    const isSame = !values.twice || (await play(history)).trace === outcome.trace;
    const isKnown = kindsOf(outcome).join() === what;
    if (!isSame || !isKnown) totals.differing += 1;
    const seen = kindsOf(outcome).join(", ") || "nothing";
    say(`${name}: ${seen}${isKnown ? "" : `, not ${what}: is it mended?`}${isSame ? "" : ", NOT THE SAME TWICE"}`);
  }
}

if (values.corpus) await playCorpus();
else if (values["kill-everywhere"]) {
  const { killEverywhere } = await import("./kill-everywhere.ts");
  const { kills, findings } = await killEverywhere();
  for (const { event, what, text } of findings) say(`killed at event ${event}: ${what}: ${text}`);
  say(`${kills} kills, ${findings.length} findings`);
  totals.differing = findings.length;
} else if (values.file !== undefined) {
  const { history } = JSON.parse(await readFile(values.file, "utf8")) as Known;
  say(describe(history).join("\n"));
  await one(history);
} else {
  for (let seed = first; seed < first + most && realNow() < endsAt; seed++) {
    const history = drawHistory(seed, hours);
    if (most === 1) say(describe(history).join("\n"));
    await one(history).catch((error: unknown) => {
      // A mistake of the simulation itself.
      found.set("the simulation failed", { seed, after: totals.histories, count: 1 });
      say(`seed ${seed}: the simulation failed: ${error instanceof Error ? error.stack : error}`);
    });
  }
}
if (totals.histories > 0) {
  const { cpuMs, ...rest } = totals;
  const seconds = cpuMs / 1_000;
  say(
    JSON.stringify({
      ...rest,
      seconds: Math.round(seconds),
      hoursPerSecond: Number((rest.hours / seconds).toFixed(2)),
    }),
  );
}
for (const [what, { seed, after, count }] of found)
  say(`${what}: first at seed ${seed}, the history number ${after}; in ${count} histories`);
// Timers of Node's own libraries that nobody ends.
process.exit(found.size > 0 || totals.differing > 0 ? 1 : 0);
