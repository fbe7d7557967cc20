import { ConflictError } from "../orders/conflict-error.ts";

/** A lease that nobody renewed for so long is over. */
export const keptMs = 15_000;

/** The clocks of this machine: epoch ms, which somebody may set, and ms of a clock that stands still while it sleeps. */
interface Clocks {
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** The same moment by both clocks. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

/** The term of holding the lease, as the clocks tell it. */
export function createTerm({ now, monotonic }: Clocks) {
  let renewed: Moment = { wall: 0, monotonic: 0 };
  let isHeld = false;
  let number = 0;
  let abort = new AbortController();
  abort.abort(new ConflictError());

  return {
    get isHeld() {
      return isHeld;
    },
    get number() {
      return number;
    },
    get signal() {
      return abort.signal;
    },
    now: (): Moment => ({ wall: now(), monotonic: monotonic() }),
    /** A wall clock that was set back by more than the lease says nothing any more: better to claim it anew. */
    isOver: () => monotonic() - renewed.monotonic >= keptMs || Math.abs(now() - renewed.wall) >= keptMs,
    /** @param begun when the write began that the lease rests on */
    renew(begun: Moment) {
      renewed = begun;
    },
    begin() {
      isHeld = true;
      number++;
      abort = new AbortController();
    },
    end() {
      isHeld = false;
      abort.abort(new ConflictError());
    },
  };
}
