import { createTask as createRealTask } from "node-cron";
import { currentOwner } from "./virtual-time.ts";

export { validate } from "node-cron";

/**
 * The first two runs of each expression, for each process. node-cron draws random numbers from the stream of the process. The
 * numbers must be the same in every play of a history, so each process asks node-cron exactly once for each expression.
 */
const knownIn = new WeakMap<object, Map<string, readonly [number, number]>>();

function firstRuns(expression: string): readonly [number, number] {
  const task = createRealTask(expression, () => undefined, { timezone: "UTC" });
  void task.destroy();
  const [first = 0, second = 0] = task.getNextRuns(2).map((run) => run.getTime());
  return [first, second];
}

/**
 * Replaces node-cron's function, which would take a seventh of the simulation's time. Works only for expressions in UTC
 * with equal intervals between runs. All histories have such expressions.
 */
export const createTask = (expression: string) => ({
  destroy: () => undefined,
  getNextRuns(count: number): Date[] {
    const life = currentOwner()?.random ?? knownIn;
    const known = knownIn.get(life) ?? new Map<string, readonly [number, number]>();
    knownIn.set(life, known);
    const [first, second] = known.get(expression) ?? firstRuns(expression);
    known.set(expression, [first, second]);
    const apart = second - first;
    const next = first + (Math.floor((Date.now() - first) / apart) + 1) * apart;
    return Array.from({ length: count }, (_, index) => new Date(next + index * apart));
  },
});
