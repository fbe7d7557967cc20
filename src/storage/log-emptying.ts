/** How long the log is left alone after a write: what belongs together is mostly written within this time. */
const quietMs = 1_000;
/** While writes go on: how long anything may stay in the log. */
const longestMs = 10_000;

/** Says when to empty a log in which stays what was overwritten and deleted. Its timer keeps no process running. */
export interface LogEmptying {
  /** Something was written that may have overwritten or deleted what nobody is to read any more. */
  wrote(): void;
  /** The log may be anything: empty it now. */
  unknown(): void;
  stop(): void;
}

/**
 * Calls `empty` a second after the last write and every 10 s while writes go on; never without a write before.
 *
 * @param empty false where it could not: it is called again 10 s later. It may not throw.
 */
export function createLogEmptying(empty: () => boolean): LogEmptying {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let firstAt = 0;
  let lastAt = 0;

  const wake = () => {
    timer = undefined;
    const dueInMs = Math.min(lastAt + quietMs, firstAt + longestMs) - performance.now();
    if (dueInMs > 0) arm(dueInMs);
    else if (!empty()) arm(longestMs);
  };
  const arm = (ms: number) => {
    if (stopped) return;
    clearTimeout(timer);
    // Timers take whole milliseconds, and less would wake it before its time.
    timer = setTimeout(wake, Math.ceil(ms)).unref();
  };

  return {
    wrote() {
      lastAt = performance.now();
      if (timer !== undefined) return;
      firstAt = lastAt;
      arm(quietMs);
    },
    unknown() {
      firstAt = lastAt = Number.NEGATIVE_INFINITY;
      arm(0);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
