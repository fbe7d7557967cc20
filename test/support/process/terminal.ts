import { spawn } from "node:child_process";
import { once } from "node:events";

/** ECMA-48's control sequences (parameters, then a letter for the function), and the texts between them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const controlOrText = /\u001b\[([\d;?]*)([A-Za-z])|[^\u001b\r\n]+|./gs;

/** The lines on the screen after the output of a program that moves the cursor, without colours. */
function screenOf(output: string): string {
  const lines: string[] = [""];
  let row = 0;
  let column = 0;
  const put = (text: string) => {
    const line = (lines[row] ?? "").padEnd(column);
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length);
    column += text.length;
  };
  const moves: Record<string, (count: number) => void> = {
    A: (count) => {
      row = Math.max(row - count, 0);
    },
    B: (count) => {
      row += count;
    },
    C: (count) => {
      column += count;
    },
    D: (count) => {
      column = Math.max(column - count, 0);
    },
    G: (count) => {
      column = count - 1;
    },
  };
  for (const [part, parameters = "", letter = ""] of output.matchAll(controlOrText)) {
    const count = Number(parameters || 1);
    if (letter === "J") {
      lines.length = row + 1;
      lines[row] = (lines[row] ?? "").slice(0, column);
    } else if (letter === "K") lines[row] = parameters === "2" ? "" : (lines[row] ?? "").slice(0, column);
    else if (letter !== "") moves[letter]?.(count);
    else if (part === "\r") column = 0;
    else if (part === "\n") row += 1;
    else put(part);
  }
  return Array.from(lines, (line = "") => line.trimEnd()).join("\n");
}

export interface Terminal extends AsyncDisposable {
  output(): string;
  screen(): string;
  /** Resolves when `text` is on the screen `times` times (a repeated question). Rejects after a minute. */
  shows(text: string, times?: number): Promise<void>;
  type(keys: string): void;
  readonly exited: Promise<number | null>;
}

const deadlineMs = 60_000;

export const keys = { enter: "\r", down: "\u001b[B", delete: "\u007f", ctrlC: "\u0003" } as const;

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Uses util-linux's `script`. The environment has only these variables and `PATH`. With 0 columns, the terminal does not say
 * its size.
 */
export function openTerminal(
  command: readonly string[],
  {
    cwd,
    env,
    columns = 100,
  }: { cwd: string; env: Readonly<Record<string, string | undefined>>; columns?: number | undefined },
): Terminal {
  const line = `stty cols ${columns} rows ${columns > 0 ? 50 : 0}; exec ${command.map(quoted).join(" ")}`;
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", line, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, TERM: "xterm", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString();
  const exited = once(child, "close").then(([code]) => code as number | null);
  return {
    output,
    screen: () => screenOf(output()),
    exited,
    type: (typed) => void child.stdin.write(typed),
    shows(text, times = 1) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = () => {
        if (screenOf(output()).split(text).length > times) resolve();
      };
      const late = () => reject(new Error(`the terminal did not show ${text} (${times}):\n${screenOf(output())}`));
      const timer = setTimeout(late, deadlineMs);
      child.stdout.on("data", look);
      exited.then(() => {
        look();
        late();
      });
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        child.stdout.off("data", look);
      });
    },
    async [Symbol.asyncDispose]() {
      // This also ends the terminal, so the program gets SIGHUP.
      if (child.exitCode === null) child.kill("SIGKILL");
      await exited;
    },
  };
}
