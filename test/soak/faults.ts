import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PermissionFlagsBits } from "@discordjs/core";
import fc from "fast-check";
import type { World } from "../support/world.ts";
import { draws } from "./draws.ts";
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
  /** Whether it meets every server, and not just one. */
  readonly ofAll: boolean;
  /** Begins it; what it returns ends it. `forMs`: how long it is going to last. */
  begin(site: Site, tenant: Tenant, forMs: number): (() => void) | Promise<void>;
}

/** A fault that comes next. */
export interface PlannedFault {
  readonly fault: Fault;
  readonly tenant: Tenant;
  /** How long nothing fails before it. */
  readonly quietMs: number;
  readonly forMs: number;
}

/** Of the waiting time, so that several refusals come in the time of one fault. */
const retryAfterShare = 3;
const moment = () => undefined;

const ofStore = (what: string, seconds: number, rule: (forMs: number) => Parameters<World["store"]["fail"]>[0]) => [
  {
    what: `the store of one server ${what}`,
    seconds,
    ofAll: false,
    begin: ({ world }: Site, { shop }: Tenant, forMs: number) =>
      world.store.fail({ ...rule(forMs), token: shop.token }),
  },
  {
    what: `the store ${what} to all`,
    seconds,
    ofAll: true,
    begin: ({ world }: Site, _: Tenant, forMs: number) => world.store.fail(rule(forMs)),
  },
];

/** The store answers nothing; what it was asked meanwhile is answered at the end. */
function hanging(site: Site, tenant: Tenant | undefined) {
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  const end = site.world.store.fail({ hold, ...(tenant === undefined ? {} : { token: tenant.shop.token }) });
  return () => {
    end();
    release();
  };
}

const kill: Fault = { what: "SIGKILL, and a new start", seconds: 0, ofAll: true, begin: (site) => site.restart() };

const faults: readonly Fault[] = [
  ...ofStore("answers 500", 20, () => ({ status: 500 })),
  ...ofStore("answers 429", 15, (forMs) => ({
    status: 429,
    headers: { "retry-after": String(Math.ceil(forMs / 1_000 / retryAfterShare)) },
  })),
  // Longer than the 20 s that a request may take to its first answer.
  { what: "the store of one server hangs", seconds: 25, ofAll: false, begin: hanging },
  { what: "the store hangs", seconds: 25, ofAll: true, begin: (site) => hanging(site, undefined) },
  {
    what: "Discord answers 500 to messages",
    seconds: 10,
    ofAll: true,
    begin: ({ world }) => world.discord.fail({ path: /^\/channels\/\d+\/messages/, status: 500 }),
  },
  {
    what: "Discord is slow",
    seconds: 20,
    ofAll: true,
    begin: ({ world }) => world.discord.slow({ fromMs: 200, toMs: 800 }),
  },
  {
    what: "a channel refuses, and is mended",
    seconds: 40,
    ofAll: false,
    begin({ world }, { channel }) {
      world.discord.setBotPermissions(channel, { deny: PermissionFlagsBits.SendMessages });
      return () => world.discord.setBotPermissions(channel, {});
    },
  },
  {
    what: "the gateway asks to reconnect",
    seconds: 0,
    ofAll: true,
    begin({ world }) {
      world.discord.gateway.reconnect();
      return moment;
    },
  },
  {
    what: "the gateway is cut off",
    seconds: 0,
    ofAll: true,
    begin({ world }) {
      world.discord.gateway.drop();
      return moment;
    },
  },
  {
    what: "another process locks the storage",
    seconds: 2,
    ofAll: true,
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
 * Faults without an end: each kind once, drawn, then each once more. A kill comes once, after the first third of the
 * kinds. In a run that is too short for them, all times are shorter.
 *
 * @param runMs how long the run is going to be
 */
export function* planFaults(seed: number, tenants: readonly Tenant[], runMs: number): Generator<PlannedFault, never> {
  const pace = Math.min(1_000, (cycleShare * runMs) / cycleSeconds);
  const cycles = draws(fc.shuffledSubarray([...faults], { minLength: faults.length }), seed);
  const places = draws(
    fc.record({
      tenant: fc.constantFrom(...tenants),
      quietSeconds: fc.integer({ min: 10, max: longestQuietSeconds }),
    }),
    seed,
  );
  for (let isFirst = true; ; isFirst = false) {
    const cycle = cycles.next().value;
    const third = Math.ceil(cycle.length / 3);
    for (const fault of isFirst ? cycle.toSpliced(third, 0, kill) : cycle) {
      const { tenant, quietSeconds } = places.next().value;
      yield { fault, tenant, quietMs: quietSeconds * pace, forMs: fault.seconds * pace };
    }
  }
}
