import { DelayedError, type Job } from "bullmq";
import type { Alerts } from "../alerts/alerts.ts";
import type { Log } from "../basics/log.ts";
import { createPollPlaces } from "../polling/poll-places.ts";
import { everyone, isRequest, requestTo } from "./notes.ts";
import type { PollQueue, Polls } from "./poll-queue.ts";
import { createSlotHold, type SlotHold } from "./slot-hold.ts";
import type { createSlotRoster } from "./slot-roster.ts";
import { runSlot } from "./slot-run.ts";

/** A poll that others cut short by what they wrote is begun anew after so long. */
const pollAgainMs = 1_000;
/** A slot that another worker asked for is left to it for so long: it may miss the job more than once. */
const leftMs = 5_000;
/** And is offered anew as often; every worker that is free may take it, this one puts it off again. */
const leftAgainMs = 1_000;
/** Where polls wait for so long for places, what else becomes due is left to others as long. */
const lateMs = 1_000;
/** A turn for which there is no right, or no answer from Redis, is tried again as often as the default schedule has ticks. */
const postponedMs = 15_000;

export interface SlotTurnDeps {
  readonly queue: PollQueue;
  readonly alerts: Pick<Alerts, "poll" | "settled">;
  readonly roster: ReturnType<typeof createSlotRoster>;
  /** Whether the storage is this queue's to poll on. */
  isMine(): boolean;
  readonly log: Log;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/** What `work` gives; where it rejects, the hold is over. */
const endingWith =
  <Args extends unknown[], T>({ end }: SlotHold, work: (...args: Args) => Promise<T>) =>
  (...args: Args): Promise<T> =>
    work(...args).catch((error: unknown) => {
      end();
      throw error;
    });

/** Says once that polls run late, until those of no slot do any more. */
function createLateness({ times }: PollQueue, log: Log) {
  /** When they were last found late. Of a slot that went to another worker nothing is heard any more. */
  const late = new Map<number, number>();
  return (slot: number, at: number, delayMs: number) => {
    for (const [other, foundAt] of late) if (times.isSilent(foundAt)) late.delete(other);
    if (delayMs <= times.gapMs(at)) return void late.delete(slot);
    if (late.size === 0) {
      log.warn({ slot, delayMs }, "polls run late: there are too few workers, or the stores answer slowly");
    }
    late.set(slot, Date.now());
  };
}

/** Where others wrote in the middle of a poll, it is begun anew: the next tick may be a day away. */
const pollOf =
  ({ queue, alerts, log }: SlotTurnDeps, hold: SlotHold) =>
  async (guildId: string, isAgain: boolean): Promise<number | undefined> => {
    const right = queue.rights.of(guildId);
    try {
      if (isAgain || right.term() === undefined) await right.shared.isFresh();
    } catch (error) {
      log.warn({ err: error, guild: guildId }, "what others have written is not known; the poll is tried again");
      return pollAgainMs;
    }
    const retryMs = await alerts.poll(guildId);
    return retryMs ?? (hold.isHeld() && right.term() === undefined ? pollAgainMs : undefined);
  };

/**
 * One turn of a slot: its job's lock is the right to its servers, what others have written since is forgotten, and what is
 * due is polled. Rejects with a `StorageError` where Redis or the storage fails; nothing is lost by that.
 */
export function createSlotTurn(deps: SlotTurnDeps): (job: Job<Polls>, token: string) => Promise<void> {
  const { queue, alerts, roster, log, signal } = deps;
  const { notes, rights, times } = queue;
  const { isMine } = deps;
  const clocks = { now: Date.now, monotonic: () => performance.now(), isMine: () => isMine() };
  const late = createLateness(queue, log);
  const places = createPollPlaces();
  /** Until when a slot is left to a worker that asked for it, by the monotonic clock. */
  const left = new Map<number, number>();

  /**
   * Resolves to nothing where the slot is to be left to another worker: then all of it is due.
   *
   * @param isRepeated what was taken by a turn that came to nothing is due again
   */
  async function takeDue(slot: number, at: number, isRepeated: boolean, isPolled: (guildId: string) => boolean) {
    let guildIds: readonly string[] = [];
    let isAskedFor = false;
    const { due } = await rights.meet(
      async () => {
        const known = await notes.begin(slot);
        isAskedFor = known.due.includes(requestTo(queue.name));
        if (isAskedFor) return { ...known, due: [] };
        guildIds = (await roster.servers(known.roster)).get(slot) ?? [];
        return { ...known, due: [...known.due.filter((id) => !isRequest(id)), ...(isRepeated ? [everyone] : [])] };
      },
      // A poll under way goes by what it knew when it began: that others have written since must stop it.
      (known) => (known.due.includes(everyone) ? guildIds : known.due).filter((id) => !isPolled(id)),
    );
    if (isAskedFor) return undefined;
    if (due.includes(everyone)) {
      const polledAt = Date.now();
      const delayMs = Math.max(polledAt - at, places.lateMs());
      late(slot, at, delayMs);
      await notes.keepSlotState(slot, { polledAt, delayMs, holder: queue.name });
    }
    const present = new Set(guildIds);
    return { due: due.filter((id) => id === everyone || present.has(id)), guildIds };
  }

  /** What is due stays so: another tick may be a day away. */
  async function postpone(job: Job<Polls>, token: string, ms: number): Promise<never> {
    await job.moveToDelayed(Date.now() + ms, token);
    throw new DelayedError();
  }

  return async (job, token) => {
    const { slot, at } = job.data;
    if ((left.get(slot) ?? 0) > performance.now()) return postpone(job, token, leftAgainMs);
    // A turn that is always late never ends: who is late would come to have all slots, and the others nothing to do.
    const isNew = Math.abs(Date.now() - at) < leftMs;
    if (isNew && places.lateMs() > lateMs) return postpone(job, token, leftAgainMs);
    const hold = createSlotHold(job, token, clocks);
    if (!(await hold.prove())) {
      hold.end();
      return postpone(job, token, postponedMs);
    }
    rights.hold(slot, hold);
    let isFirst = true;
    let isLeft = false;
    let dueAt = at;
    try {
      const isWhole = await runSlot({
        poll: pollOf(deps, hold),
        settled: (guildId) => alerts.settled(guildId),
        // Where it fails the slot is left at once: a long poll would hold it, and its neighbours would wait for that.
        take: endingWith(hold, async (isPolled) => {
          if (!isFirst && !(await notes.isDue(slot))) return { due: [], guildIds: [] };
          const isRepeated = isFirst && job.stalledCounter + job.attemptsMade > 0;
          if (!isFirst) dueAt = Date.now();
          isFirst = false;
          const taken = await takeDue(slot, dueAt, isRepeated, isPolled);
          if (taken) return taken;
          isLeft = true;
          left.set(slot, Number.POSITIVE_INFINITY);
          hold.end();
          return { due: [], guildIds: [] };
        }),
        places,
        windowMs: () => times.windowMs(Date.now()),
        untilTickMs: () => times.next(slot, Date.now()) - Date.now(),
        goesOn: () => !signal.aborted && hold.isHeld(),
        // Whatever waits for a retry then waits for nothing.
        signal: AbortSignal.any([signal, hold.signal]),
      });
      // Another worker goes on with what this one has no time for, or no right to, any more.
      if (isLeft || !isWhole) {
        await notes.due(slot, everyone);
        await queue.addPolls(slot, dueAt);
      }
    } finally {
      // The lock of a turn that a store held up is over before it, and its job is anybody's by then.
      if (isLeft) left.set(slot, performance.now() + leftMs);
      rights.release(slot, hold);
    }
  };
}
