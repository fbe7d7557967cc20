import { createInterface } from "node:readline";
import { holdLease, type Lease, leaseTable } from "../alerts/lease.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import { configOrExit, loadConfig } from "../load-config.ts";
import { exit } from "../operations/exit.ts";
import { createLog } from "../operations/log.ts";
import { DataError } from "../storage/prepare-data.ts";
import { type Storage, StorageError } from "../storage/table.ts";

/** What one of the operator's programs works with. */
export interface Tool {
  readonly config: Config;
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

/** Holds the lease, so that no bot polls until it is ended. Throws a {@link ToolError} while a bot works with the storage. */
export async function keepBotsOut(storage: Storage, say: Tool["say"]): Promise<Lease> {
  const slow = setTimeout(() => say("Looking whether a bot works with this storage (15 s at most) …"), 1_000);
  const lease = await holdLease(storage.table(leaseTable)).finally(() => clearTimeout(slow));
  if (lease === undefined) {
    throw new ToolError("A bot works with this storage. Nothing was changed. End the bot, then do this again.");
  }
  return lease;
}

/** To be called before each step: a bot may have taken the lease of a program that was suspended. Throws a {@link ToolError}. */
export function assertKeptOut(lease: Lease): void {
  // Its first term: in between two of them, a bot may have worked.
  if (lease.term() === 1) return;
  throw new ToolError(
    "This took too long to see to it that no bot works meanwhile (suspended, or a slow storage), so it was given up. See that no bot runs, then do this again.",
  );
}

/** Ends it. What cannot be released ends by itself 15 s later. */
export async function letBotsIn(lease: Lease | undefined): Promise<void> {
  await lease?.end({ release: true }).catch(() => undefined);
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

/**
 * Runs one of the operator's programs: `npm run <name> -- FILE`. Prints what `work` resolves to, or, with exit code 1, why
 * it could not be done.
 */
export async function runTool(name: string, work: (tool: Tool) => Promise<string>): Promise<void> {
  const [file, ...others] = process.argv.slice(2);
  if (file === undefined || others.length > 0) {
    console.error(`Name one file: npm run ${name} -- FILE`);
    exit(1);
  }
  const config = await configOrExit(loadConfig);
  const log = createLog({ level: "warn", terminal: process.stdout.isTTY });
  try {
    console.log(await work({ config, file, log, say: (line) => console.log(line) }));
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}
