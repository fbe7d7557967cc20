import { dirname } from "node:path";
import { type Config, ConfigError } from "../config.ts";
import { looseFiles } from "../operations/file-modes.ts";
import { databaseFiles } from "../storage/sqlite-path.ts";
import { type Finding, ok, warn, wrong } from "./finding.ts";

/** The settings, or what is wrong with them: a line for each variable, which says itself what to do. */
export function readSettings(read: () => Config): Config | readonly Finding[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.lines.map((line) => {
      // As the start prints it: what is wrong, and what a good value is.
      const [says = line, ...rest] = line.split("; ");
      return wrong("Settings", says, rest.join("; ") || "mend it, and look again");
    });
  }
}

/** What is known better about settings that work, and files with secrets that others may open. */
export async function checkSettings(config: Config, keyFile: string): Promise<Finding[]> {
  const files = new Set([".env", dirname(keyFile), keyFile, ...databaseFiles(config.storageUrl)]);
  const loose = await looseFiles([...files]);
  return [
    ok("Settings", "every variable can be used"),
    ...[...config.warnings, ...loose].map((line) => {
      const [says = line, remedy = ""] = line.split("; ");
      return warn("Settings", says, remedy);
    }),
  ];
}
