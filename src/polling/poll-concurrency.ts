/**
 * Of stores that answer within a third of a second, more than a core makes in any second (docs/benchmarks.md); of those that take
 * a second, 256 in each. All polls that are under way share the processor: of 2,500 servers begun at once on a machine that
 * others used, 932 polls timed out without a bound, 930 with 512 places, 443 with 256 and 1 with 128 (measured in a trial, 90
 * to 120 s each); but 128 would hold slow stores up.
 */
const mostPolls = 256;
/**
 * What takes longer waits for somebody else, a store that hangs or Discord, and gives its place away: 255 stores that hang
 * cost their neighbours nothing, and of 1,000 that begin to hang at once others are late by 40 s at most, once, for each of
 * those is left alone after it has failed.
 */
const longestMs = 10_000;

/** How many polls a process has under way, so that none is late only because of all the others that were begun with it. */
export interface PollConcurrency {
  /**
   * Waits for the turn of one poll; what somebody asked for comes first. Resolves to what gives the place back (it goes by
   * itself when the poll takes long), or to nothing where `signal` was aborted before.
   */
  take(isAsked: boolean, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** For how long the poll has waited whose turn is next, of those that nobody asked for; whole ms. */
  lateMs(): number;
}

/** @param placeMs for how long a poll keeps its place at most */
export function createPollConcurrency(most = mostPolls, placeMs = longestMs): PollConcurrency {
  let taken = 0;
  const asked = new Set<() => void>();
  /** Since when each of them waits, by the monotonic clock. */
  const others = new Map<() => void, number>();

  function letIn() {
    while (taken < most) {
      const [next] = asked.size > 0 ? asked : others.keys();
      if (!next) return;
      next();
    }
  }

  function newPlace(): () => void {
    taken++;
    let isMine = true;
    const leave = () => {
      if (!isMine) return;
      isMine = false;
      clearTimeout(timer);
      taken--;
      letIn();
    };
    const timer = setTimeout(leave, placeMs);
    return leave;
  }

  return {
    take(isAsked, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      if (taken < most) return Promise.resolve(newPlace());
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
      const end = () => {
        asked.delete(enter);
        others.delete(enter);
        signal.removeEventListener("abort", give);
      };
      const give = () => {
        end();
        resolve(undefined);
      };
      const enter = () => {
        end();
        resolve(newPlace());
      };
      if (isAsked) asked.add(enter);
      else others.set(enter, performance.now());
      signal.addEventListener("abort", give);
      return promise;
    },
    lateMs() {
      const now = performance.now();
      const [since = now] = others.values();
      return Math.ceil(now - since);
    },
  };
}
