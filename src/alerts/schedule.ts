import { createTask, type ScheduledTask, schedule, validate } from "node-cron";
import type { Log } from "../operations/log.ts";

/** Polls are spread over the time to the next tick, but over no more than this. */
const longestSpreadMs = 60_000;

/** Whether the scheduler takes this cron expression (seconds first). */
export function isSchedule(expression: string): boolean {
  return validate(expression);
}

/** Milliseconds from one tick of the cron expression to the next one. */
export function intervalOf(expression: string): number {
  const task = createTask(expression, () => undefined, { timezone: "UTC" });
  const [first, second] = task.getNextRuns(2);
  void task.destroy();
  return first && second ? second.getTime() - first.getTime() : 0;
}

export interface Schedule {
  /** Polls every server once, then by the cron expression. */
  start(): void;
  /** No poll begins after this. */
  stop(): void;
}

/**
 * Polls each server once per tick, the servers spread evenly over the interval. A server whose last poll still runs is
 * left out.
 *
 * @param expression cron with seconds first, in UTC
 * @param poll must not reject
 */
export function createSchedule(deps: {
  expression: string;
  guildIds(): Promise<readonly string[]>;
  poll(guildId: string): Promise<void>;
  log: Log;
}): Schedule {
  const polling = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let task: ScheduledTask | undefined;
  let stopped = false;

  async function poll(guildId: string) {
    if (stopped || polling.has(guildId)) return;
    polling.add(guildId);
    await deps.poll(guildId).finally(() => polling.delete(guildId));
  }

  async function tick() {
    try {
      const next = task?.getNextRun()?.getTime() ?? Date.now();
      const spread = Math.min(Math.max(next - Date.now(), 0), longestSpreadMs);
      const ids = await deps.guildIds();
      ids.forEach((id, index) => {
        const timer = setTimeout(
          () => {
            timers.delete(timer);
            void poll(id);
          },
          (spread * index) / ids.length,
        );
        timers.add(timer);
      });
    } catch (error) {
      deps.log.error({ err: error }, "this round of polls was left out: the list of servers could not be read");
    }
  }

  return {
    start() {
      task = schedule(deps.expression, tick, { timezone: "UTC", noOverlap: true, name: "polls" });
      void tick();
    },
    stop() {
      stopped = true;
      void task?.destroy();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
