export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

/**
 * Limits how many pieces of work run at a time.
 *
 * @param most number of places
 * @param longestMs after this time a place counts as free, even if its work still runs. So work that never ends does not block
 * other work
 */
export function createConcurrencyLimit(most: number, longestMs: number) {
  let taken = 0;
  const interactive = new Set<() => void>();
  /** When each piece of work began to wait (monotonic ms). */
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
    /**
     * Waits for a free place. Interactive work goes before background work. In each group, the work that came first goes first.
     *
     * @returns a function that gives the place back; undefined if `signal` was aborted before a place was free
     */
    take(isInteractive: boolean, signal: AbortSignal): Promise<(() => void) | undefined> {
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
    /** How long the oldest background work has waited, in whole ms. */
    lateMs(): number {
      const now = performance.now();
      const [since = now] = background.values();
      return Math.ceil(now - since);
    },
  };
}
