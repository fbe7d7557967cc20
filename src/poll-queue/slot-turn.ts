import type { Job } from "bullmq";
import type { Alerts } from "../alerts/alerts.ts";
import type { Log } from "../basics/log.ts";
import { everyone } from "./notes.ts";
import type { PollQueue, Polls } from "./poll-queue.ts";
import { createSlotHold } from "./slot-hold.ts";
import type { createSlotRoster } from "./slot-roster.ts";
import { runSlot } from "./slot-run.ts";

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

/** Says once that polls run late, until they do not any more. */
function createLateness({ times }: PollQueue, log: Log) {
  let isLate = false;
  return (slot: number, at: number, delayMs: number) => {
    const isNowLate = delayMs > times.gapMs(at);
    if (isNowLate && !isLate) {
      log.warn({ slot, delayMs }, "polls run late: there are too few workers, or the stores answer slowly");
    }
    isLate = isNowLate;
  };
}

/**
 * One turn of a slot: its job's lock is the right to its servers, what others have written since is forgotten, and what is
 * due is polled. Rejects with a `StorageError` where Redis or the storage fails; nothing is lost by that.
 */
export function createSlotTurn(deps: SlotTurnDeps): (job: Job<Polls>, token: string) => Promise<void> {
  const { queue, alerts, roster, log, signal } = deps;
  const { notes, rights, times } = queue;
  const clocks = { now: Date.now, monotonic: () => performance.now() };
  const late = createLateness(queue, log);

  /** @param isRepeated what was taken by a turn that came to nothing is due again */
  async function takeDue(slot: number, at: number, isRepeated: boolean) {
    let guildIds: readonly string[] = [];
    const { due } = await rights.meet(
      async () => {
        const known = await notes.begin(slot);
        guildIds = (await roster.servers(known.roster)).get(slot) ?? [];
        return isRepeated ? { ...known, due: [...known.due, everyone] } : known;
      },
      (known) => (known.due.includes(everyone) ? guildIds : known.due),
    );
    if (due.includes(everyone)) {
      const polledAt = Date.now();
      const delayMs = Math.max(polledAt - at, 0);
      late(slot, at, delayMs);
      await notes.keepSlotState(slot, { polledAt, delayMs });
    }
    const present = new Set(guildIds);
    return { due: due.filter((id) => id === everyone || present.has(id)), guildIds };
  }

  return async (job, token) => {
    const { slot, at } = job.data;
    const hold = createSlotHold(job, token, clocks);
    if (!deps.isMine() || !(await hold.prove())) return hold.end();
    rights.hold(slot, hold);
    let isFirst = true;
    try {
      const isWhole = await runSlot({
        poll: (guildId) => alerts.poll(guildId),
        settled: (guildId) => alerts.settled(guildId),
        async take() {
          if (!isFirst) return (await notes.isDue(slot)) ? takeDue(slot, Date.now(), false) : { due: [], guildIds: [] };
          isFirst = false;
          return takeDue(slot, at, job.stalledCounter + job.attemptsMade > 0);
        },
        windowMs: () => times.windowMs(Date.now()),
        untilTickMs: () => times.next(slot, Date.now()) - Date.now(),
        goesOn: () => !signal.aborted && hold.isHeld(),
        signal,
      });
      // The next tick may be a day away: another worker goes on with what this one has no time for any more.
      if (!isWhole && signal.aborted) {
        await notes.due(slot, everyone);
        await queue.addPolls(slot, at);
      }
    } finally {
      rights.release(slot, hold);
    }
  };
}
