import { constants, openSync } from "node:fs";
import { createRequire } from "node:module";
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import type { prettyFactory } from "pino-pretty";

/** Bytes that wait for a reader, some thousand lines. Further lines are left out. */
const mostUnread = 1_024 ** 2;
/** No event reports that a full pipe or terminal has room again. A terminal takes 4 kB at a time. */
const tryAgainMs = 20;
/** Time for the reader to take the last lines at exit. The shutdown leaves a second of its 10 for this. */
const longestLastMs = 500;

/**
 * Only these fields of an error are logged: errors of HTTP libraries also carry request bodies, URLs with interaction tokens, and
 * headers.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, status, operation } = error as { code?: unknown; status?: unknown; operation?: unknown };
  return {
    type: error.name,
    message: error.message,
    code,
    status,
    operation,
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

/** Characters that move a terminal's cursor, colour its text or turn it around. Line breaks stay, because stacks have lines. */
const unprintable = /[^\P{C}\n]/gu;

/** Makes a line readable. Only a terminal needs it: without it a service starts faster and takes less memory. */
function createReadable(): (line: string) => string {
  const load = createRequire(import.meta.url);
  const { prettyFactory: create }: { prettyFactory: typeof prettyFactory } = load("pino-pretty");
  const pretty = create({ ignore: "pid,hostname" });
  const clean = (_: string, value: unknown) => (typeof value === "string" ? value.replaceAll(unprintable, " ") : value);
  return (line) => pretty(JSON.parse(line, clean));
}

/** Opens stdout so that writing to it never waits. */
function openStdout(terminal: boolean): number {
  // For pipes this is Node's default; for terminals Node does the opposite.
  if (!terminal) return process.stdout.fd;
  try {
    return openSync("/dev/stdout", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Fails on Windows, and if the terminal belongs to another user.
    return process.stdout.fd;
  }
}

/**
 * Writes as long as stdout accepts lines, and never waits. `onRead` receives the number of lines left out once stdout accepts
 * lines again.
 */
function createOutput(terminal: boolean, onRead: (leftOut: number) => void): DestinationStream {
  let leftOut = 0;
  let again: NodeJS.Timeout | undefined;
  /** Until this time, writing waits after all. */
  let patientUntil = 0;
  const output = pino.destination({
    dest: openStdout(terminal),
    sync: true,
    maxLength: mostUnread,
    retryEAGAIN: () => performance.now() < patientUntil,
  });
  const writeLast = () => {
    patientUntil = performance.now() + longestLastMs;
    try {
      output.flushSync();
    } catch {
      // The reader is gone.
    }
  };
  // A full disk, or a reader that stopped reading, must not end the process.
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EAGAIN" || again !== undefined) return;
    process.off("exit", writeLast).once("exit", writeLast);
    again = setTimeout(() => {
      again = undefined;
      output.write("");
    }, tryAgainMs).unref();
  });
  output.on("drop", () => leftOut++);
  output.on("drain", () => {
    if (leftOut === 0 || again !== undefined) return;
    const lines = leftOut;
    leftOut = 0;
    onRead(lines);
  });
  return { write: (line) => void output.write(line) };
}

/**
 * Creates a pino logger on stdout: JSON lines, or readable lines on a terminal. Lines are written before the call returns, so the
 * log of a killed process is complete. If the reader stops reading, the newest lines are left out and the work goes on: a full
 * pipe or terminal blocks nothing.
 */
export function createLog(options: { level: LevelWithSilent; terminal: boolean }): Logger {
  const output = createOutput(options.terminal, (lines) =>
    log.warn({ lines }, "lines of the log were left out, for they could not be written"),
  );
  const readable = options.terminal ? createReadable() : undefined;
  const destination = readable ? { write: (line: string) => output.write(readable(line)) } : output;
  const serializers = { err: describeError, error: describeError };
  const log = pino({ level: options.level, base: null, serializers }, destination);
  return log;
}
