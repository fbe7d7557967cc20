import { existsSync } from "node:fs";
import { reasonOf } from "../basics/reason.ts";
import { readKeptConfig } from "../config.ts";
import { configOrExit, loadConfig } from "../load-config.ts";
import { createLog } from "../operations/log.ts";
import { type BotLockout, lockOutBots } from "../polling/lock-out-bots.ts";
import { openStorage } from "../storage/open-storage.ts";
import { DataError } from "../storage/prepare-data.ts";
import { type Storage, StorageError, type WholeStorage } from "../storage/table.ts";
import { assertUsable, fileOrExit, type Usage } from "./file-argument.ts";
import { ToolError } from "./tool-error.ts";

export interface Tool {
  readonly config: ReturnType<typeof readKeptConfig>;
  readonly file: string;
  readonly log: ReturnType<typeof createLog>;
}

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
