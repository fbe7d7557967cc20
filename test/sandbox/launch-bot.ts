import { spawn } from "node:child_process";
import { once } from "node:events";
import { startArguments } from "./start-command.ts";

/** The contract gives the bot 10 s to end after SIGTERM. */
const endDeadlineMs = 12_000;

/** The bot as `npm start` runs it, in a process of its own. */
export interface RunningBot {
  readonly pid: number | undefined;
  /** Everything that it printed so far. */
  output(): string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and SIGKILL after 12 s; resolves when the process is gone. */
  stop(): Promise<void>;
  /** Resolves to the exit code, or null after a signal, when the process ends. */
  readonly exited: Promise<number | null>;
}

/** Starts the bot's own entry point in `directory` with this environment and nothing else of the caller's but `PATH`. */
export function launchBot(directory: string, environment: Readonly<Record<string, string>>): RunningBot {
  const child = spawn(process.execPath, startArguments, {
    cwd: directory,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return {
    pid: child.pid,
    output: () => Buffer.concat(chunks).toString(),
    exited,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), endDeadlineMs);
      await exited;
      clearTimeout(late);
    },
  };
}
