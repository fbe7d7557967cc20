import type { Ending } from "./ending.ts";

/** For whom a request is: a person waits for it, or nobody does (polls, following, first reading). */
export type Priority = "interactive" | "background";

/** A request that waits for its place. */
export interface Waiting {
  readonly priority: Priority;
  /** Who it is for, by any name; "" where nobody is named. */
  readonly user: string;
  readonly ending: Ending;
  /** Until when it waits for a hold to end, by `performance.now()`. */
  patientUntil: number;
  /** What it is told where it may not wait any longer. */
  readonly refusal: () => Error;
}

interface Waiter extends Waiting {
  readonly resolve: (isItsTurn: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** Those priority wait for a place: for people and for nobody, a line each. People take turns in theirs. */
export interface WaitingLine {
  length(priority: Priority): number;
  /** Resolves to whether its turn came before its call ended; rejects with its refusal. */
  join(waiting: Waiting): Promise<boolean>;
  /** It is the turn of the next one, if any waits: of people, of whoever had none for longest, and the earliest of theirs. */
  letIn(priority: Priority): void;
  /** A request of this person was let in without waiting. */
  served(person: string): void;
  /** How many requests of this person wait. */
  lengthOf(person: string): number;
  /** How many people's requests will have had their turn before one more of this person's. */
  aheadOf(person: string): number;
  /** Refuses the last request of whoever has most waiting, for somebody priority has less; false where everybody has as little. */
  makeRoomFor(person: string): boolean;
  /** Refuses those whose patience, as `patientUntil` gives it for each, ends before `until`. */
  refuseImpatient(until: number, patientUntil: (waiting: Waiting) => number): void;
}

/** People whose last turn is remembered: more do not wait at a time. */
const mostRemembered = 200;

export function createWaitingLine(): WaitingLine {
  const waiting: Record<Priority, Waiter[]> = { interactive: [], background: [] };
  /** How manieth turn each person's last one was, the latest last. */
  const turns = new Map<string, number>();
  let turn = 0;

  function remove(waiter: Waiter): void {
    waiting[waiter.priority] = waiting[waiter.priority].filter((other) => other !== waiter);
    waiter.ending.tell(undefined);
  }

  function refuse(waiter: Waiter): void {
    remove(waiter);
    waiter.reject(waiter.refusal());
  }

  function served(person: string): void {
    turns.delete(person);
    turns.set(person, ++turn);
    const [oldest] = turns.keys();
    if (turns.size > mostRemembered && oldest !== undefined) turns.delete(oldest);
  }

  /** How many of each person's requests wait. */
  function lengths(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { user: person } of waiting.interactive) counts.set(person, (counts.get(person) ?? 0) + 1);
    return counts;
  }

  const lastTurn = ({ user: person }: Waiter) => turns.get(person) ?? 0;

  return {
    length: (priority) => waiting[priority].length,
    join: (request) =>
      new Promise((resolve, reject) => {
        const waiter: Waiter = { ...request, resolve, reject };
        waiting[request.priority].push(waiter);
        request.ending.tell(() => {
          remove(waiter);
          resolve(false);
        });
      }),
    letIn(priority) {
      const [first, ...others] = waiting[priority];
      if (first === undefined) return;
      const next = others.reduce((best, waiter) => (lastTurn(waiter) < lastTurn(best) ? waiter : best), first);
      served(next.user);
      remove(next);
      next.resolve(true);
    },
    served,
    lengthOf: (person) => lengths().get(person) ?? 0,
    aheadOf(person) {
      const counts = lengths();
      const own = counts.get(person) ?? 0;
      let ahead = own;
      for (const [other, count] of counts) if (other !== person) ahead += Math.min(count, own + 1);
      return ahead;
    },
    makeRoomFor(person) {
      const counts = lengths();
      const [most, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ["", 0]);
      if (count <= (counts.get(person) ?? 0) + 1) return false;
      const last = waiting.interactive.findLast((waiter) => waiter.user === most);
      if (last === undefined) return false;
      refuse(last);
      return true;
    },
    refuseImpatient(until, patientUntil) {
      for (const waiter of [...waiting.interactive, ...waiting.background]) {
        waiter.patientUntil = patientUntil(waiter);
        if (waiter.patientUntil < until) refuse(waiter);
      }
    },
  };
}
