import { setTimeout as wait } from "node:timers/promises";
import { atLeast, atMost, type Figure, line, type Report, rounded } from "../support/figure.ts";
import { largestOf, loadOf, startFleet, untilAllArePolled } from "./fleet.ts";

const sizes = [100, 1_000, 10_000];
const leastMs = 60_000;
const pending = 30;
/** The same for all sizes, as far as a schedule allows, because a busier core needs more time for the same work. */
const pollsPerSecond = 167;
const intervalOf = (servers: number) => Math.min(Math.ceil(servers / pollsPerSecond), 60) * 1_000;
/** A window of one interval would miss polls at its ends. */
const leastRounds = 2;
/** With fewer servers, a process does little more than its own regular work. */
const flatFrom = 1_000;
/** By then every worker holds its share. */
const warmUpMs = 60_000;

/** `heap`: MB of the largest process, after a garbage collection. */
interface Measured {
  readonly servers: number;
  readonly cpuPerPoll: number;
  readonly heap: number;
  readonly figures: readonly Figure[];
}

async function measure(servers: number, workers: number | undefined, before: Measured | undefined): Promise<Measured> {
  const intervalMs = intervalOf(servers);
  const rounds = Math.max(Math.ceil(leastMs / intervalMs), leastRounds);
  const plan = { servers, intervalMs, pending };
  await using fleet = await startFleet(workers === undefined ? plan : { ...plan, workers });
  await wait(warmUpMs);
  await untilAllArePolled(fleet, intervalMs);
  const { cpu, polls, requests, machine } = await loadOf(fleet, rounds * intervalMs);
  const { rss, heap } = await largestOf(fleet);
  const name = `${rounded(servers)} servers every ${intervalMs / 1_000} s, ${workers === undefined ? "one process" : `${workers} workers`}`;
  const cpuPerPoll = cpu / polls;
  const grown = before && cpuPerPoll / before.cpuPerPoll;
  const isFlat = before && before.servers >= flatFrom ? { target: atMost(1.1) } : {};
  const growth = grown && line("… with a tenth of the servers = 1", grown, "", isFlat);
  const figures = [
    line(`${name}: processor time of a poll`, cpuPerPoll, "ms", { baseline: `load average ${rounded(machine)}` }),
    ...(growth ? [growth] : []),
    line("… API requests per poll", requests / polls, "requests", { target: atMost(1.1) }),
    line("… polls of those that were due", (polls / (servers * rounds)) * 100, "%", { target: atLeast(99) }),
    line("… resident memory of the largest process, after a garbage collection", rss, "MB"),
    line("… its heap", heap, "MB"),
  ];
  return { servers, cpuPerPoll, heap, figures };
}

/** Quiet polls of more and more servers, by one process and by two workers, for `leastMs` and at least two rounds. */
export async function reportScale(): Promise<Report> {
  const figures: Figure[] = [];
  for (const workers of [undefined, 2]) {
    const all: Measured[] = [];
    for (const servers of sizes) all.push(await measure(servers, workers, all.at(-1)));
    figures.push(...all.flatMap((measured) => measured.figures));
    const [first = 0, last = 0] = [sizes.at(0), sizes.at(-1)];
    const more = (all.at(-1)?.heap ?? 0) - (all.at(0)?.heap ?? 0);
    const polled = (last - first) / (workers ?? 1);
    if (polled > 0) figures.push(line("Heap of a server that a process polls", (more * 1_000) / polled, "kB"));
  }
  return {
    title: "From 100 to 10,000 servers",
    how: `Some ${pollsPerSecond} polls a second (100 with 100 servers) over ${leastMs / 1_000} s, at least two rounds; ${pending} pending orders in each store, nothing new. One process on sqlite; or two workers on a queue, with Redis for the queue and another one as storage, both on the same machine, each write put on disk before it is answered. The store is a process of its own.`,
    figures,
  };
}
