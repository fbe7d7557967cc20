import { createTask, validate } from "node-cron";

/** The next times (epoch ms) of a cron expression (seconds first, UTC). Throws if {@link isSchedule} refuses the expression. */
export function nextRuns(expression: string, count: number): readonly number[] {
  const task = createTask(expression, () => undefined, { timezone: "UTC" });
  // node-cron remembers each task until it is destroyed. A destroyed task can still compute its next times.
  void task.destroy();
  return task.getNextRuns(count).map((date) => date.getTime());
}

/** Whether a cron expression (seconds first) is valid, and matches at least one time. */
export function isSchedule(expression: string): boolean {
  try {
    return validate(expression) && nextRuns(expression, 1).length > 0;
  } catch {
    return false;
  }
}

/** Milliseconds between the next two times. */
export function intervalOf(expression: string): number {
  const [first = 0, next = 0] = nextRuns(expression, 2);
  return next - first;
}
