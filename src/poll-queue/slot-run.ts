import { setTimeout as pause } from "node:timers/promises";
import type { PollPlaces } from "../polling/poll-places.ts";
import { everyone } from "./notes.ts";

/** A retry that is due sooner is due now: what fails at once must not be tried a thousand times a second. */
const shortestRetryMs = 100;
/** How often a run that lasts looks for what has become due. */
const lookEveryMs = 1_000;

export interface SlotRunDeps {
  /**
   * Polls one server; resolves to the ms after which it wants to be polled again, and never rejects.
   *
   * @param isAgain it was polled since it was taken, or may have been
   */
  poll(guildId: string, isAgain: boolean): Promise<number | undefined>;
  /** Resolves when nothing is under way for the server beside its polls, to the ms after which it wants to be polled again. */
  settled(guildId: string): Promise<number | undefined>;
  /**
   * What is due by now, and the servers of the slot. Rejects where that cannot be known.
   *
   * @param isPolled whether a poll of a server is under way: it must not be told in its middle that all is fresh
   */
  take(
    isPolled: (guildId: string) => boolean,
  ): Promise<{ readonly due: readonly string[]; readonly guildIds: readonly string[] }>;
  /** For all slots of the process. */
  readonly places: PollPlaces;
  /** The polls of all servers are spread over this, in ms. */
  windowMs(): number;
  /** Milliseconds to the slot's next tick: what wants to be tried again after that waits for it. */
  untilTickMs(): number;
  /** False ends the run: the slot is another worker's, or the process ends. */
  goesOn(): boolean;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

const pauseOf = (ms: number) => (signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => undefined);

/** What servers wait for before they are polled. All of it ends with `signal`. */
function createWaits(signal: AbortSignal) {
  const waits = new Map<string, AbortController>();
  return {
    has: (guildId: string) => waits.has(guildId),
    /** Ends the wait of a server; false where it does not wait. */
    cut(guildId: string): boolean {
      waits.get(guildId)?.abort();
      return waits.has(guildId);
    },
    cutAll() {
      for (const wait of waits.values()) wait.abort();
    },
    /** What `waited` gives, and whether it was cut. */
    async of<T>(guildId: string, waited: (signal: AbortSignal) => Promise<T>) {
      const wait = new AbortController();
      waits.set(guildId, wait);
      const result = await waited(AbortSignal.any([signal, wait.signal]));
      waits.delete(guildId);
      return { result, isCut: wait.signal.aborted };
    },
  };
}

/**
 * Polls what is due in a slot. It lasts until all of that has ended and nothing is left to be edited; whatever becomes due
 * meanwhile is polled by the same run, so that a server which takes long holds up none of its neighbours. Resolves to
 * whether all that was due was polled. Rejects with what `take` rejects with, when all that was begun has ended.
 */
export async function runSlot(deps: SlotRunDeps): Promise<boolean> {
  const { signal, places } = deps;
  let isWhole = true;
  let isOver = false;
  const running = new Map<string, Promise<void>>();
  const settling = new Map<string, Promise<void>>();
  /** Asked for while their poll was under way. */
  const again = new Set<string>();
  const waits = createWaits(signal);
  /** Ends the wait for what else becomes due. */
  let look = new AbortController();
  const isUnderWay = () => running.size + settling.size > 0;

  /** A place for a poll; nothing where the run ends before there is one. */
  async function placeFor(guildId: string, isAsked: boolean): Promise<(() => void) | undefined> {
    const { result: leave, isCut } = await waits.of(guildId, (ends) => places.take(isAsked, ends));
    if (!isOver && deps.goesOn()) return leave ?? (isCut ? placeFor(guildId, true) : undefined);
    leave?.();
    return undefined;
  }

  const isRetry = (ms: number | undefined): ms is number => ms !== undefined && ms < deps.untilTickMs();

  async function settled(guildId: string) {
    const retryMs = await deps.settled(guildId).finally(() => settling.delete(guildId));
    // Nobody knows how far it came before it was cut short.
    if (!deps.goesOn()) isWhole = false;
    const isLast = !isOver && deps.goesOn() && !running.has(guildId);
    if (isLast && isRetry(retryMs)) begin(guildId, Math.max(retryMs, shortestRetryMs), true);
    if (!isUnderWay()) look.abort();
  }

  function settle(guildId: string) {
    if (!settling.has(guildId)) settling.set(guildId, settled(guildId));
  }

  async function attend(guildId: string, firstMs: number, isFirstAsked: boolean) {
    // Its last poll may have ended just now, and have been under way when what is due was taken.
    let isAgain = isFirstAsked;
    let isAsked = isFirstAsked;
    for (let waitMs: number | undefined = firstMs; waitMs !== undefined; ) {
      if (waitMs > 0) isAsked = (await waits.of(guildId, pauseOf(waitMs))).isCut;
      const leave = await placeFor(guildId, isAsked);
      if (!leave) {
        isWhole = false;
        break;
      }
      const retryMs = await deps.poll(guildId, isAgain).finally(leave);
      isAgain = true;
      // Nobody knows how far it came before it was cut short.
      if (!deps.goesOn()) isWhole = false;
      isAsked = again.delete(guildId);
      waitMs = isAsked ? 0 : isRetry(retryMs) ? Math.max(retryMs, shortestRetryMs) : undefined;
    }
    // At once: what is asked for from now on begins anew.
    running.delete(guildId);
    settle(guildId);
  }

  const begin = (guildId: string, inMs: number, isAsked: boolean) =>
    void running.set(guildId, attend(guildId, inMs, isAsked));

  async function beginDue() {
    const { due, guildIds } = await deps.take((guildId) => running.has(guildId) && !waits.has(guildId));
    const asked = new Set(due);
    const isTick = asked.delete(everyone);
    for (const guildId of asked) {
      if (waits.cut(guildId)) continue;
      if (running.has(guildId)) again.add(guildId);
      else begin(guildId, 0, true);
    }
    if (!isTick) return;
    const windowMs = deps.windowMs();
    for (const [index, guildId] of guildIds.entries()) {
      if (!running.has(guildId)) begin(guildId, (windowMs * index) / guildIds.length, false);
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
    waits.cutAll();
    while (isUnderWay()) await Promise.all([...running.values(), ...settling.values()]);
  }
  return isWhole;
}
