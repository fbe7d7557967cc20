import { ConflictError } from "../orders/conflict-error.ts";

/**
 * Digests made at a time in a process: at nine o'clock those of all servers are due. One holds a page of the store and the
 * sums of its days; 8 of them leave 504 of the 512 connections to polls and people.
 */
const mostAtOnce = 8;
/**
 * Whoever takes longer lets others have their turn before the next page: a store may be slow, ask for two minutes before each
 * page, or have a million orders. What such a digest has read stays, 40 bytes for each order.
 */
const longestTurnMs = 60_000;
/**
 * So many may have let others go first at a time, with so many pages of 100 orders among them: each keeps up to 15 MB of
 * titles, and 4 kB of each page. Where there are more, whoever takes long keeps its turn to the end.
 */
const mostResting = 16;
const mostRestingPages = 10_000;

/** One digest's turn. */
export interface DigestTurn {
  /** To be awaited before each page: where it took long and others wait, they come first. Rejects as `begin` does. */
  goOn(): Promise<void>;
  end(): void;
}

/** The turns of all servers' digests, in the sequence in which they were asked for. */
export interface DigestTurns {
  /** Waits for a turn. Rejects with `ConflictError` where `signal` is aborted before. */
  begin(signal: AbortSignal): Promise<DigestTurn>;
}

/** @param monotonic a clock that nobody sets, in ms */
export function createDigestTurns(monotonic: () => number, most = mostAtOnce): DigestTurns {
  let taken = 0;
  let resting = 0;
  let restingPages = 0;
  const waiting = new Set<() => void>();

  async function take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new ConflictError();
    if (taken < most) {
      taken++;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      waiting.delete(resolve);
      reject(new ConflictError());
    };
    waiting.add(resolve);
    signal.addEventListener("abort", giveUp);
    await promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  /** Whoever waits for longest takes the place over. */
  function leave() {
    const [next] = waiting;
    if (next === undefined) {
      taken--;
      return;
    }
    waiting.delete(next);
    next();
  }

  return {
    async begin(signal) {
      await take(signal);
      let since = monotonic();
      let isMine = true;
      let pages = 0;

      async function rest() {
        isMine = false;
        resting++;
        restingPages += pages;
        leave();
        await take(signal).finally(() => {
          resting--;
          restingPages -= pages;
        });
        isMine = true;
      }

      return {
        async goOn() {
          const isLong = waiting.size > 0 && monotonic() - since >= longestTurnMs;
          if (isLong && resting < mostResting && restingPages + pages <= mostRestingPages) {
            await rest();
            since = monotonic();
          }
          pages++;
        },
        end() {
          if (isMine) leave();
          isMine = false;
        },
      };
    },
  };
}
