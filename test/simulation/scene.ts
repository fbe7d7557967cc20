import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CopyStamp, newCopyStamp } from "../../src/storage/data-record.ts";
import { Lives, type World } from "./lives.ts";
import type { Setup } from "./setup.ts";
import { time } from "./virtual-time.ts";
import { SimulatedDiscord } from "./world/discord.ts";
import { DiskFaults } from "./world/disk.ts";
import { People } from "./world/people.ts";
import { clockOf, type Evidence } from "./world/record.ts";
import { useDisk } from "./world/storage.ts";
import { SimulatedStore } from "./world/store.ts";

/** The parts of a running history that its events change. */
export interface Scene extends World {
  readonly lives: Lives;
  readonly people: People;
  readonly disk: DiskFaults;
  readonly copies: { readonly at: number; readonly file: string }[];
}

function newEvidence(setup: Setup): Evidence {
  return {
    setup,
    orders: new Map(),
    messages: [],
    direct: [],
    actions: [],
    troubles: [],
    discordRequests: [],
    storeRequests: [],
    storeAtOnce: 0,
    crashes: [],
    logged: [],
    refusals: [],
    asked: [],
    kept: [],
    starts: [],
    calmFrom: Number.POSITIVE_INFINITY,
    endsAt: 0,
  };
}

/** Creates the world of a history. The database is in `directory`. `write` gets every line of the trace. */
export function createScene(seed: number, setup: Setup, directory: string, write: (line: string) => void): Scene {
  const evidence = newEvidence(setup);
  const trace = (line: string) => write(`${clockOf(time())} ${line}`);
  const disk = new DiskFaults(seed, trace);
  useDisk(disk);
  const discord = new SimulatedDiscord(seed, setup, evidence, trace);
  const store = new SimulatedStore(seed, setup, evidence, trace);
  const world = { seed, file: join(directory, "shopbell.sqlite"), evidence, store, discord, trace };
  const lives = new Lives(world);
  disk.isShared = () => lives.spare !== undefined;
  return { ...world, disk, lives, people: new People(discord, evidence), copies: [] };
}

/** Notes which tables have rows of the server, besides its record. */
export function lookAtStorage({ file, discord, evidence }: Scene): void {
  const database = new DatabaseSync(file);
  const { id } = discord.guild;
  const ofServer =
    "SELECT DISTINCT namespace FROM shopbell WHERE namespace <> 'guilds' AND instr(namespace || ' ' || key, ?) > 0";
  const tables = database
    .prepare(ofServer)
    .all(id)
    .map(({ namespace }) => String(namespace));
  database.close();
  evidence.kept.push({ at: time(), tables });
}

function markAsCopy(file: string): void {
  const database = new DatabaseSync(file);
  const row = database.prepare("SELECT value FROM shopbell WHERE namespace = 'copy'").get();
  const before = row === undefined ? undefined : (JSON.parse(String(row.value)) as { value: CopyStamp }).value;
  const value = JSON.stringify({ value: newCopyStamp(before, Date.now()), v: 1 });
  const write = "INSERT OR REPLACE INTO shopbell (key, value, namespace, expires) VALUES ('storage', ?, 'copy', NULL)";
  database.prepare(write).run(value);
  database.close();
}

/** Copies the database like `npm run backup`. */
export function copyKept({ file, copies }: Scene): void {
  const copy = `${file}.copy-${copies.length}`;
  const database = new DatabaseSync(file);
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
  markAsCopy(copy);
  copies.push({ at: time(), file: copy });
}

/** Puts a copy of the database back. No process may run. */
export function putBack({ file }: Scene, copy: string): void {
  for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
  copyFileSync(copy, file);
}
