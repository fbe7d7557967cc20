import type { History } from "./history.ts";
import { kinds } from "./kinds.ts";
import { copyKept, type Scene } from "./scene.ts";
import { after, runUntil, time } from "./virtual-time.ts";

/** Longest wait for commands of people at the end of a history. */
const settleMs = 20 * 60_000;
const copyEveryMs = 10 * 60_000;
const mostCopies = 40;

/** Schedules all events of a history. `settle` waits until people have answers to all their commands, or have given up. */
export function happen(scene: Scene, happenings: History["happenings"], begunAt: number): { settle(): Promise<void> } {
  const underWay = new Set<Promise<unknown>>();
  const copy = () => {
    if (scene.copies.length < mostCopies) copyKept(scene);
    after(copyEveryMs, copy);
  };
  if (happenings.some(({ kind }) => kind === "restore")) copy();
  for (const happening of happenings) {
    after(begunAt + happening.at - time(), () => {
      const { at: _, ...what } = happening;
      scene.trace(`happens ${JSON.stringify(what)}`);
      const action = kinds[happening.kind].begin(scene, happening as never);
      if (!(action instanceof Promise)) return;
      const known = action.finally(() => underWay.delete(known));
      underWay.add(known);
    });
  }
  return {
    async settle() {
      const until = time() + settleMs;
      while (underWay.size > 0 && time() < until) await runUntil(time() + 10_000);
    },
  };
}
