import type { Config } from "../config.ts";
import { secretFiles } from "../guilds/secret-keys.ts";
import { looseFiles } from "../operations/file-modes.ts";
import { type Examined, fromLine, ok } from "./finding.ts";

/** Settings that work but could be better, and files with secrets that other users may open. */
export async function checkSettings(config: Config): Promise<Examined<never>> {
  const loose = await looseFiles(secretFiles(config.storageUrl));
  const warnings = [...config.warnings, ...loose].map((line) => fromLine("warn", line));
  return { results: [ok("every variable can be used"), ...warnings] };
}
