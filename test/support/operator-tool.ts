import { execFile } from "node:child_process";
import { join, resolve } from "node:path";

const tools = resolve(import.meta.dirname, "../../src/tools");

/** Settings that are whole, for what asks neither Discord nor a store. */
export const someSettings = { DISCORD_TOKEN: "not-used", STORE_API_URL: "https://store.example.com" };

/** Runs one of the operator's programs in `directory`, as `npm run <name> -- <file>` does. */
export function runOperatorTool(
  name: "backup" | "restore" | "export" | "import",
  file: string,
  { directory, environment }: { directory: string; environment: Readonly<Record<string, string>> },
): Promise<{ code: number; output: string }> {
  const { promise, resolve: ended } = Promise.withResolvers<{ code: number; output: string }>();
  const options = { cwd: directory, env: { PATH: process.env.PATH, ...environment }, timeout: 60_000 };
  const child = execFile(process.execPath, [join(tools, `${name}.ts`), file], options, (_, stdout, stderr) => {
    ended({ code: child.exitCode ?? -1, output: stdout + stderr });
  });
  return promise;
}
