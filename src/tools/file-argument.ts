import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { nameFile } from "../basics/sync-file.ts";
import { exit } from "../operations/exit.ts";
import { sideFiles } from "../storage/sqlite-path.ts";
import { ToolError } from "./tool-error.ts";

export interface Usage {
  readonly name: "backup" | "restore" | "export" | "import";
  readonly does: string;
  readonly file: "new" | "read";
}

/** Prints the usage and ends the process if the program has no argument, more than one, or --help. */
export function fileOrExit({ name, does }: Usage): string {
  const [file, ...others] = process.argv.slice(2);
  if (file && !file.startsWith("-") && others.length === 0) return file;
  const isAsked = file === "--help" || file === "-h";
  const usage = `Usage: npm run ${name} -- FILE\n\n${does}\nThe storage is that of STORAGE_URL, in the environment or in .env: sqlite://data/shopbell.sqlite where it is not set.`;
  (isAsked ? console.log : console.error)(usage);
  exit(isAsked ? 0 : 1);
}

/** Throws a {@link ToolError} if a file to read is missing, a new file exists already, or its directory is missing. */
export function assertUsable(file: string, use: Usage["file"]): void {
  const isThere = existsSync(file);
  if (use === "read" && !isThere) throw new ToolError(`There is no file ${file}. Nothing was changed.`);
  if (use === "new" && isThere) throw new ToolError(`${file} exists already, and is left as it is. Name a new file.`);
  const directory = dirname(file);
  if (existsSync(directory)) return;
  throw new ToolError(`There is no directory ${directory}. Make it, or name a file elsewhere.`);
}

/** Exit codes. By convention, they are 128 plus the number of the signal. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export function clearAtSignal(file: string): void {
  for (const [signal, code] of Object.entries(signalCodes)) {
    process.once(signal, () => {
      for (const one of [file, ...sideFiles(file)]) rmSync(one, { force: true });
      exit(code);
    });
  }
}

/** Makes the new file `file`. `write` writes the whole file to another name. After a failure, no file is left. */
export async function makeFile(file: string, write: (part: string) => Promise<void>): Promise<void> {
  // Another run of the program may be making the same file.
  const part = `${file}.${randomUUID()}.part`;
  clearAtSignal(part);
  try {
    await write(part);
    await nameFile(part, file);
  } finally {
    await rm(part, { force: true });
  }
}
