import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { reasonOf } from "../basics/reason.ts";
import type { KeptConfig } from "../config.ts";
import { configOrExit, loadKeptConfig } from "../load-config.ts";
import { exit } from "../operations/exit.ts";
import { createLog } from "../operations/log.ts";
import { type ExclusiveAccess, excludeBots } from "../polling/exclude-bots.ts";
import { DataError } from "../storage/prepare-data.ts";
import { sideFileSuffixes } from "../storage/sqlite-path.ts";
import { type Storage, StorageError } from "../storage/table.ts";

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

/** Keeps bots from polling until it is ended. Throws a {@link ToolError} while a bot works with the storage. */
export async function keepBotsOut(storage: Storage, say: Tool["say"]): Promise<ExclusiveAccess> {
  const slow = setTimeout(() => say("Looking whether a bot works with this storage (15 s at most) …"), 1_000);
  const keptOut = await excludeBots(storage).finally(() => clearTimeout(slow));
  if (keptOut === undefined) {
    throw new ToolError("A bot works with this storage. Nothing was changed. End the bot, then do this again.");
  }
  return keptOut;
}

/** To be called before each step: a bot may poll since this program was suspended. Throws a {@link ToolError}. */
export function assertKeptOut(keptOut: ExclusiveAccess): void {
  if (!keptOut.isBroken()) return;
  throw new ToolError(
    "This took too long to see to it that no bot works meanwhile (suspended, or a slow storage), so it was given up. See that no bot runs, then do this again.",
  );
}

/** Ends it. What cannot be released ends by itself 15 s later. */
export async function letBotsIn(keptOut: ExclusiveAccess | undefined): Promise<void> {
  await keptOut?.end({ release: true }).catch(() => undefined);
}

/** "1,234,567": counts as people read them. */
export const counted = (count: number): string => count.toLocaleString("en");

/** "12.3 MB". */
export const megabytes = (bytes: number): string => `${Math.max(bytes / 1_000_000, 0.1).toFixed(1)} MB`;

/** The lines of a stream of text, one after the other. */
export const linesOf = (input: NodeJS.ReadableStream) =>
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });

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
function faultOf(file: string, use: Usage["file"]): string | undefined {
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
  const fault = faultOf(file, use);
  if (fault === undefined) return file;
  console.error(fault);
  exit(1);
}

/** By convention 128 and the signal's number. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** What there is of a file that is made goes where a signal ends the program. */
function clearAtSignal(file: string): void {
  for (const [signal, code] of Object.entries(signalCodes)) {
    process.once(signal, () => {
      for (const end of ["", ...sideFileSuffixes]) rmSync(`${file}.part${end}`, { force: true });
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
  if (usage.file === "made") clearAtSignal(file);
  const log = createLog({ level: "warn", terminal: process.stdout.isTTY });
  try {
    console.log(await work({ config, file, log, say: (line) => console.log(line) }));
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}
