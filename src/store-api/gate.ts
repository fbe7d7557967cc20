import { createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import type { Ending } from "./ending.ts";
import { createHold } from "./hold.ts";
import { StoreError } from "./store-error.ts";

/** For whom a request is: a person waits for it, or nobody does (polls, following, first reading). */
export type Who = "person" | "nobody";

/** Requests of one token at a time: a person pages and picks, a poll goes on beside that, and no server minds four. */
const PLACES = 4;
/** One place less than all, so that neither people nor polls ever wait for the other kind alone. */
const MOST_OF_A_KIND = 3;
/** 100 wait at most: more could not be answered in time. Apart, so that presses never crowd out the poll. */
const MOST_WAITING: Readonly<Record<Who, number>> = { person: 80, nobody: 20 };
/** Of one person: three of them could fill the line otherwise. */
const MOST_WAITING_OF_ONE = 20;
/** People whose last turn is remembered: more do not wait at a time. */
const MOST_REMEMBERED = 200;
/** By then all that wait now have been answered or have given up. */
const FULL_RETRY_MS = 12_000;
/** Polls have a backoff of their own: what is held for longer is theirs to ask again. */
const LONGEST_HELD_FOR_NOBODY_MS = 2_000;
/** One gate has one budget for people. */
const PEOPLE = "people";

/** What every request of one token goes through. Times are by `performance.now()`. */
export interface Gate {
  /**
   * A place for one request, sooner for people; {@link Gate.leave} gives it back. Resolves to whether there is one: the
   * call may end meanwhile.
   *
   * @param person who it is for, by any name: people take turns, so that whoever asks for much waits for themselves
   * @throws {StoreError} `rate_limited` at once, when a 429 holds the token for longer than such a call waits, or people
   * have asked for so much lately that its turn comes later (each with the time), or too many wait already
   */
  enter(who: Who, what: string, ending: Ending, person?: string): Promise<boolean>;
  leave(who: Who): void;
  /** A request that was sent at `sentAt` was refused with a 429: nothing is sent until its time is over. */
  hold(sentAt: number, retryAfterMs: number | undefined): void;
  /** A request that was sent at `sentAt` was answered, and not with a 429. */
  answered(sentAt: number): void;
  /** Whole milliseconds for which nothing will be sent. */
  heldMs(): number;
}

interface Waiter {
  readonly who: Who;
  readonly person: string;
  readonly ending: Ending;
  /** Until when it waits for a hold to end. */
  patientUntil: number;
  readonly settle: (entered: boolean) => void;
  readonly refuse: () => void;
}

/** One gate for one token. */
export function createGate(): Gate {
  const inside: Record<Who, number> = { person: 0, nobody: 0 };
  const waiting: Record<Who, Waiter[]> = { person: [], nobody: [] };
  /** How manieth turn each person's last one was, the latest last. */
  const turns = new Map<string, number>();
  let turn = 0;
  const hold = createHold();
  const people = createBudget(budgets.storeRequestsOfPeople);
  let timer: NodeJS.Timeout | undefined;

  const isFree = (who: Who) => inside[who] < MOST_OF_A_KIND && inside.person + inside.nobody < PLACES;
  const patience = (who: Who, { endsAt }: Ending) =>
    who === "person" ? endsAt : Math.min(endsAt, performance.now() + LONGEST_HELD_FOR_NOBODY_MS);
  const refusal = (what: string, why: string, retryAfterMs: number) =>
    new StoreError("rate_limited", `${what} (${why})`, { retryAfterMs });

  /** Takes a request from what these may ask for lately; or gives the milliseconds until there is one. */
  const take = (who: Who) => (who === "person" ? people.spend(PEOPLE) : 0);

  /** How many will have had their turn before one more of this person's, who has so many waiting. */
  function aheadOf(person: string, own: number): number {
    let ahead = own;
    for (const [other, count] of waitingByPerson()) if (other !== person) ahead += Math.min(count, own + 1);
    return ahead;
  }

  /** Milliseconds until so many people have had their turn, if all of them ask one after the other from now on. */
  function turnAfterMs(count: number): number {
    const lateMs = people.spend(PEOPLE, count);
    if (lateMs === 0) people.giveBack(PEOPLE, count);
    return lateMs;
  }

  function servedNow(person: string): void {
    turns.delete(person);
    turns.set(person, ++turn);
    const [oldest] = turns.keys();
    if (turns.size > MOST_REMEMBERED && oldest !== undefined) turns.delete(oldest);
  }

  /** Who is next: of people, whoever had no turn for longest, and the earliest of theirs. */
  function nextOf(who: Who): Waiter | undefined {
    const lastTurn = ({ person }: Waiter) => turns.get(person) ?? 0;
    const first = waiting[who].reduce<Waiter | undefined>(
      (best, waiter) => (best === undefined || lastTurn(waiter) < lastTurn(best) ? waiter : best),
      undefined,
    );
    if (first === undefined) return undefined;
    waiting[who] = waiting[who].filter((waiter) => waiter !== first);
    servedNow(first.person);
    return first;
  }

  /** How many of each person's requests wait. */
  function waitingByPerson(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { person } of waiting.person) counts.set(person, (counts.get(person) ?? 0) + 1);
    return counts;
  }

  /** Makes room in a full line for somebody who has less in it than another; false where everybody has as little. */
  function makeRoomFor(person: string): boolean {
    const counts = waitingByPerson();
    const [most, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ["", 0]);
    if (count <= (counts.get(person) ?? 0) + 1) return false;
    const out = waiting.person.findLast((waiter) => waiter.person === most);
    if (out === undefined) return false;
    remove(out);
    out.refuse();
    return true;
  }

  function remove(waiter: Waiter): void {
    waiting[waiter.who] = waiting[waiter.who].filter((other) => other !== waiter);
    waiter.ending.tell(undefined);
  }

  /** Lets in whom there is room for; where a hold goes on, or people have used up theirs, when it is over. */
  function admit(): void {
    clearTimeout(timer);
    if (hold.leftMs() > 0) {
      timer = setTimeout(admit, hold.leftMs()).unref();
      return;
    }
    for (const who of ["person", "nobody"] as const) {
      while (isFree(who) && waiting[who].length > 0) {
        const lateMs = take(who);
        if (lateMs > 0) {
          timer = setTimeout(admit, Math.ceil(lateMs)).unref();
          break;
        }
        const next = nextOf(who);
        if (next === undefined) break;
        next.ending.tell(undefined);
        inside[who] += 1;
        next.settle(true);
      }
    }
  }

  function wait(who: Who, what: string, ending: Ending, person: string): Promise<boolean> {
    return new Promise((settle, reject) => {
      const refuse = () => reject(refusal(what, "held back", hold.leftMs() || FULL_RETRY_MS));
      const waiter: Waiter = { who, person, ending, patientUntil: patience(who, ending), settle, refuse };
      waiting[who].push(waiter);
      ending.tell(() => {
        remove(waiter);
        settle(false);
      });
      admit();
    });
  }

  return {
    async enter(who, what, ending, person = "") {
      const held = hold.leftMs();
      if (held > 0 && hold.until() > patience(who, ending)) throw refusal(what, "held back", held);
      if (held === 0 && waiting[who].length === 0 && isFree(who) && take(who) === 0) {
        inside[who] += 1;
        if (who === "person") servedNow(person);
        return true;
      }
      const own = waitingByPerson().get(person) ?? 0;
      const isFull = waiting[who].length >= MOST_WAITING[who] && !(who === "person" && makeRoomFor(person));
      const isOwnFull = who === "person" && person !== "" && own >= MOST_WAITING_OF_ONE;
      if (isFull || isOwnFull) throw refusal(what, "too many wait", Math.max(held, FULL_RETRY_MS));
      const lateMs = who === "person" ? turnAfterMs(aheadOf(person, own) + 1) : 0;
      if (performance.now() + lateMs >= ending.endsAt) throw refusal(what, "too many lately", lateMs);
      return wait(who, what, ending, person);
    },
    leave(who) {
      inside[who] -= 1;
      admit();
    },
    hold(sentAt, retryAfterMs) {
      const isFirst = hold.leftMs() === 0;
      hold.begin(sentAt, retryAfterMs);
      // Everybody who waits learns of it, and whoever has not that much time goes.
      for (const waiter of [...waiting.person, ...waiting.nobody]) {
        if (isFirst) waiter.patientUntil = patience(waiter.who, waiter.ending);
        if (waiter.patientUntil >= hold.until()) continue;
        remove(waiter);
        waiter.refuse();
      }
      admit();
    },
    answered: hold.answered,
    heldMs: hold.leftMs,
  };
}
