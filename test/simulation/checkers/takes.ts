import { type Checker, clockOf } from "../world/record.ts";
import { finding, wasRestored } from "./reading.ts";

/** An order is one person's: nobody is told that they have it while somebody else does. */
export const takes: Checker = (evidence) => {
  if (wasRestored(evidence)) return [];
  const presses = evidence.deeds.flatMap((deed) => (deed.what.kind === "press" ? [{ ...deed, ...deed.what }] : []));
  const taken = presses.filter(({ press, by, answer }) => press === "Take" && answer?.includes(`Taken by <@${by}>`));
  return taken.flatMap((one, index) =>
    taken.slice(index + 1).flatMap((other) => {
      if (other.order !== one.order || other.by === one.by) return [];
      const wasGiven = presses.some(
        ({ press, order, asked, done }) =>
          press === "Give back" &&
          order === one.order &&
          // Two presses of the same moment may be answered in either order.
          asked < Math.max(one.done ?? 0, other.done ?? 0) &&
          (done ?? Number.POSITIVE_INFINITY) > Math.min(one.asked, other.asked),
      );
      if (wasGiven) return [];
      return finding("taken by two", `${one.order.slice(0, 8)}, at ${clockOf(one.asked)} and ${clockOf(other.asked)}`);
    }),
  );
};
