import { type ChildProcess, execFile } from "node:child_process";
import { join, resolve } from "node:path";

const tools = resolve(import.meta.dirname, "../../../src/tools");

type Name = "backup" | "restore" | "export" | "import";
/** `diskBytes`: the maximum size of a file, as on a full disk. */
interface Where {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly diskBytes?: number;
}
interface Ended {
  readonly code: number;
  readonly output: string;
}

/** As `npm run <name> -- <file>` in `directory`, with these settings only. */
export function operatorTool(
  name: Name,
  file: string,
  { directory, environment, diskBytes }: Where,
): { child: ChildProcess; ended: Promise<Ended> } {
  const { promise: ended, resolve: end } = Promise.withResolvers<Ended>();
  const program = [process.execPath, join(tools, `${name}.ts`), file];
  const limited = diskBytes === undefined ? program : ["prlimit", `--fsize=${diskBytes}`, ...program];
  const [command = "", ...args] = limited;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: directory, env: { PATH, NODE_COMPILE_CACHE, ...environment }, timeout: 60_000 };
  const child = execFile(command, args, options, (_, stdout, stderr) => {
    end({ code: child.exitCode ?? -1, output: stdout + stderr });
  });
  return { child, ended };
}

export const runOperatorTool = (name: Name, file: string, where: Where): Promise<Ended> =>
  operatorTool(name, file, where).ended;
