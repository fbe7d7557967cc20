import { createRequire, syncBuiltinESMExports } from "node:module";
import { noMetrics } from "../../src/basics/metrics.ts";
import { readConfig } from "../../src/config.ts";
import { createShutdown } from "../../src/operations/shutdown.ts";
import { startProcess } from "../../src/process.ts";
import { Stream } from "./randomness.ts";
import { after, as, currentOwner, machineTime, type Owner, time } from "./virtual-time.ts";
import { discordToken, type SimulatedDiscord } from "./world/discord.ts";
import type { Evidence, Trouble } from "./world/record.ts";
import { closeFilesOf } from "./world/storage.ts";
import type { SimulatedStore } from "./world/store.ts";

/** The time that systemd waits before it starts a service again. */
const restartMs = 1_000;
const firstPid = 1_000;

export interface World {
  readonly seed: number;
  /** Path of the database. */
  readonly file: string;
  readonly evidence: Evidence;
  readonly store: SimulatedStore;
  readonly discord: SimulatedDiscord;
  /** Writes a line of the trace, by which two runs are compared. */
  trace(line: string): void;
}

const said = (fields: object) =>
  JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? `${value.name}: ${value.message}` : value));

/** Whether JavaScript itself threw this error. No failure of the store, of Discord or of a disk throws such an error. */
const isBug = (error: unknown) => [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);

/** A process of the bot, from its start to its end. */
export class Life implements Owner {
  isDead = false;
  stoppedUntil = 0;
  readonly startedAt = time();
  readonly startedOn = machineTime();
  readonly number: number;
  readonly random: Stream;
  readonly pid: number;
  private readonly world: World;
  private readonly onEnd: (life: Life, why: string) => void;
  private readonly shutdown;
  private readonly trouble: Trouble;

  constructor(world: World, number: number, onEnd: (life: Life, why: string) => void) {
    this.world = world;
    this.number = number;
    this.onEnd = onEnd;
    this.pid = firstPid + number;
    this.random = new Stream(world.seed, `life ${number}`);
    this.trouble = { kind: "process", from: time(), to: Number.POSITIVE_INFINITY };
    world.evidence.troubles.push(this.trouble);
    world.evidence.starts.push({ at: time(), life: number });
    this.shutdown = as(this, () => createShutdown(this.log));
    as(this, () => void this.start());
  }

  private readonly write = (level: string) => (fields: object, message: string) => {
    const line = `${level} ${message} ${said(fields)}`;
    this.world.trace(`log ${this.number} ${line}`);
    if (level === "error") this.world.evidence.logged.push({ at: time(), message: line });
    if ("err" in fields && isBug(fields.err)) this.world.evidence.crashes.push({ at: time(), message: line });
  };

  private readonly log = {
    debug: () => undefined,
    info: this.write("info"),
    warn: this.write("warn"),
    error: this.write("error"),
  };

  private async start(): Promise<void> {
    const { world, log, shutdown } = this;
    const { setup } = world.evidence;
    const config = readConfig({
      DISCORD_TOKEN: discordToken,
      STORE_API_URL: "https://store.test",
      STORAGE_URL: `sqlite://${world.file}`,
      SECRET_KEYS: Buffer.alloc(32, 7).toString("base64"),
      POLL_SCHEDULE: setup.schedule,
    });
    const monitoring = {
      metrics: noMetrics,
      add: () => undefined,
      ready: () => {
        this.trouble.to = time();
      },
    };
    const wires = {
      store: world.store.dispatcher,
      discord: world.discord.makeRequest,
      gateway: world.discord.gateway,
    };
    const fail = (error: unknown) => this.uncaught(error);
    try {
      await startProcess({ config, log, shutdown, monitoring, wires, onUnprepared: fail, onRefused: fail });
    } catch (error) {
      if (!shutdown.signal.aborted) this.end(`could not start: ${error}`);
    }
  }

  /** Ends the process like an error that nobody caught. */
  uncaught(error: unknown): void {
    if (this.isDead) return;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.world.evidence.crashes.push({ at: time(), message });
    this.end(message);
  }

  /** Ends the process like SIGTERM. */
  ask(): void {
    if (this.isDead) return;
    as(this, () => void this.shutdown.run().then(() => this.end("asked to")));
  }

  /** Ends the process like SIGKILL. */
  kill(): void {
    this.end("killed");
  }

  private end(why: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.world.trace(`life ${this.number} ends: ${why.split("\n")[0]}`);
    if (this.trouble.to > time()) this.trouble.to = time();
    this.world.discord.forget(this);
    closeFilesOf(this);
    this.onEnd(this, why);
  }
}

/** Maximum number of processes besides the main one. */
const mostSpares = 2;

/** The processes of the bot on one machine: one main process, and at times one or two others. */
export class Lives {
  readonly all: Life[] = [];
  private readonly world: World;
  private isOver = false;
  private down: Trouble | undefined;
  private readonly spares = new Set<Life>();

  constructor(world: World) {
    this.world = world;
    alive = this;
  }

  /** The process that a service manager keeps running. Undefined while it is down. */
  get main(): Life | undefined {
    return this.all.findLast((life) => !life.isDead && !this.spares.has(life));
  }

  /** The oldest process besides the main one. */
  get spare(): Life | undefined {
    const [oldest] = this.spares;
    return oldest;
  }

  start(): void {
    if (this.isOver || this.main !== undefined) return;
    if (this.down !== undefined) this.down.to = time();
    this.down = undefined;
    this.begin();
  }

  private begin(): Life {
    const life = new Life(this.world, this.all.length + 1, (ended, why) => this.ended(ended, why));
    this.all.push(life);
    return life;
  }

  private ended(life: Life, why: string): void {
    if (this.spares.delete(life)) return;
    this.down = { kind: "process", how: why, from: time(), to: Number.POSITIVE_INFINITY };
    this.world.evidence.troubles.push(this.down);
    if (why !== "killed" && why !== "asked to") after(restartMs, () => this.start());
  }

  /** Starts more processes, as if by mistake or for a replacement. Each gets SIGTERM after `forMs`. */
  async startMore(count: number, forMs: number): Promise<void> {
    for (let index = 0; index < count && this.spares.size < mostSpares && this.main !== undefined; index++) {
      const spare = this.begin();
      this.spares.add(spare);
      after(forMs, () => spare.ask());
    }
  }

  killAll(): void {
    for (const life of this.all) life.kill();
  }

  over(): void {
    this.isOver = true;
    this.killAll();
  }

  isRunning(pid: number): boolean {
    return this.all.some((life) => life.pid === pid && !life.isDead);
  }
}

let alive: Lives | undefined;

/**
 * Replaces what a process sees of its machine, such as host name and process ids. Call it before importing anything
 * that reads them.
 */
export function installMachine(): void {
  const load = createRequire(import.meta.url);
  const fs = load("node:fs") as { readlinkSync: (path: string) => string };
  const readlinkSync = fs.readlinkSync.bind(fs);
  fs.readlinkSync = (path) => (path === "/proc/self/ns/pid" ? "pid:[1]" : readlinkSync(path));
  (load("node:os") as { hostname: () => string }).hostname = () => "simulation";
  const realPid = process.pid;
  Object.defineProperty(process, "pid", { get: () => (currentOwner() as Life | undefined)?.pid ?? realPid });
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (currentOwner() === undefined) return kill(pid, signal);
    if (alive?.isRunning(pid)) return true;
    throw Object.assign(new Error("no such process"), { code: "ESRCH" });
  };
  syncBuiltinESMExports();
}
