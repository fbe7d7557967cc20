import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { reasonOf } from "./basics/reason.ts";
import { ConfigError } from "./config.ts";
import { exit } from "./operations/exit.ts";

const noFile =
  "There is no .env here: copy .env.example to .env and fill it in, or run npm start on a terminal, which asks for both";

/** The environment has precedence over `.env`. Editors on Windows may save the file with a byte order mark, or in UTF-16. */
export function addTo(environment: NodeJS.ProcessEnv, file: Uint8Array): void {
  const isBigEndian = file[0] === 0xfe && file[1] === 0xff;
  const encoding = isBigEndian ? "utf-16be" : file.includes(0) ? "utf-16le" : "utf-8";
  for (const [name, value] of Object.entries(parseEnv(new TextDecoder(encoding).decode(file)))) {
    if (!environment[name]?.trim()) environment[name] = value;
  }
}

/**
 * `read` is a function of config.ts. Settings that the environment lacks come from `.env` in the working directory. Throws
 * {@link ConfigError}.
 */
export function loadConfig<T>(read: (environment: NodeJS.ProcessEnv) => T): T {
  const hasFile = existsSync(".env");
  try {
    if (hasFile) addTo(process.env, readFileSync(".env"));
  } catch (error) {
    throw new ConfigError([
      `.env cannot be read (${reasonOf(error)}); it is a text file that the user of the bot may read`,
    ]);
  }
  try {
    return read(process.env);
  } catch (error) {
    const isUnset = error instanceof ConfigError && error.message.startsWith("DISCORD_TOKEN is missing");
    if (!isUnset || hasFile) throw error;
    // There is one line for each variable, because the doctor reports each line separately.
    throw new ConfigError(`${error.message}. ${noFile}`.split("\n"));
  }
}

/** If `load` throws, prints the error (one line for each bad variable) and ends the process with code 1. */
export async function configOrExit<T>(load: () => T | Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : `the settings cannot be read: ${String(error)}`);
    exit(1);
  }
}
