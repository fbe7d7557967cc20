import { existsSync } from "node:fs";
import { dirname } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { localeOf } from "./basics/locale.ts";
import { type Config, readConfig } from "./config.ts";
import { DiscordRefusedError } from "./discord/gateway/retry-unless-refused.ts";
import { secretKeyFile } from "./guilds/secret-keys.ts";
import { configOrExit, loadConfig } from "./load-config.ts";
import { exit } from "./operations/exit.ts";
import { looseFiles } from "./operations/file-modes.ts";
import { createLog } from "./operations/log.ts";
import { startMonitoring } from "./operations/monitoring.ts";
import { createShutdown } from "./operations/shutdown.ts";
import { isSchedule } from "./polling/schedule.ts";
import { startProcess } from "./process.ts";
import { DataError } from "./storage/prepare-data.ts";
import { databaseFiles } from "./storage/sqlite-path.ts";
import { StorageError } from "./storage/table.ts";

/** The contract gives the whole process 10 s to end. */
const shutdownDeadlineMs = 9_000;
/** A person who starts the bot for the first time is asked for the settings; a service gets a line for each that is missing. */
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

/** The first error decides the exit code, however the end began. */
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

/** A part of the process is dead: a new one is quicker than finding out what it is. */
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
// The state that it left behind is unknown, so a new process goes on from what is recorded. Node raises it for unhandled
// rejections, too.
process.on("uncaughtException", (error) => {
  // One that comes again and again while the process ends would fill the log.
  if (wrongCode === undefined) {
    log.fatal({ err: error }, "an error that nobody caught ends the process; nothing is lost, start it again");
  }
  void end(1);
});

try {
  const monitoring = await startMonitoring({ ...config, version: manifest.version, log, shutdown, onSilent });
  const keptFiles = new Set([".env", dirname(secretKeyFile), secretKeyFile, ...databaseFiles(config.storageUrl)]);
  for (const warning of [...config.warnings, ...(await looseFiles([...keptFiles]))]) log.warn({}, warning);
  await startProcess({ config, log, shutdown, monitoring, onUnprepared, onRefused: () => void end(1) });
} catch (error) {
  if (!shutdown.signal.aborted) {
    const known = [DataError, DiscordRefusedError, StorageError].find((kind) => error instanceof kind);
    const reason = known && error instanceof Error ? error.message : "internal";
    // What Discord refused is all in the sentence.
    log.error(known === DiscordRefusedError ? {} : { err: error }, `Shopbell could not start: ${reason}`);
    await end(1);
  }
}
