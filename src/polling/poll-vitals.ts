import type { Vitals } from "../basics/vitals.ts";
import type { Lease } from "./lease.ts";
import type { Schedule } from "./schedule.ts";

/** How the polls are: they have to go on while this process has the right to them. Another one's are its own business. */
export function pollVitals(lease: Pick<Lease, "term" | "standsBy">, schedule: Schedule): Vitals {
  const isMine = () => lease.term() !== undefined;
  return {
    notReady() {
      if (!isMine() && !lease.standsBy()) return "polls: no right to poll; does the storage answer?";
      return schedule.notReady();
    },
    pulses: () => (isMine() ? schedule.pulses() : []),
  };
}
