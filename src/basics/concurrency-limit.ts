/** How many pieces of work are under way at a time. */
export interface ConcurrencyLimit {
  /**
   * Waits for a place. Who waits for longest comes first, but interactive work comes before all other.
   *
   * @returns what gives the place back; undefined where `signal` was aborted before there was one
   */
  take(isInteractive: boolean, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** For how long the next one waits that is not interactive; whole ms, 0 where none waits. */
  lateMs(): number;
}

/**
 * @param most how many places there are
 * @param longestMs after so long a place is given to the next one, although the work goes on: work that hangs holds up no other
 */
export function createConcurrencyLimit(most: number, longestMs: number): ConcurrencyLimit {
  let taken = 0;
  const interactive = new Set<() => void>();
  /** Since when each of them waits, by the monotonic clock. */
  const background = new Map<() => void, number>();

  function letIn() {
    while (taken < most) {
      const [next] = interactive.size > 0 ? interactive : background.keys();
      if (!next) return;
      next();
    }
  }

  function newPlace(): () => void {
    taken++;
    let isHeld = true;
    const leave = () => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(timer);
      taken--;
      letIn();
    };
    const timer = setTimeout(leave, longestMs).unref();
    return leave;
  }

  return {
    take(isInteractive, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      if (taken < most) return Promise.resolve(newPlace());
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
      const end = () => {
        interactive.delete(enter);
        background.delete(enter);
        signal.removeEventListener("abort", giveUp);
      };
      const giveUp = () => {
        end();
        resolve(undefined);
      };
      const enter = () => {
        end();
        resolve(newPlace());
      };
      if (isInteractive) interactive.add(enter);
      else background.set(enter, performance.now());
      signal.addEventListener("abort", giveUp);
      return promise;
    },
    lateMs() {
      const now = performance.now();
      const [since = now] = background.values();
      return Math.ceil(now - since);
    },
  };
}
