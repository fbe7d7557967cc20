import { existsSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };
import { localeOf } from "./basics/locale.ts";
import { type Config, readConfig } from "./config.ts";
import { DiscordRefusedError } from "./discord/gateway/retry-unless-refused.ts";
import { secretFiles } from "./guilds/secret-keys.ts";
import { configOrExit, loadConfig } from "./load-config.ts";
import { exit } from "./operations/exit.ts";
import { looseFiles } from "./operations/file-modes.ts";
import { createLog } from "./operations/log.ts";
import { startMonitoring } from "./operations/monitoring.ts";
import { createShutdown } from "./operations/shutdown.ts";
import { isSchedule } from "./polling/schedule.ts";
import { startProcess } from "./process.ts";
import { DataError } from "./storage/prepare-data.ts";
import { StorageError } from "./storage/table.ts";

/** Time limit of the shutdown. The whole process must end within 10 s. */
const shutdownDeadlineMs = 9_000;
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
    const locale = localeOf(Intl.DateTimeFormat().resolvedOptions().locale);
    await firstStart(".env", process.env, (environment) => readConfig(environment, isSchedule), locale);
  }
  return loadConfig();
}

const config = await configOrExit(askedConfig);
const log = createLog({ level: config.logLevel, terminal: process.stdout.isTTY });
const shutdown = createShutdown({ log, deadlineMs: shutdownDeadlineMs });

/** The exit code of the first error. A later error, also one during the shutdown, does not change it. */
let wrongCode: number | undefined;

async function end(code?: number): Promise<never> {
  wrongCode ??= code;
  const cleanCode = await shutdown.run();
  exit(wrongCode ?? cleanCode);
}

function onUnprepared(error: DataError) {
  if (wrongCode !== undefined) return;
  log.fatal({ err: error }, `Shopbell ends: ${error.message}`);
  void end(1);
}

/** Ends the process if a part of it is dead, because a new process recovers faster than any repair. */
function onSilent(part: string, silentMs: number) {
  log.fatal(
    { part, silentMs },
    "the watchdog ends the process, for a part of it is silent; nothing is lost, start it again",
  );
  void end(1);
}

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    log.info({ signal: name }, "ending");
    void end();
  });
}
// After such an error the state is unknown, so the process ends, and a new one continues from what is recorded.
// Unhandled rejections come here, too.
process.on("uncaughtException", (error) => {
  // An error that repeats during the shutdown would fill the log.
  if (wrongCode === undefined) {
    log.fatal({ err: error }, "an error that nobody caught ends the process; nothing is lost, start it again");
  }
  void end(1);
});

try {
  const monitoring = await startMonitoring({ ...config, version: manifest.version, log, shutdown, onSilent });
  const loose = await looseFiles(secretFiles(config.storageUrl));
  for (const warning of [...config.warnings, ...loose]) log.warn({}, warning);
  await startProcess({ config, log, shutdown, monitoring, onUnprepared, onRefused: () => void end(1) });
} catch (error) {
  if (!shutdown.signal.aborted) {
    const known = [DataError, DiscordRefusedError, StorageError].find((kind) => error instanceof kind);
    const reason = known && error instanceof Error ? error.message : "internal";
    // If Discord refused, the sentence says everything, so the error is not logged.
    log.error(known === DiscordRefusedError ? {} : { err: error }, `Shopbell could not start: ${reason}`);
    await end(1);
  }
}
