import { existsSync } from "node:fs";
import { printable } from "./basics/printable.ts";
import { type Config, readConfig } from "./config.ts";
import { DiscordRefusedError } from "./discord/gateway/retry-unless-refused.ts";
import { SecretKeyError, secretFiles } from "./guilds/secret-keys.ts";
import { configOrExit, loadConfig } from "./load-config.ts";
import { looseFiles } from "./operations/file-modes.ts";
import { createLog } from "./operations/log.ts";
import { startMonitoring } from "./operations/monitoring.ts";
import { createShutdown, endAtSignals } from "./operations/shutdown.ts";
import { startProcess } from "./process.ts";
import { DataError } from "./storage/prepare-data.ts";
import { storagePlace, storageReason, storageRemedy } from "./storage/storage-reason.ts";
import { StorageError } from "./storage/table.ts";

const isFirstStart = () =>
  process.stdin.isTTY && process.stdout.isTTY && !existsSync(".env") && !process.env.DISCORD_TOKEN?.trim();

async function askedConfig(): Promise<Config> {
  if (isFirstStart()) {
    const { firstStart } = await import("./first-start/first-start.ts");
    await firstStart();
  }
  return loadConfig(readConfig);
}

const config = await configOrExit(askedConfig);

function startProblem(error: unknown): string {
  if (error instanceof StorageError) {
    const place = `${storagePlace(config.storageUrl)} failed (${printable(storageReason(error), 200)})`;
    return `the storage at ${place}; ${storageRemedy(error)}; npm run doctor says what else is wrong there`;
  }
  const isExplained =
    error instanceof DataError || error instanceof DiscordRefusedError || error instanceof SecretKeyError;
  return isExplained ? error.message : "internal";
}

const log = createLog(config.logLevel);
const shutdown = createShutdown(log);
const { end, fail } = endAtSignals(log, shutdown);

try {
  const monitoring = await startMonitoring({
    ...config,
    log,
    shutdown,
    // A new process works sooner than this one could be repaired.
    onSilent: (part, silentMs) =>
      fail(
        { part, silentMs },
        "the watchdog ends the process, because a part of it is silent; nothing is lost, start it again",
      ),
  });
  const loose = await looseFiles(secretFiles(config.storageUrl));
  for (const warning of [...config.warnings, ...loose]) log.warn({}, warning);
  await startProcess({
    config,
    log,
    shutdown,
    monitoring,
    onUnprepared: (error) => fail({ err: error }, `Shopbell ends: ${error.message}`),
    onRefused: (error) => fail({}, error.message),
  });
} catch (error) {
  if (!shutdown.signal.aborted) {
    // `message` explains Discord's refusal fully.
    const fields = error instanceof DiscordRefusedError ? {} : { err: error };
    log.error(fields, `Shopbell could not start: ${startProblem(error)}`);
    await end(1);
  }
}
