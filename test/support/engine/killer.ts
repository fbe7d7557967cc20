import type { Backend } from "../../../src/storage/backend.ts";

/** Thrown by every effect that a killed process still tries. */
class Killed extends Error {}

/** Each effect on storage or Discord calls `step` before and after. */
export interface Killer {
  step(): void;
  readonly killed: boolean;
  readonly steps: number;
}

/** Kills the process at the n-th step, or when told to. */
export function killAt(step: number): Killer & { kill(): void } {
  let steps = 0;
  let killed = false;
  return {
    step() {
      if (killed || steps++ === step) {
        killed = true;
        throw new Killed();
      }
    },
    kill() {
      killed = true;
    },
    get killed() {
      return killed;
    },
    get steps() {
      return steps;
    },
  };
}

/** Kills only when told to. */
export const createKiller = (): ReturnType<typeof killAt> => killAt(Number.POSITIVE_INFINITY);

/**
 * Each life (run of the bot) is killed `stride` steps later than the life before, until a life ends before its kill. Returns
 * the step that this life did not reach.
 */
export async function killAtEachStep(
  stride: number,
  live: (killer: Killer, label: string) => Promise<void>,
): Promise<number> {
  for (let step = 0; ; step += stride) {
    const killer = killAt(step);
    await live(killer, `killed at step ${step}`);
    if (!killer.killed) return step;
  }
}

/**
 * Each call of `isNow` is a step. `isNow` is true at one step of each life, `stride` steps later than in the life before.
 * Returns the step that the last life did not reach.
 */
export async function atEachStep(
  stride: number,
  live: (isNow: () => boolean, label: string) => Promise<void>,
): Promise<number> {
  for (let step = 0; ; step += stride) {
    let steps = 0;
    await live(() => steps++ === step, `at step ${step}`);
    if (steps <= step) return step;
  }
}

export function killableBackend(backend: Backend, killer: Killer): Backend {
  const write =
    <A extends unknown[], Result>(effect: (...args: A) => Promise<Result>) =>
    async (...args: A) => {
      killer.step();
      const result = await effect(...args);
      killer.step();
      return result;
    };
  return { ...backend, commit: write(backend.commit), clear: write(backend.clear) };
}
