import { setTimeout as wait } from "node:timers/promises";
import { atMost, type Figure, type Report, rounded } from "./figure.ts";
import { commandsPerPoll, type FleetPlan, loadOf, memoriesOf, startFleet, untilAllArePolled } from "./fleet.ts";

const intervalMs = 15_000;
const pending = 30;
/** Rounds until every worker has had nearly every server. */
const warmUpRounds = 4;
const most = { growth: 1.1, commands: 6, share: 0.99 };

interface Measured {
  readonly cpuPerPoll: number;
  readonly requestsPerPoll: number;
  readonly share: number;
  readonly fewest: number;
  readonly redisCpuPerPoll: number;
  readonly bytesPerPoll: number;
  readonly commands: ReadonlyMap<string, number>;
  readonly megabytes: readonly number[];
  readonly machine: number;
  readonly rounds: number;
}

async function measure(servers: number, workers: FleetPlan["workers"], leastMs: number): Promise<Measured> {
  const rounds = Math.ceil(leastMs / intervalMs);
  await using fleet = await startFleet({ servers, intervalMs, pending, workers });
  await wait(warmUpRounds * intervalMs);
  await untilAllArePolled(fleet, intervalMs);
  const { cpu, polls, requests, fewest, redisCpu, redisBytes, machine } = await loadOf(fleet, rounds * intervalMs);
  const commands = workers === "none" ? new Map<string, number>() : await commandsPerPoll(fleet, intervalMs);
  return {
    cpuPerPoll: cpu / polls,
    requestsPerPoll: requests / polls,
    share: polls / (servers * rounds),
    fewest,
    redisCpuPerPoll: redisCpu / polls,
    bytesPerPoll: redisBytes / polls,
    commands,
    megabytes: await memoriesOf(fleet),
    machine,
    rounds,
  };
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0);

/** The three most frequent, as in "evalsha 1.2". */
function mostFrequent(commands: ReadonlyMap<string, number>): string {
  const sorted = [...commands].sort(([, one], [, other]) => other - one).slice(0, 3);
  return sorted.map(([name, calls]) => `${name} ${rounded(calls)}`).join(", ");
}

function rows(name: string, measured: Measured, before: Measured | undefined): Figure[] {
  const { cpuPerPoll, requestsPerPoll, share, fewest, commands, megabytes, machine, rounds } = measured;
  const growth = before && cpuPerPoll / before.cpuPerPoll;
  const figures: Figure[] = [
    {
      what: `${name}: processor time of a poll`,
      figure: cpuPerPoll,
      unit: "ms",
      baseline: `load average ${rounded(machine)}`,
    },
    ...(growth === undefined
      ? []
      : [{ what: "… with a tenth of the servers = 1", figure: growth, unit: "", target: atMost(growth, most.growth) }]),
    {
      what: "… API requests per poll",
      figure: requestsPerPoll,
      unit: "requests",
      target: atMost(Math.round(requestsPerPoll * 100) / 100, 1.1),
    },
    {
      what: "… polls of those that were due",
      figure: share * 100,
      unit: "%",
      target: { text: `at least ${most.share * 100}`, met: share >= most.share },
    },
    { what: "… polls of the server with the fewest", figure: fewest, unit: "polls", baseline: `${rounds} rounds` },
    { what: "… memory of each process (RSS), after a garbage collection", figure: Math.max(...megabytes), unit: "MB" },
  ];
  if (commands.size === 0) return figures;
  const perPoll = sum(commands.values());
  return [
    ...figures,
    {
      what: "… Redis commands per poll",
      figure: perPoll,
      unit: "commands",
      baseline: mostFrequent(commands),
      target: atMost(Math.round(perPoll * 100) / 100, most.commands),
    },
    { what: "… bytes per poll, to and from Redis", figure: measured.bytesPerPoll, unit: "bytes" },
    { what: "… processor time of Redis per poll", figure: measured.redisCpuPerPoll, unit: "ms" },
  ];
}

/** Quiet polls of ever more servers, by one process and by two workers on a queue; measured for so long, at least one round. */
export async function reportScale(sizes: readonly number[], leastMs: number): Promise<Report> {
  const figures: Figure[] = [];
  for (const workers of ["none", 2] as const) {
    let before: Measured | undefined;
    let least: Measured | undefined;
    for (const servers of sizes) {
      const name = `${rounded(servers)} servers, ${workers === "none" ? "one process" : `${workers} workers`}`;
      const measured = await measure(servers, workers, leastMs);
      figures.push(...rows(name, measured, before));
      before = measured;
      least ??= measured;
    }
    const [first = 0, last = 0] = [sizes.at(0), sizes.at(-1)];
    if (!before || !least || first === last) continue;
    const more = Math.max(...before.megabytes) - Math.max(...least.megabytes);
    figures.push({ what: "Memory of a server that is polled", figure: (more * 1_000) / (last - first), unit: "kB" });
  }
  return {
    title: "From 100 to 10,000 servers",
    how: `Polls every ${intervalMs / 1_000} s over ${leastMs / 1_000} s, ${pending} pending orders in each store, nothing new. One process on sqlite; or two workers on a queue, with Redis for the queue and another one as storage, both on the same machine, each write put on disk before it is answered. Redis commands are those that clients give; what BullMQ's scripts do within Redis is no trip over the network. The store is a process of its own.`,
    figures,
  };
}
