import { createLog } from "../../src/operations/log.ts";
import { ConflictError } from "../../src/orders/conflict-error.ts";
import type { Notes } from "../../src/poll-queue/notes.ts";
import { createServerRights } from "../../src/poll-queue/server-rights.ts";
import type { SlotHold } from "../../src/poll-queue/slot-hold.ts";
import { slotOf } from "../../src/poll-queue/slots.ts";

export const guildId = "1000000000000000001";
export const slot = slotOf(guildId);
const log = createLog({ level: "silent", terminal: false });

/** A hold that lasts until a test says otherwise. */
export function newHold(delay: () => Promise<unknown> = async () => undefined) {
  const over = new AbortController();
  const hold: SlotHold = {
    isHeld: () => !over.signal.aborted,
    async prove() {
      await delay();
      return !over.signal.aborted;
    },
    signal: over.signal,
    end: () => over.abort(new ConflictError()),
  };
  return hold;
}

let processes = 0;

/** One process that shares its servers; `turn` is what it does when the slot is its own. */
export function newProcess(notes: Notes) {
  const rights = createServerRights({ notes, log, name: `p${++processes}` });
  const right = rights.of(guildId);
  return {
    rights,
    right,
    shared: right.shared,
    async turn(onHold: (hold: SlotHold) => void = () => undefined) {
      const hold = newHold();
      onHold(hold);
      rights.hold(slot, hold);
      await rights.meet(
        () => notes.begin(slot),
        () => [guildId],
      );
      return hold;
    },
  };
}
