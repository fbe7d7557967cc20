import { join, resolve } from "node:path";
import manifest from "../../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../../..");

const args: readonly string[] = manifest.scripts.start
  .split(" ")
  .slice(1)
  .map((argument) => (argument.startsWith("src/") ? join(root, argument) : argument));

/** Node and its arguments, as in `npm start`, for a process in another directory. */
export const startCommand = [process.execPath, ...args] as const;
