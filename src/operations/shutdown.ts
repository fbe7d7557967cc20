import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";

/** Ends the parts of the process in the reverse of the order in which they were started. */
export interface Shutdown {
  /** Aborted when the shutdown begins: waiting code gives up at this signal. */
  readonly signal: AbortSignal;
  /** Adds a part of the process. Its `end` is called once, after all parts that were added later have ended. */
  add(name: string, end: () => unknown): void;
  /** Ends all parts. Resolves to the exit code: 0, or 1 if a part failed. */
  run(): Promise<number>;
}

/** @param deadlineMs longest time of all parts together; the whole process must end within 10 s */
export function createShutdown({ log, deadlineMs }: { log: Log; deadlineMs: number }): Shutdown {
  const steps: { name: string; end: () => unknown }[] = [];
  const controller = new AbortController();
  let running: Promise<number> | undefined;

  async function endAll(): Promise<number> {
    let code = 0;
    for (const step of steps.reverse()) {
      try {
        await step.end();
      } catch (error) {
        code = 1;
        log.error({ err: error, step: step.name }, "a part did not end cleanly");
      }
    }
    return code;
  }

  async function runOnce(): Promise<number> {
    controller.abort();
    const code = await withDeadline(endAll(), deadlineMs, undefined);
    if (code !== undefined) return code;
    log.error({ deadlineMs }, "shutdown took too long; what was in flight is recorded and goes on at the next start");
    return 0;
  }

  return {
    signal: controller.signal,
    add: (name, end) => {
      steps.push({ name, end });
    },
    run: () => {
      running ??= runOnce();
      return running;
    },
  };
}
