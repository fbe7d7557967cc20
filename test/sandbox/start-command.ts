import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");

/** What `npm start` gives to Node, for a process in another directory. */
export const startArguments: readonly string[] = manifest.scripts.start
  .split(" ")
  .slice(1)
  .map((argument) => (argument.startsWith("src/") ? join(root, argument) : argument));
