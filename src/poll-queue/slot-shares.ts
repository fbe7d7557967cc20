import type { Log } from "../basics/log.ts";
import { requestTo, type SlotState } from "./notes.ts";
import type { PollQueue } from "./poll-queue.ts";

/** How often a worker looks whether another one has more late slots than it has slots. */
export const shareEveryMs = 5_000;
/**
 * A slot of which so many ticks in a row were late with the same worker, as far as looks have seen them, stays there. One
 * that is late now and then goes to whoever is free by itself, and a turn that is cut short costs the polls under way.
 */
const ticksToStay = 3;
/** What was asked for comes within some seconds, or not at all. */
const patienceMs = 30_000;

/**
 * Has slots that are late shared evenly. A turn that is always late never ends, so its slot would stay where it is, whoever
 * is added; and one worker might have more of those than another.
 */
export interface SlotShares {
  /**
   * Asks the worker that has most slots, and some that stay late, for half of what it has more than this one. Costs a command of Redis,
   * and one for each slot that is asked for. To be called every {@link shareEveryMs}; rejects with a `StorageError`.
   */
  even(): Promise<void>;
}

/** @param monotonic a clock in ms that nobody sets */
export function createSlotShares(
  { notes, times, name }: Pick<PollQueue, "notes" | "times" | "name">,
  log: Log,
  monotonic: () => number = () => performance.now(),
): SlotShares {
  /** What is on its way here is not counted as here yet, so that it must not be asked for once more. */
  let asked: { readonly slots: readonly number[]; readonly holder: string; readonly until: number } | undefined;

  /** With whom each slot is late, at which tick last, and how many such ticks were seen by now. */
  let late = new Map<number, { readonly holder: string; readonly polledAt: number; readonly ticks: number }>();

  /** The slots of each worker, this one's always among them; of the late ones alone those that stay so. */
  function look(states: ReadonlyMap<number, SlotState>) {
    const held = new Map<string, number>([[name, 0]]);
    const staying = new Map<string, number[]>();
    const lateNow: typeof late = new Map();
    for (const [slot, { polledAt, delayMs, holder }] of states) {
      if (holder === undefined || times.isSilent(polledAt)) continue;
      held.set(holder, (held.get(holder) ?? 0) + 1);
      if (delayMs <= times.gapMs(Date.now())) continue;
      const before = late.get(slot);
      const earlier = before?.holder === holder ? before.ticks : 0;
      const ticks = before?.polledAt === polledAt ? earlier : earlier + 1;
      lateNow.set(slot, { holder, polledAt, ticks });
      if (ticks >= ticksToStay) staying.set(holder, [...(staying.get(holder) ?? []), slot]);
    }
    late = lateNow;
    return { held, staying };
  }

  return {
    async even() {
      const states = await notes.slotStates();
      const { held, staying } = look(states);
      if (asked && asked.until > monotonic()) {
        const { slots, holder } = asked;
        if (slots.some((slot) => states.get(slot)?.holder === holder)) return;
      }
      asked = undefined;
      const moreOf = (holder: string) => (held.get(holder) ?? 0) - (held.get(name) ?? 0);
      const [holder = name] = [...staying.keys()].sort((one, other) => moreOf(other) - moreOf(one));
      const slots = staying.get(holder)?.slice(0, Math.floor(moreOf(holder) / 2)) ?? [];
      if (slots.length === 0) return;
      asked = { slots, holder, until: monotonic() + patienceMs };
      log.info({ slots }, "another worker's polls run late: a part of them is asked for");
      for (const slot of slots) await notes.due(slot, requestTo(holder));
    },
  };
}
