import { withDeadline } from "../basics/limits/deadline.ts";
import type { Log } from "../basics/log.ts";
import { exit } from "./exit.ts";

/** The longest time for all steps together. The process must end within 10 s. */
const deadlineMs = 5_000;
/** Each step except the last gets this share of the remaining time: the first step 3.3 s, the second at least 1.1 s. */
const shareOfStep = 2 / 3;

type Ends = Readonly<Record<string, () => unknown>>;

export type Shutdown = ReturnType<typeof createShutdown>;

export function createShutdown(log: Log) {
  const steps: Ends[] = [];
  const controller = new AbortController();
  let running: Promise<number> | undefined;

  /** A part that takes too long does not count as failed. */
  async function endPart(name: string, end: () => unknown, withinMs: number): Promise<boolean> {
    const ended = async () => {
      await end();
      return true;
    };
    try {
      if (await withDeadline(ended(), withinMs, false)) return true;
      log.warn(
        { step: name },
        "a part takes too long to end; its unfinished work is recorded and continues at the next start",
      );
      return true;
    } catch (error) {
      log.error({ err: error, step: name }, "a part did not end cleanly");
      return false;
    }
  }

  async function runOnce(): Promise<number> {
    controller.abort();
    const endsAt = performance.now() + deadlineMs;
    let code = 0;
    for (const step of steps.toReversed()) {
      const withinMs = (endsAt - performance.now()) * (step === steps[0] ? 1 : shareOfStep);
      const endings = Object.entries(step).map(([name, end]) => endPart(name, end, withinMs));
      if ((await Promise.all(endings)).includes(false)) code = 1;
    }
    return code;
  }

  return {
    signal: controller.signal,
    /** The parts of a step end together. The steps end in reverse order: the step that was added last ends first. */
    add: (step: Ends) => void steps.push(step),
    /** Resolves to the exit code: 0, or 1 if a part failed. */
    run: (): Promise<number> => (running ??= runOnce()),
  };
}

/** Ends the process at SIGINT, SIGTERM, SIGHUP (the terminal was closed), and errors and rejections that nobody caught. */
export function endAtSignals(log: Log & { fatal(fields: object, message: string): void }, shutdown: Shutdown) {
  let wrongCode: number | undefined;

  async function end(code?: number): Promise<never> {
    wrongCode ??= code;
    const cleanCode = await shutdown.run();
    exit(wrongCode ?? cleanCode);
  }

  function fail(fields: object, message: string) {
    // An error that repeats during the shutdown would fill the log.
    if (wrongCode === undefined) log.fatal(fields, message);
    void end(1);
  }

  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const early = process.listeners(name);
    process.on(name, () => {
      log.info({ signal: name }, "ending");
      void end();
    });
    // The listeners of src/start.js are removed only now, so that the signal always has a listener.
    for (const listener of early) process.off(name, listener);
  }
  // After an uncaught error, the state in memory is uncertain. A new process continues from what is recorded.
  process.on("uncaughtException", (error) =>
    fail({ err: error }, "an uncaught error ends the process; nothing is lost, start it again"),
  );
  return { end, fail };
}
