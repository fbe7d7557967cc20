/** How many entries, and how many bytes of them. */
export interface Held {
  readonly count: number;
  readonly bytes: number;
}

/** What the whole storage holds of one kind, against what it may. */
export interface Total {
  /** Whether so much more may be written. Where it may, it counts from now on. */
  admits(more: Held): Promise<boolean>;
  /** Something is there no more. */
  gone(less: Held): void;
}

/** What other processes keep, and what ended by itself, is known after so long. */
const countedAgainMs = 10 * 60_000;

/**
 * Counts once and again every 10 minutes, when something is to be written; in between, what this process writes and deletes is
 * added. So several processes together may go beyond the bound by what they write within 10 minutes.
 *
 * @param bound what the storage may hold
 * @param count what it holds now, in parts; read as a stream
 * @param monotonic a clock that nobody sets, in ms
 */
export function createTotal(bound: Held, count: () => AsyncIterable<Held>, monotonic = () => performance.now()): Total {
  let held: Promise<{ count: number; bytes: number }> | undefined;
  let countedAt = 0;

  async function sum() {
    const found = { count: 0, bytes: 0 };
    for await (const part of count()) {
      found.count += part.count;
      found.bytes += part.bytes;
    }
    return found;
  }

  /** One count serves all who wait for it; after one that failed the next one counts. */
  function current() {
    if (held === undefined || monotonic() - countedAt > countedAgainMs) {
      countedAt = monotonic();
      held = sum();
      held.catch(() => {
        held = undefined;
      });
    }
    return held;
  }

  return {
    async admits(more) {
      const known = await current();
      const isTooMuch = (unit: keyof Held) => more[unit] > 0 && known[unit] + more[unit] > bound[unit];
      if (isTooMuch("count") || isTooMuch("bytes")) return false;
      known.count += more.count;
      known.bytes += more.bytes;
      return true;
    },
    gone(less) {
      held?.then(
        (known) => {
          known.count -= less.count;
          known.bytes -= less.bytes;
        },
        () => undefined,
      );
    },
  };
}
