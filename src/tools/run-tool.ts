import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../basics/reason.ts";
import type { KeptConfig } from "../config.ts";
import { configOrExit, loadKeptConfig } from "../load-config.ts";
import { exit } from "../operations/exit.ts";
import { createLog } from "../operations/log.ts";
import { type ExclusiveAccess, excludeBots } from "../polling/exclusive-access.ts";
import { openStorage } from "../storage/open-storage.ts";
import { DataError } from "../storage/prepare-data.ts";
import { sideFileSuffixes } from "../storage/sqlite-path.ts";
import { type Storage, StorageError, type WholeStorage } from "../storage/table.ts";

const saidEvery = 50_000;

/** What one of the operator's programs works with. */
export interface Tool {
  readonly config: KeptConfig;
  /** The file that was named. */
  readonly file: string;
  /** For what libraries and the storage report. */
  readonly log: ReturnType<typeof createLog>;
  /** Prints a line. */
  say(line: string): void;
}

/** It cannot be done. The message says what happened, whether anything was changed, and what to do. */
export class ToolError extends Error {
  readonly code = "tool";

  constructor(message: string) {
    super(message);
    this.name = "ToolError";
  }
}

/** Throws a {@link ToolError} where there is no database at `path`: opening it would make an empty one. */
export function assertDatabaseExists(path: string, work: "copy" | "export"): void {
  if (existsSync(path)) return;
  throw new ToolError(`There is no database at ${path}: nothing to ${work}. Run this in the bot's directory.`);
}

/** Keeps bots from polling until it is ended. Throws a {@link ToolError} while a bot works with the storage. */
export async function excludeBotsOrThrow(storage: Storage, say: Tool["say"]): Promise<ExclusiveAccess> {
  const slow = setTimeout(() => say("Looking whether a bot works with this storage (15 s at most) …"), 1_000);
  const access = await excludeBots(storage).finally(() => clearTimeout(slow));
  if (access !== undefined) return access;
  throw new ToolError("A bot works with this storage. Nothing was changed. End the bot, then do this again.");
}

/**
 * Opens the storage, and keeps bots from polling on it while `work` lasts, which calls `assertExclusive` before each step: a bot
 * may have polled since this program was suspended. Throws a {@link ToolError}.
 */
export async function withExclusiveStorage(
  { config, log, say }: Tool,
  work: (storage: WholeStorage, assertExclusive: () => void) => Promise<void>,
): Promise<void> {
  const storage = await openStorage(config.storageUrl, log);
  let access: ExclusiveAccess | undefined;
  const assertExclusive = () => {
    if (!access?.isBroken()) return;
    throw new ToolError(
      "It is not certain any more that no bot works meanwhile (this program was suspended, or the storage is slow), so it was given up. See that no bot runs, then do this again.",
    );
  };
  try {
    access = await excludeBotsOrThrow(storage, say);
    await work(storage, assertExclusive);
  } finally {
    // A lease that cannot be released is over 15 s later.
    await access?.end({ release: true }).catch(() => undefined);
    await storage.close();
  }
}

/** Counts up, and says the count every 50,000. */
export function createCounter(say: (count: number) => void) {
  let count = 0;
  let saidAt = 0;
  return {
    count: () => count,
    add(more: number) {
      count += more;
      if (count < saidAt + saidEvery) return;
      saidAt = count;
      say(count);
    },
  };
}

/** "1,234,567": counts as people read them. */
export const counted = (count: number): string => count.toLocaleString("en");

function sentenceOf(error: unknown): string {
  if (error instanceof ToolError || error instanceof DataError) return error.message;
  const cause = error instanceof StorageError ? error.cause : error;
  const what =
    error instanceof StorageError ? `The storage could not do what was asked (${error.operation})` : "It failed";
  return `${what}: ${cause instanceof Error ? cause.message : reasonOf(cause)}`;
}

/** What is said of one of the operator's programs. */
interface Usage {
  readonly name: "backup" | "restore" | "export" | "import";
  /** What it does, in sentences. */
  readonly does: string;
  /** Whether it makes the file that is named, or reads it. */
  readonly file: "made" | "read";
}

/** What the file's name alone makes impossible; undefined where that is nothing. */
function problemWith(file: string, use: Usage["file"]): string | undefined {
  const isThere = existsSync(file);
  if (use === "read") return isThere ? undefined : `There is no file ${file}. Nothing was changed.`;
  if (isThere) return `${file} exists already, and is left as it is. Name a new file.`;
  const directory = dirname(file);
  return existsSync(directory) ? undefined : `There is no directory ${directory}. Make it, or name a file elsewhere.`;
}

/** The name of the file; ends the process where there is none, or a file that cannot be meant. */
function fileOrExit({ name, does, file: use }: Usage): string {
  const [file = "-", ...others] = process.argv.slice(2);
  if (file.startsWith("-") || others.length > 0) {
    const isAsked = file === "--help" || file === "-h";
    const usage = `Usage: npm run ${name} -- FILE\n\n${does}\nThe storage is that of STORAGE_URL, in the environment or in .env: sqlite://data/shopbell.sqlite where it is not set.`;
    if (isAsked) console.log(usage);
    else console.error(usage);
    exit(isAsked ? 0 : 1);
  }
  const problem = problemWith(file, use);
  if (problem === undefined) return file;
  console.error(problem);
  exit(1);
}

/** By convention 128 and the signal's number. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** What there is of a file that is being made goes where a signal ends the program. */
export function clearAtSignal(file: string): void {
  for (const [signal, code] of Object.entries(signalCodes)) {
    process.once(signal, () => {
      for (const suffix of ["", ...sideFileSuffixes]) rmSync(file + suffix, { force: true });
      exit(code);
    });
  }
}

/**
 * Runs one of the operator's programs: `npm run <name> -- FILE`. Prints what `work` resolves to, or, with exit code 1, why
 * it could not be done.
 */
export async function runTool(usage: Usage, work: (tool: Tool) => Promise<string>): Promise<void> {
  const file = fileOrExit(usage);
  const config = await configOrExit(loadKeptConfig);
  const log = createLog({ level: "warn", terminal: process.stdout.isTTY });
  try {
    console.log(await work({ config, file, log, say: (line) => console.log(line) }));
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}
