import "./install.ts";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { History } from "./history.ts";
import type { Outcome } from "./play-history.ts";

// Time must be replaced before any file of the product is imported.
const { installMachine } = await import("./lives.ts");
const { play } = await import("./play-history.ts");
const { drawHistory } = await import("./draw-history.ts");
const { describe } = await import("./history.ts");
const { corpus } = await import("./corpus.ts");
const { killEverywhere } = await import("./kill-everywhere.ts");
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
    trace: { type: "string" },
  },
});
const hours = values.hours === undefined ? undefined : Number(values.hours);
const shrinkMs = Number(values.shrink) * 1_000;
const say = (line: string) => process.stdout.write(`${line}\n`);

const kindsOf = ({ findings }: Outcome) => [...new Set(findings.map(({ what }) => what))];
const totals = {
  histories: 0,
  orders: 0,
  lives: 0,
  events: 0,
  hours: 0,
  differing: 0,
  doubledWithoutNonces: 0,
  notJudged: 0,
};
let cpuMs = 0;
/** By kind of failure: the name of the first history that had it, and the number of histories. */
const found = new Map<string, { readonly first: string; count: number }>();

function note(what: string, name: string): boolean {
  const kind = found.get(what) ?? { first: name, count: 0 };
  found.set(what, kind);
  kind.count += 1;
  return kind.count === 1;
}

/** Searches for a smaller history with the same failure, and prints it. */
async function tellSmallest(history: History, what: string): Promise<void> {
  const until = realNow() + shrinkMs;
  const fails = (next: History) =>
    play(next).then(
      (outcome) => kindsOf(outcome).includes(what),
      () => false,
    );
  const small = await shrink(history, fails, () => realNow() < until);
  say(["", `${what}, the smallest history that shows it:`, ...describe(small), ""].join("\n"));
  if (values.save === undefined) return;
  const name = `${what.replaceAll(" ", "-")}-${history.seed}.json`;
  mkdirSync(values.save, { recursive: true });
  writeFileSync(join(values.save, name), `${JSON.stringify(small, undefined, 2)}\n`);
}

async function one(name: string, history: History): Promise<void> {
  const lines: string[] = [];
  const before = process.cpuUsage();
  const outcome = await play(history, values.trace === undefined ? {} : { onLine: (line) => void lines.push(line) });
  if (values.trace !== undefined) writeFileSync(values.trace, lines.join("\n"));
  // Measures processor time, because other programs may use the machine.
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1_000;
  cpuMs += ms;
  totals.histories += 1;
  for (const figure of ["orders", "lives", "events", "hours", "doubledWithoutNonces"] as const)
    totals[figure] += outcome[figure];
  totals.notJudged += outcome.isJudged ? 0 : 1;
  say(
    `${name}: ${outcome.hours.toFixed(1)} h, ${outcome.orders} orders, ${outcome.lives} lives, ${outcome.events} events, ${Math.round(ms)} ms, trace ${outcome.trace.slice(0, 12)}`,
  );
  if (values.twice && (await play(history)).trace !== outcome.trace) {
    totals.differing += 1;
    say(`${name}: NOT THE SAME TWICE`);
  }
  for (const what of kindsOf(outcome)) {
    const texts = outcome.findings.filter((finding) => finding.what === what);
    say(`${name}: ${what}: ${texts[0]?.text}${texts.length > 1 ? ` (and ${texts.length - 1} more)` : ""}`);
    if (note(what, name) && shrinkMs > 0) await tellSmallest(history, what);
  }
}

function* drawn(): Generator<[name: string, history: History]> {
  const { seed, histories, minutes } = values;
  const endsAt = minutes === undefined ? Number.POSITIVE_INFINITY : realNow() + Number(minutes) * 60_000;
  const most = Number(histories ?? (minutes === undefined ? 1 : Number.POSITIVE_INFINITY));
  for (let next = Number(seed); next < Number(seed) + most && realNow() < endsAt; next++) {
    const history = drawHistory(next, hours);
    if (most === 1) say(describe(history).join("\n"));
    yield [`seed ${next}`, history];
  }
}

function* chosen(): Generator<[name: string, history: History]> {
  if (values.corpus) yield* Object.entries(corpus);
  else if (values.file !== undefined) yield [values.file, JSON.parse(readFileSync(values.file, "utf8"))];
  else yield* drawn();
}

if (values["kill-everywhere"]) {
  const { kills, findings } = await killEverywhere();
  for (const { event, what, text } of findings) {
    note(what, `event ${event}`);
    say(`killed at event ${event}: ${what}: ${text}`);
  }
  say(`${kills} kills, ${findings.length} findings`);
} else {
  for (const [name, history] of chosen()) {
    await one(name, history).catch((error: unknown) => {
      // An error here is a fault of the simulation, not of the bot.
      note("the simulation failed", name);
      say(`${name}: the simulation failed: ${error instanceof Error ? error.stack : error}`);
    });
  }
  const seconds = cpuMs / 1_000;
  const hoursPerSecond = Number((totals.hours / seconds).toFixed(2));
  say(JSON.stringify({ ...totals, seconds: Math.round(seconds), hoursPerSecond }));
}
for (const [what, { first, count }] of found) say(`${what}: first in ${first}; in ${count} histories`);
// Node's libraries have timers that would keep the process running.
process.exit(found.size > 0 || totals.differing > 0 ? 1 : 0);
