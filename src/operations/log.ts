import { createRequire } from "node:module";
import { type LevelWithSilent, type Logger, pino } from "pino";
import type { PinoPretty } from "pino-pretty";

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

/** Only a terminal needs it: a service starts faster and smaller without. */
function readable() {
  const load = createRequire(import.meta.url);
  const { PinoPretty: pretty }: { PinoPretty: typeof PinoPretty } = load("pino-pretty");
  return pretty({ sync: true, ignore: "pid,hostname" });
}

/**
 * A pino logger on stdout: JSON lines, or readable lines on a terminal. Lines are written before the call returns, so a
 * killed process leaves a complete log.
 */
export function createLog(options: { level: LevelWithSilent; terminal: boolean }): Logger {
  const destination = options.terminal ? readable() : pino.destination({ sync: true });
  // A full disk must not end the process: what cannot be written is left out of the log.
  destination.on("error", () => undefined);
  const serializers = { err: describeError, error: describeError };
  return pino({ level: options.level, base: null, serializers }, destination);
}
