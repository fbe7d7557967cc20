import { constants, openSync } from "node:fs";
import { createRequire } from "node:module";
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import type { prettyFactory } from "pino-pretty";

/** Bytes that wait for a reader, some thousand lines; what comes beyond them is left out. */
const mostUnread = 1_024 ** 2;
/** No event says when a full pipe or terminal has room again. A terminal takes 4 kB at a time. */
const tryAgainMs = 20;
/** What waits when the process exits may still be read: the shutdown leaves a second of the 10 that it has. */
const longestLastMs = 500;

/**
 * Errors of HTTP libraries carry request bodies, URLs with interaction tokens and headers as properties, so only these
 * fields of an error are ever written.
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

/** What moves a terminal's cursor, colours or turns its text around. A stack has lines. */
const unprintable = /[^\P{C}\n]/gu;

/** Makes a line readable. Only a terminal needs it: a service starts faster and smaller without. */
function createReadable(): (line: string) => string {
  const load = createRequire(import.meta.url);
  const { prettyFactory: create }: { prettyFactory: typeof prettyFactory } = load("pino-pretty");
  const pretty = create({ ignore: "pid,hostname" });
  const clean = (_: string, value: unknown) => (typeof value === "string" ? value.replaceAll(unprintable, " ") : value);
  return (line) => pretty(JSON.parse(line, clean));
}

/** Stdout that is never waited for. */
function openStdout(terminal: boolean): number {
  // Node makes a pipe so by itself, and does the opposite with a terminal.
  if (!terminal) return process.stdout.fd;
  try {
    return openSync("/dev/stdout", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Not on Windows, and not where the terminal belongs to another user.
    return process.stdout.fd;
  }
}

/** Writes while stdout takes it, and never waits. `onRead` hears how many lines were left out once it takes it again. */
function createOutput(terminal: boolean, onRead: (leftOut: number) => void): DestinationStream {
  let leftOut = 0;
  let again: NodeJS.Timeout | undefined;
  /** Until when it is waited for all the same. */
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
      // It has no reader any more.
    }
  };
  // A full disk, or a reader that stands still, must not end the process.
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
 * A pino logger on stdout: JSON lines, or readable lines on a terminal. Lines are written before the call returns, so a
 * killed process leaves a complete log. Where the reader stands still, the newest are left out, and the work goes on: a pipe or a
 * terminal that is full holds nothing up.
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
