import { withDeadline } from "../basics/deadline.ts";
import { ConflictError } from "../orders/conflict-error.ts";

/** BullMQ's lock on a job lasts so long after it was last renewed. */
export const lockMs = 20_000;
/** This process believes in it for less: its clocks may differ, and what it has sent by then has to have left. */
const heldMs = 15_000;
const renewEveryMs = 5_000;
/** A Redis that takes longer has not proved anything. */
const proofMs = 3_000;

/** A slot's job, as far as its lock matters. */
export interface LockedJob {
  /** Renews the lock where it is still this worker's; resolves to 0 where it is not. */
  extendLock(token: string, ms: number): Promise<number>;
}

/**
 * The right to the servers of one slot, for as long as its job's lock is this worker's. It is renewed by and by; between two
 * renewals it is believed while both clocks say so: the monotonic clock stands still while a machine sleeps, the wall clock
 * may be set.
 */
export interface SlotHold {
  /** Cheap: by the clocks alone. */
  isHeld(): boolean;
  /** Asks Redis, and renews the lock. False where it is another worker's, or nobody answers. */
  prove(): Promise<boolean>;
  /** Aborted when it is found to be over. */
  readonly signal: AbortSignal;
  end(): void;
}

export function createSlotHold(
  job: LockedJob,
  token: string,
  {
    now,
    monotonic,
    isMine,
  }: {
    /** Epoch ms. */
    readonly now: () => number;
    readonly monotonic: () => number;
    /** Whether the storage is this queue's to poll on. */
    readonly isMine: () => boolean;
  },
): SlotHold {
  const over = new AbortController();
  let provedAt = { wall: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };
  let isLost = false;

  function end() {
    isLost = true;
    clearInterval(renewal);
    over.abort(new ConflictError());
  }

  function isHeld(): boolean {
    const isProved = monotonic() - provedAt.monotonic < heldMs && Math.abs(now() - provedAt.wall) < heldMs;
    if (isProved && !isLost && isMine()) return true;
    // Before the first proof there was nothing to lose.
    if (!isLost && Number.isFinite(provedAt.wall)) end();
    return false;
  }

  async function prove(): Promise<boolean> {
    // Renewed after its end, the lock would be kept from other workers for nothing.
    if (isLost) return false;
    const begun = { wall: now(), monotonic: monotonic() };
    const extended = job.extendLock(token, lockMs).then(
      (answer) => answer === 1,
      // No answer is no proof; for how long the last one counts, the clocks say.
      () => undefined,
    );
    const isMine = await withDeadline(extended, proofMs, undefined);
    if (isMine === false) end();
    if (isMine === true && !isLost) provedAt = begun;
    return isMine === true && isHeld();
  }

  const renewal = setInterval(() => void prove(), renewEveryMs);
  return { isHeld, prove, signal: over.signal, end };
}
