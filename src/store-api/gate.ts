import { createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import type { Ending } from "./ending.ts";
import { createHold } from "./hold.ts";
import { StoreError } from "./store-error.ts";
import { createWaitingLine, type Priority } from "./waiting-line.ts";

/** Requests of one token at a time: a person pages and picks, a poll goes on beside that, and no server minds four. */
const places = 4;
/** One place less than all, so that neither people nor polls ever wait for the other kind alone. */
const mostOfAKind = 3;
/** 100 wait at most: more could not be answered in time. Apart, so that presses never crowd out the poll. */
const mostWaiting: Readonly<Record<Priority, number>> = { interactive: 80, background: 20 };
/** Of one person: three of them could fill the line otherwise. */
const mostWaitingOfOne = 20;
/** By then all that wait now have been answered or have given up. */
const fullRetryMs = 12_000;
/** Polls have a backoff of their own: what is held for longer is theirs to ask again. */
const longestHeldForBackgroundMs = 2_000;
/** One gate has one budget for people. */
const allPeople = "people";

/** What every request of one token goes through. Times are by `performance.now()`. */
export interface Gate {
  /**
   * A place for one request, sooner for people; {@link Gate.leave} gives it back. Resolves to whether there is one: the
   * call may end meanwhile.
   *
   * @param person priority it is for, by any name: people take turns, so that whoever asks for much waits for themselves
   * @throws {StoreError} `rate_limited` at once, when a 429 holds the token for longer than such a call waits, or people
   * have asked for so much lately that its turn comes later (each with the time), or too many wait already
   */
  enter(priority: Priority, what: string, ending: Ending, person?: string): Promise<boolean>;
  leave(priority: Priority): void;
  /** A request that was sent at `sentAt` was refused with a 429: nothing is sent until its time is over. */
  hold(sentAt: number, retryAfterMs: number | undefined): void;
  /** A request that was sent at `sentAt` was answered, and not with a 429. */
  answered(sentAt: number): void;
  /** Whole milliseconds for which nothing will be sent. */
  heldMs(): number;
}

const refusal = (what: string, why: string, retryAfterMs: number) =>
  new StoreError("rate_limited", `${what} (${why})`, { retryAfterMs });

/** Until when a call waits for a hold to end. */
const patience = ({ priority, ending: { endsAt } }: { readonly priority: Priority; readonly ending: Ending }) =>
  priority === "interactive" ? endsAt : Math.min(endsAt, performance.now() + longestHeldForBackgroundMs);

/** What people may ask for lately: nobody else is metered. */
function createAllowance() {
  const budget = createBudget(budgets.storeRequestsOfPeople);
  return {
    /** Takes a request from it; or gives the milliseconds until there is one. */
    take: (priority: Priority) => (priority === "interactive" ? budget.spend(allPeople) : 0),
    /** Milliseconds until so many requests have had their turn, if all of them are made one after the other from now on. */
    turnAfterMs(count: number): number {
      const lateMs = budget.spend(allPeople, count);
      if (lateMs === 0) budget.giveBack(allPeople, count);
      return lateMs;
    },
  };
}

/** One gate for one token. */
export function createGate(): Gate {
  const inside: Record<Priority, number> = { interactive: 0, background: 0 };
  const line = createWaitingLine();
  const hold = createHold();
  const allowance = createAllowance();
  let timer: NodeJS.Timeout | undefined;

  const isFree = (priority: Priority) =>
    inside[priority] < mostOfAKind && inside.interactive + inside.background < places;

  /** Lets in whom there is room for; where a hold goes on, or people have used up theirs, when it is over. */
  function admit(): void {
    clearTimeout(timer);
    if (hold.leftMs() > 0) {
      timer = setTimeout(admit, hold.leftMs()).unref();
      return;
    }
    for (const priority of ["interactive", "background"] as const) {
      while (isFree(priority) && line.length(priority) > 0) {
        const lateMs = allowance.take(priority);
        if (lateMs > 0) {
          timer = setTimeout(admit, Math.ceil(lateMs)).unref();
          break;
        }
        inside[priority] += 1;
        line.letIn(priority);
      }
    }
  }

  return {
    async enter(priority, what, ending, person = "") {
      const held = hold.leftMs();
      const patientUntil = patience({ priority, ending });
      if (held > 0 && hold.until() > patientUntil) throw refusal(what, "held back", held);
      if (held === 0 && line.length(priority) === 0 && isFree(priority) && allowance.take(priority) === 0) {
        inside[priority] += 1;
        if (priority === "interactive") line.served(person);
        return true;
      }
      const isFull =
        line.length(priority) >= mostWaiting[priority] && !(priority === "interactive" && line.makeRoomFor(person));
      const isOwnFull = priority === "interactive" && person !== "" && line.lengthOf(person) >= mostWaitingOfOne;
      if (isFull || isOwnFull) throw refusal(what, "too many wait", Math.max(held, fullRetryMs));
      const lateMs = priority === "interactive" ? allowance.turnAfterMs(line.aheadOf(person) + 1) : 0;
      if (performance.now() + lateMs >= ending.endsAt) throw refusal(what, "too many lately", lateMs);
      const turn = line.join({
        priority: priority,
        user: person,
        ending,
        patientUntil,
        refusal: () => refusal(what, "held back", hold.leftMs() || fullRetryMs),
      });
      admit();
      return turn;
    },
    leave(priority) {
      inside[priority] -= 1;
      admit();
    },
    hold(sentAt, retryAfterMs) {
      const isFirst = hold.leftMs() === 0;
      hold.begin(sentAt, retryAfterMs);
      // Everybody priority waits learns of it, and whoever has not that much time goes.
      line.refuseImpatient(hold.until(), (waiting) => (isFirst ? patience(waiting) : waiting.patientUntil));
      admit();
    },
    answered: hold.answered,
    heldMs: hold.leftMs,
  };
}
