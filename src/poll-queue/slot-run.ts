import { setTimeout as pause } from "node:timers/promises";
import { everyone } from "./notes.ts";

/** A retry that is due sooner is due now: what fails at once must not be tried a thousand times a second. */
const shortestRetryMs = 100;
/** How often a run that lasts looks for what has become due. */
const lookEveryMs = 1_000;

export interface SlotRunDeps {
  /**
   * Polls one server; resolves to the ms after which it wants to be polled again, and never rejects.
   *
   * @param isAgain it was polled since it was taken
   */
  poll(guildId: string, isAgain: boolean): Promise<number | undefined>;
  /** Resolves when nothing is under way for the server beside its polls. */
  settled(guildId: string): Promise<void>;
  /**
   * What is due by now, and the servers of the slot. Rejects where that cannot be known.
   *
   * @param isPolled whether a poll of a server is under way: it must not be told in its middle that all is fresh
   */
  take(
    isPolled: (guildId: string) => boolean,
  ): Promise<{ readonly due: readonly string[]; readonly guildIds: readonly string[] }>;
  /** The polls of all servers are spread over this, in ms. */
  windowMs(): number;
  /** Milliseconds to the slot's next tick: what wants to be tried again after that waits for it. */
  untilTickMs(): number;
  /** False ends the run: the slot is another worker's, or the process ends. */
  goesOn(): boolean;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/**
 * Polls what is due in a slot. It lasts until all of that has ended and nothing is left to be edited; whatever becomes due
 * meanwhile is polled by the same run, so that a server which takes long holds up none of its neighbours. Resolves to
 * whether all that was due was polled. Rejects with what `take` rejects with, when all that was begun has ended.
 */
export async function runSlot(deps: SlotRunDeps): Promise<boolean> {
  const { signal } = deps;
  let isWhole = true;
  let isOver = false;
  const running = new Map<string, Promise<void>>();
  const settling = new Map<string, Promise<void>>();
  /** Asked for while their poll was under way. */
  const again = new Set<string>();
  /** Ends the wait before a poll. */
  const waits = new Map<string, AbortController>();
  /** Ends the wait for what else becomes due. */
  let look = new AbortController();
  const isUnderWay = () => running.size + settling.size > 0;

  async function waitFor(guildId: string, ms: number) {
    const wait = new AbortController();
    waits.set(guildId, wait);
    await pause(ms, undefined, { signal: AbortSignal.any([signal, wait.signal]) }).catch(() => undefined);
    waits.delete(guildId);
  }

  async function attend(guildId: string, firstMs: number) {
    let isAgain = false;
    for (let waitMs: number | undefined = firstMs; waitMs !== undefined; ) {
      if (waitMs > 0) await waitFor(guildId, waitMs);
      if (isOver || !deps.goesOn()) {
        isWhole = false;
        return;
      }
      const retryMs = await deps.poll(guildId, isAgain);
      isAgain = true;
      // Nobody knows how far it came before it was cut short.
      if (!deps.goesOn()) isWhole = false;
      const isRetry = retryMs !== undefined && retryMs < deps.untilTickMs();
      waitMs = again.delete(guildId) ? 0 : isRetry ? Math.max(retryMs, shortestRetryMs) : undefined;
    }
  }

  function begin(guildId: string, inMs: number) {
    const poll = attend(guildId, inMs).finally(() => {
      running.delete(guildId);
      if (settling.has(guildId)) return;
      settling.set(
        guildId,
        deps.settled(guildId).finally(() => {
          settling.delete(guildId);
          if (!isUnderWay()) look.abort();
        }),
      );
    });
    running.set(guildId, poll);
  }

  async function beginDue() {
    const { due, guildIds } = await deps.take((guildId) => running.has(guildId) && !waits.has(guildId));
    const asked = new Set(due);
    const isTick = asked.delete(everyone);
    for (const guildId of asked) {
      const wait = waits.get(guildId);
      if (wait) wait.abort();
      else if (running.has(guildId)) again.add(guildId);
      else begin(guildId, 0);
    }
    if (!isTick) return;
    const windowMs = deps.windowMs();
    for (const [index, guildId] of guildIds.entries()) {
      if (!running.has(guildId)) begin(guildId, (windowMs * index) / guildIds.length);
    }
  }

  try {
    do {
      await beginDue();
      look = new AbortController();
      if (isUnderWay()) await pause(lookEveryMs, undefined, { signal: look.signal }).catch(() => undefined);
    } while (isUnderWay() && deps.goesOn());
  } finally {
    // A retry may be a quarter of an hour away: the next turn is not to wait for it.
    isOver = true;
    for (const wait of waits.values()) wait.abort();
    while (isUnderWay()) await Promise.all([...running.values(), ...settling.values()]);
  }
  return isWhole;
}
