import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import {
  type Config,
  ConfigError,
  type KeptConfig,
  type ProxyConfig,
  readConfig,
  readKeptConfig,
  readProxyConfig,
} from "./config.ts";
import { exit } from "./operations/exit.ts";
import { isSchedule } from "./polling/schedule.ts";

/** The environment of the process, then `.env` in the working directory. */
function environment(): NodeJS.ProcessEnv {
  try {
    if (existsSync(".env")) loadEnvFile(".env");
  } catch (error) {
    throw new ConfigError([`.env cannot be read: ${String(error)}`]);
  }
  return process.env;
}

const noFile =
  "There is no .env here: copy .env.example to .env and fill it in, or run npm start on a terminal, which asks for both";

/** Reads the environment. Where nothing is set yet, the {@link ConfigError} also says how `.env` is made. */
function load<T>(read: (environment: NodeJS.ProcessEnv) => T): T {
  try {
    return read(environment());
  } catch (error) {
    const isUnset =
      error instanceof ConfigError && error.lines.some((line) => line.startsWith("DISCORD_TOKEN is missing"));
    if (!isUnset || existsSync(".env")) throw error;
    // A line is about a variable: programs read them.
    throw new ConfigError([...error.lines.slice(0, -1), `${error.lines.at(-1)}. ${noFile}`]);
  }
}

/** The settings of this process: its environment, then `.env` in the working directory. Throws {@link ConfigError}. */
export const loadConfig = (): Config => load((environment) => readConfig(environment, isSchedule));

/** The same for `npm run proxy`, which needs a few of them only. */
export const loadProxyConfig = (): ProxyConfig => load(readProxyConfig);

/** The same for programs that need nothing but what is kept, and its keys. */
export const loadKeptConfig = (): KeptConfig => load(readKeptConfig);

/** As `load` gives it; where it throws, its lines (one for each bad variable) are printed and the process ends with code 1. */
export async function configOrExit<T>(load: () => T | Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const lines = error instanceof ConfigError ? error.lines : [`the settings cannot be read: ${String(error)}`];
    for (const line of lines) console.error(line);
    exit(1);
  }
}
