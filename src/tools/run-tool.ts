import { createInterface } from "node:readline";
import { isPolled, leaseTable } from "../alerts/lease.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import { configOrExit } from "../load-config.ts";
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

/** Throws a {@link ToolError} while a bot works with the storage. */
export async function assertNoBot(storage: Storage, say: Tool["say"]): Promise<void> {
  const table = storage.table(leaseTable);
  const found = isPolled(table);
  const slow = setTimeout(() => say("Looking whether a bot works with this storage (15 s at most) …"), 1_000);
  const isRunning = await found.finally(() => clearTimeout(slow));
  if (isRunning) {
    throw new ToolError("A bot works with this storage. Nothing was changed. End the bot, then do this again.");
  }
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
    process.exit(1);
  }
  const config = await configOrExit();
  const log = createLog({ level: "warn", terminal: process.stdout.isTTY });
  try {
    console.log(await work({ config, file, log, say: (line) => console.log(line) }));
  } catch (error) {
    console.error(sentenceOf(error));
    process.exitCode = 1;
  }
}
