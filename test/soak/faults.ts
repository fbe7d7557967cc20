import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PermissionFlagsBits } from "@discordjs/core";
import { Stream } from "../simulation/randomness.ts";
import { holdStore } from "../support/hold-store.ts";
import type { World } from "../support/world.ts";
import type { Tenant } from "./tenants.ts";

/** What faults happen to. */
export interface Site {
  readonly world: World;
  /** SIGKILL to the bot, and a new start; resolves once that is connected. */
  restart(): Promise<void>;
}

/** One kind of fault. */
interface Fault {
  readonly what: string;
  /** How long it lasts in a run in which every kind has room; 0: a moment. */
  readonly seconds: number;
  /** Begins it; what it returns ends it. `forMs`: how long it is going to last. */
  begin(site: Site, tenant: Tenant, forMs: number): (() => void) | Promise<void> | undefined;
}

/** A fault that comes next, after `quietMs` in which nothing fails. */
interface PlannedFault {
  readonly fault: Fault;
  readonly tenant: Tenant;
  readonly quietMs: number;
  readonly forMs: number;
}

/** Of the waiting time, so that several refusals come in the time of one fault. */
const retryAfterShare = 3;

const kill: Fault = { what: "SIGKILL, and a new start", seconds: 0, begin: (site) => site.restart() };

/** The faults page (`npm run faults`) shows what each comes to alone, and the simulation combines them. */
const faults: readonly Fault[] = [
  { what: "the store answers 500", seconds: 20, begin: ({ world }) => world.store.fail({ status: 500 }) },
  {
    what: "the store answers 429",
    seconds: 15,
    begin: ({ world }, _, forMs) =>
      world.store.fail({
        status: 429,
        headers: { "retry-after": String(Math.ceil(forMs / 1_000 / retryAfterShare)) },
      }),
  },
  // Longer than the 20 s that a request may take to its first answer.
  { what: "the store hangs", seconds: 25, begin: ({ world }) => holdStore(world.store, {}) },
  {
    what: "Discord answers 500 to messages",
    seconds: 10,
    begin: ({ world }) => world.discord.fail({ path: /^\/channels\/\d+\/messages/, status: 500 }),
  },
  {
    what: "Discord is slow",
    seconds: 20,
    begin: ({ world }) => world.discord.slow({ fromMs: 200, toMs: 800 }),
  },
  {
    what: "a channel refuses, and takes messages again",
    seconds: 40,
    begin({ world }, { channel }) {
      world.discord.setBotPermissions(channel, { deny: PermissionFlagsBits.SendMessages });
      return () => world.discord.setBotPermissions(channel, {});
    },
  },
  {
    what: "the gateway asks to reconnect",
    seconds: 0,
    begin: ({ world }) => void world.discord.gateway.reconnect(),
  },
  { what: "the gateway is cut off", seconds: 0, begin: ({ world }) => void world.discord.gateway.drop() },
  {
    what: "another process locks the storage",
    seconds: 2,
    begin({ world }) {
      const other = new DatabaseSync(join(world.directory, "data", "shopbell.sqlite"));
      // The bot's own statements are short: it holds the file for milliseconds.
      other.exec("PRAGMA busy_timeout = 1000; BEGIN EXCLUSIVE");
      return () => other.close();
    },
  },
];

/** What each kind of fault is called. */
export const faultNames: readonly string[] = [kill, ...faults].map(({ what }) => what);

const longestQuietSeconds = 25;
const cycleSeconds = faults.reduce((sum, { seconds }) => sum + seconds + longestQuietSeconds, longestQuietSeconds);
/** Of a run, in which each kind has come at least once. */
const cycleShare = 0.8;

/**
 * Faults without an end: each kind once, in a drawn sequence, then each once more. A kill comes once, after the first third of
 * the kinds. In a run that is too short for them, all times are shorter.
 *
 * @param runMs how long the run is going to be
 */
export function* planFaults(seed: number, tenants: readonly Tenant[], runMs: number): Generator<PlannedFault, never> {
  const pace = Math.min(1_000, (cycleShare * runMs) / cycleSeconds);
  const stream = new Stream(seed, "faults");
  for (let isFirst = true; ; isFirst = false) {
    const cycle = faults.map((fault) => ({ fault, at: stream.next() })).sort((one, other) => one.at - other.at);
    const kinds = cycle.map(({ fault }) => fault);
    for (const fault of isFirst ? kinds.toSpliced(Math.ceil(kinds.length / 3), 0, kill) : kinds) {
      const quietMs = stream.between(10, longestQuietSeconds) * pace;
      yield { fault, tenant: stream.pick(tenants), quietMs, forMs: fault.seconds * pace };
    }
  }
}
