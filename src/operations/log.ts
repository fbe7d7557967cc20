import { constants, openSync } from "node:fs";
import { createRequire } from "node:module";
import { type DestinationStream, type LevelWithSilent, type Logger, type LoggerOptions, pino } from "pino";
import type { prettyFactory } from "pino-pretty";

/** At most this many bytes wait for the reader of the log: some thousand lines. Further lines are dropped. */
const mostUnread = 1_024 ** 2;
/** If a pipe or terminal is full, no event reports that it accepts data again. So the log tries again after this time. */
const tryAgainMs = 20;
/** How long the process waits at exit for the reader to take the last lines. */
const longestLastMs = 500;

/** At most this many warnings and errors with one text are written in a minute. In an outage, each server may cause some. */
const mostAlike = 60;
/** At most this many of these lines are about one server, so that lines about other servers are written, too. */
const mostOfServer = 10;
const minuteMs = 60_000;
/** pino's level `warn`. */
const warnLevel = 40;

/** The fields of an error that may be logged. Other fields of HTTP errors are bodies, URLs and headers with tokens. */
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

/** Characters that move a terminal's cursor, colour its text or change its direction, except line breaks. */
const unprintable = /[^\P{C}\n]/gu;

/** The library is loaded only for a terminal. */
function createReadable(): (line: string) => string {
  const load = createRequire(import.meta.url);
  const { prettyFactory: create }: { prettyFactory: typeof prettyFactory } = load("pino-pretty");
  const pretty = create({ ignore: "pid,hostname" });
  const clean = (_: string, value: unknown) => (typeof value === "string" ? value.replaceAll(unprintable, " ") : value);
  return (line) => pretty(JSON.parse(line, clean));
}

/** A write to a terminal usually waits, and a write to a pipe does not. Here stdout is opened so that no write waits. */
function openStdout(): number {
  if (!process.stdout.isTTY) return process.stdout.fd;
  try {
    return openSync("/dev/stdout", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // This fails on Windows, and if the terminal belongs to another user.
    return process.stdout.fd;
  }
}

/** The process waits for the reader only at exit. */
function createOutput(onRead: (leftOut: number) => void): DestinationStream {
  let leftOut = 0;
  let again: NodeJS.Timeout | undefined;
  /** Set at exit. Until this time (monotonic), a write waits for the reader. */
  let patientUntil = 0;
  const output = pino.destination({
    dest: openStdout(),
    sync: true,
    maxLength: mostUnread,
    retryEAGAIN: () => performance.now() < patientUntil,
  });
  const writeLast = () => {
    patientUntil = performance.now() + longestLastMs;
    try {
      output.flushSync();
    } catch {
      // The reader of the log is gone.
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

function createBound(onLeftOut: (message: string, lines: number) => void) {
  const counts = new Map<string, { written: number; leftOut: number; ofServers: Map<unknown, number> }>();
  const end = () => {
    const ended = [...counts];
    counts.clear();
    for (const [message, { leftOut }] of ended) if (leftOut > 0) onLeftOut(message, leftOut);
  };
  return (message: string, guild: unknown): boolean => {
    if (counts.size === 0) setTimeout(end, minuteMs).unref();
    const count = counts.get(message) ?? { written: 0, leftOut: 0, ofServers: new Map() };
    counts.set(message, count);
    const ofServer = count.ofServers.get(guild) ?? 0;
    const isWritten = count.written < mostAlike && (guild === undefined || ofServer < mostOfServer);
    if (!isWritten) count.leftOut++;
    else {
      count.written++;
      count.ofServers.set(guild, ofServer + 1);
    }
    return isWritten;
  };
}

/**
 * A pino logger on stdout: JSON lines, or readable lines on a terminal. While the reader keeps up, a line is written before the
 * call returns, so the log of a killed process is complete. If the reader stops reading, the process goes on. Up to 1 MiB of
 * lines waits in memory, and further lines are dropped.
 */
export function createLog(level: LevelWithSilent): Logger {
  const output = createOutput((lines) =>
    log.warn({ lines }, "lines of the log were dropped, because nothing read them"),
  );
  const readable = process.stdout.isTTY ? createReadable() : undefined;
  const destination = readable ? { write: (line: string) => output.write(readable(line)) } : output;
  const serializers = { err: describeError, error: describeError };
  const mayLog = createBound((of, lines) =>
    log.warn({ of, lines }, "lines were left out, because they came too often"),
  );
  const hooks: LoggerOptions["hooks"] = {
    logMethod(args, method, lineLevel) {
      const [fields, message]: readonly unknown[] = args;
      const { guild } = fields as { guild?: unknown };
      if (lineLevel < warnLevel || mayLog(String(message), guild)) method.apply(this, args);
    },
  };
  const log = pino({ level, base: null, serializers, hooks }, destination);
  return log;
}
