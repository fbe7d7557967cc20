import { execFile } from "node:child_process";
import { join, resolve } from "node:path";

const tools = resolve(import.meta.dirname, "../../src/tools");

/** Settings that are whole, for what asks neither Discord nor a store. */
export const someSettings = { DISCORD_TOKEN: "not-used", STORE_API_URL: "https://store.example.com" };

/**
 * Runs one of the operator's programs in `directory`, as `npm run <name> -- <file>` does. `diskBytes`: no file may grow
 * beyond, as on a disk that is full.
 */
export function runOperatorTool(
  name: "backup" | "restore" | "export" | "import",
  file: string,
  where: { directory: string; environment: Readonly<Record<string, string>>; diskBytes?: number },
): Promise<{ code: number; output: string }> {
  const { promise, resolve: ended } = Promise.withResolvers<{ code: number; output: string }>();
  const { directory, environment, diskBytes } = where;
  const program = [process.execPath, join(tools, `${name}.ts`), file];
  const limited = diskBytes === undefined ? program : ["prlimit", `--fsize=${diskBytes}`, ...program];
  const [command = "", ...args] = limited;
  const options = { cwd: directory, env: { PATH: process.env.PATH, ...environment }, timeout: 60_000 };
  const child = execFile(command, args, options, (_, stdout, stderr) => {
    ended({ code: child.exitCode ?? -1, output: stdout + stderr });
  });
  return promise;
}
