import { existsSync } from "node:fs";
import type { Config } from "./config.ts";
import { DiscordRefusedError } from "./discord/gateway/retry-unless-refused.ts";
import { secretFiles } from "./guilds/secret-keys.ts";
import { configOrExit, loadConfig } from "./load-config.ts";
import { looseFiles } from "./operations/file-modes.ts";
import { createLog } from "./operations/log.ts";
import { startMonitoring } from "./operations/monitoring.ts";
import { createShutdown, endAtSignals } from "./operations/shutdown.ts";
import { startProcess } from "./process.ts";
import { DataError } from "./storage/data-version.ts";
import { StorageError } from "./storage/table.ts";

/**
 * Whether a person starts the bot for the first time. Then the bot asks for the settings. A service instead gets one
 * line for each missing setting.
 */
const isFirstStart = () =>
  process.stdin.isTTY && process.stdout.isTTY && !existsSync(".env") && !process.env.DISCORD_TOKEN?.trim();

/** The settings, after the questions of a first start. */
async function askedConfig(): Promise<Config> {
  if (isFirstStart()) {
    const { firstStart } = await import("./first-start/first-start.ts");
    await firstStart();
  }
  return loadConfig();
}

const config = await configOrExit(askedConfig);
const log = createLog(config.logLevel);
const shutdown = createShutdown(log);
const { end, fail } = endAtSignals(log, shutdown);

try {
  const monitoring = await startMonitoring({
    ...config,
    log,
    shutdown,
    // A new process recovers faster than any repair.
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
    onRefused: () => void end(1),
  });
} catch (error) {
  if (!shutdown.signal.aborted) {
    const known = [DataError, DiscordRefusedError, StorageError].find((kind) => error instanceof kind);
    const reason = known && error instanceof Error ? error.message : "internal";
    // Discord's refusal is fully explained by the sentence, so the error is not logged.
    log.error(known === DiscordRefusedError ? {} : { err: error }, `Shopbell could not start: ${reason}`);
    await end(1);
  }
}
