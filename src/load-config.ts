import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { isSchedule } from "./alerts/schedule.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";

/** The settings of this process: its environment, then `.env` in the working directory. Throws {@link ConfigError}. */
export function loadConfig(): Config {
  try {
    if (existsSync(".env")) loadEnvFile(".env");
  } catch (error) {
    throw new ConfigError([`.env cannot be read: ${String(error)}`]);
  }
  return readConfig(process.env, isSchedule);
}

/** As `load` gives it; where it throws, its lines (one for each bad variable) are printed and the process ends with code 1. */
export async function configOrExit(load: () => Config | Promise<Config> = loadConfig): Promise<Config> {
  try {
    return await load();
  } catch (error) {
    const lines = error instanceof ConfigError ? error.lines : [`the settings cannot be read: ${String(error)}`];
    for (const line of lines) console.error(line);
    process.exit(1);
  }
}
