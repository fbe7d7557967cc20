import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { reasonOf } from "../basics/reason.ts";
import { nameFile } from "../basics/sync-file.ts";
import { readKeptConfig } from "../config.ts";
import { configOrExit, loadConfig } from "../load-config.ts";
import { exit } from "../operations/exit.ts";
import { createLog } from "../operations/log.ts";
import { type BotLockout, lockOutBots } from "../polling/lock-out-bots.ts";
import { openStorage } from "../storage/open-storage.ts";
import { DataError } from "../storage/prepare-data.ts";
import { sideFileSuffixes } from "../storage/sqlite-path.ts";
import { type Storage, StorageError, type WholeStorage } from "../storage/table.ts";

export interface Tool {
  readonly config: ReturnType<typeof readKeptConfig>;
  readonly file: string;
  readonly log: ReturnType<typeof createLog>;
}

interface Usage {
  readonly name: "backup" | "restore" | "export" | "import";
  readonly does: string;
  readonly file: "made" | "read";
}

/** `message` says what happened and what to do. */
export class ToolError extends Error {}

/** Opening a missing database would create an empty one. */
export function assertDatabaseExists(path: string): void {
  if (!existsSync(path)) throw new ToolError(`There is no database at ${path}. Run this in the bot's directory.`);
}

/** Throws a {@link ToolError} if a bot works with the storage. */
export async function lockOutBotsOrThrow(storage: Storage): Promise<BotLockout> {
  const slow = setTimeout(() => console.log("Looking whether a bot works with this storage (15 s at most) …"), 1_000);
  const lockout = await lockOutBots(storage).finally(() => clearTimeout(slow));
  if (lockout !== undefined) return lockout;
  throw new ToolError("A bot works with this storage. Nothing was changed. End the bot, then do this again.");
}

/**
 * Keeps bots from polling while `work` runs. `work` must call `assertExclusive` before each step, because a bot may have polled
 * while this program was suspended. Throws a {@link ToolError} if a bot works with the storage.
 */
export async function withExclusiveStorage(
  { config, log }: Tool,
  work: (storage: WholeStorage, assertExclusive: () => void) => Promise<void>,
): Promise<void> {
  const storage = await openStorage(config.storageUrl, log);
  let lockout: BotLockout | undefined;
  const assertExclusive = () => {
    if (!lockout?.isBroken()) return;
    throw new ToolError(
      "It is not certain any more that no bot works meanwhile (this program was suspended, or the storage is slow), so it was given up. See that no bot runs, then do this again.",
    );
  };
  try {
    lockout = await lockOutBotsOrThrow(storage);
    await work(storage, assertExclusive);
  } finally {
    // If the lease cannot be released, it ends by itself 15 s later.
    await lockout?.end().catch(() => undefined);
    await storage.close();
  }
}

export const counted = (count: number): string => count.toLocaleString("en");

/** Prints a line every 50,000 entries. */
export function sayProgress(done: number, before: number, all = ""): void {
  if (Math.floor(done / 50_000) > Math.floor(before / 50_000)) console.log(`${counted(done)}${all} entries …`);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : reasonOf(error));

function sentenceOf(error: unknown): string {
  if (error instanceof ToolError || error instanceof DataError) return error.message;
  if (!(error instanceof StorageError)) return `It failed: ${messageOf(error)}`;
  return `The storage could not do what was asked (${error.operation}): ${messageOf(error.cause)}`;
}

function fileOrExit({ name, does }: Usage): string {
  const [file, ...others] = process.argv.slice(2);
  if (file && !file.startsWith("-") && others.length === 0) return file;
  const isAsked = file === "--help" || file === "-h";
  const usage = `Usage: npm run ${name} -- FILE\n\n${does}\nThe storage is that of STORAGE_URL, in the environment or in .env: sqlite://data/shopbell.sqlite where it is not set.`;
  (isAsked ? console.log : console.error)(usage);
  exit(isAsked ? 0 : 1);
}

function assertUsable(file: string, use: Usage["file"]): void {
  const isThere = existsSync(file);
  if (use === "read" && !isThere) throw new ToolError(`There is no file ${file}. Nothing was changed.`);
  if (use === "made" && isThere) throw new ToolError(`${file} exists already, and is left as it is. Name a new file.`);
  const directory = dirname(file);
  if (existsSync(directory)) return;
  throw new ToolError(`There is no directory ${directory}. Make it, or name a file elsewhere.`);
}

/** Exit codes. By convention, they are 128 plus the number of the signal. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function clearAtSignal(file: string): void {
  for (const [signal, code] of Object.entries(signalCodes)) {
    process.once(signal, () => {
      for (const suffix of ["", ...sideFileSuffixes]) rmSync(file + suffix, { force: true });
      exit(code);
    });
  }
}

/** Makes the new file `file`. `write` writes the whole file to another name. After a failure, no file is left. */
export async function makeFile(file: string, write: (part: string) => Promise<void>): Promise<void> {
  // Another run of the program may be making the same file.
  const part = `${file}.${randomUUID()}.part`;
  clearAtSignal(part);
  try {
    await write(part);
    await nameFile(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** Runs `npm run <name> -- FILE`. Prints the text that `work` returns. After a failure, prints the reason and exits with 1. */
export async function runTool(usage: Usage, work: (tool: Tool) => Promise<string>): Promise<void> {
  const file = fileOrExit(usage);
  try {
    assertUsable(file, usage.file);
    const config = await configOrExit(() => loadConfig(readKeptConfig));
    console.log(await work({ config, file, log: createLog("warn") }));
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}
