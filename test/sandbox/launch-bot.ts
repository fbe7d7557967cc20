import { spawn } from "node:child_process";
import type { PretendDiscord } from "./discord/discord.ts";

export interface Launch {
  readonly command: readonly [program: string, ...args: string[]];
  readonly directory: string;
  /** In addition to the caller's `PATH`. A variable with the value `undefined` is not set. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type Bot = ReturnType<typeof launchBot>;

/** Even on a slow machine, only a hanging process needs more time after a signal. */
const endDeadlineMs = 60_000;

/** Throws if there is no such program. */
export function launchBot({ command: [program, ...args], directory, environment }: Launch) {
  const child = spawn(program, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { pid, stdout, stderr } = child;
  if (pid === undefined) {
    child.once("error", () => undefined);
    throw new Error(`${program} cannot be started in ${directory}`);
  }
  const streams = [stdout, stderr];
  let printed = "";
  for (const stream of streams) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const output = () => printed;
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return {
    pid,
    /** Everything printed so far. */
    output,
    /** The exit code; null after a signal. */
    exited,
    /** The first printed line that contains `text`. Rejects after `deadlineMs`. */
    printed(text: string, deadlineMs = 60_000): Promise<string> {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      let from = 0;
      const look = () => {
        const end = printed.lastIndexOf("\n") + 1;
        const lines = printed.slice(from, end).split("\n");
        from = end;
        const line = lines.find((candidate) => candidate.includes(text));
        if (line !== undefined) resolve(line);
      };
      const late = () => reject(new Error(`the bot did not print ${text} within ${deadlineMs} ms:\n${output()}`));
      const timer = setTimeout(late, deadlineMs);
      for (const stream of streams) stream.on("data", look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        for (const stream of streams) stream.off("data", look);
      });
    },
    /** For signals that do not end the process, such as SIGSTOP and SIGCONT. */
    signal(name: NodeJS.Signals): void {
      child.kill(name);
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await exited;
    },
    /**
     * Sends `signal`, and SIGKILL if the process still runs a minute later. Resolves to the exit code (null after SIGKILL),
     * and the time that the end took.
     */
    async stop(signal: NodeJS.Signals = "SIGTERM") {
      const from = performance.now();
      child.kill(signal);
      const late = setTimeout(() => child.kill("SIGKILL"), endDeadlineMs);
      const code = await exited;
      clearTimeout(late);
      return { code, ms: performance.now() - from };
    },
  };
}

/**
 * Resolves when the bot begins or resumes a session. Rejects if `bot` ends before that, or after a minute.
 * Call it directly after the launch, because a session that began before the call does not count.
 */
export async function connected(bot: Bot, discord: PretendDiscord): Promise<void> {
  let identified = false;
  const stopListening = discord.on("gateway", ({ what }) => {
    identified ||= what === "identified" || what === "resumed";
  });
  const died = bot.exited.then((code) => {
    throw new Error(`the bot ended with ${code} before it was connected:\n${bot.output()}`);
  });
  const arrived = discord.waitFor(() => identified, "the bot connected to the gateway");
  await Promise.race([arrived, died]).finally(stopListening);
}
