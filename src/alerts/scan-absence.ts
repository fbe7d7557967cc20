import type { Order } from "../store-api/schemas.ts";
import type { Page } from "../store-api/store-api.ts";
import { timeOf } from "./scan-page.ts";

/** How the order list is sorted by creation time, as far as the pages read have shown. `mixed` is for certain. */
export type ObservedOrder = "newest_first" | "oldest_first" | "mixed";

/** An alert that was posted and whose order, for all we know, has not left the list. */
export interface OpenOrder {
  readonly id: string;
  readonly createdAt: string;
  readonly status: string;
}

/** When an open order was last in a page that was read. */
interface Sighting {
  /** The round it was last seen, given as missing, or first asked about in. */
  readonly round: number;
  /** How often it was given as missing and yet stayed open; 1 at most once it is seen again. */
  readonly reports: number;
}

export type Sightings = Readonly<Record<string, Sighting>>;

/** A page as one poll read it. */
interface ReadPage {
  readonly number: number;
  readonly page: Page<Order>;
}

const REPORTS_PER_POLL = 5;
const LONGEST_WAIT_ROUNDS = 1024;

/** What the list's order is, given what it was taken for and a page of it (a page is one moment: no shift can blur it). */
export function observeOrder(before: ObservedOrder | undefined, rows: readonly Order[]): ObservedOrder | undefined {
  const times = rows.map(timeOf);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
  const rises = before === "oldest_first" || steps.some((step) => step > 0);
  const falls = before === "newest_first" || steps.some((step) => step < 0);
  if (before === "mixed" || (rises && falls) || times.some(Number.isNaN)) return "mixed";
  if (rises) return "oldest_first";
  return falls ? "newest_first" : undefined;
}

/** The creation times of which a page shows every order: outside of both ends nothing is known. */
function timesCovered({ number, page }: ReadPage, order: ObservedOrder): { after: number; before: number } | undefined {
  if (order === "mixed" || page.skipped > 0 || page.items.length === 0) return undefined;
  const times = page.items.map(timeOf);
  const isFirst = number === 1;
  const isLast = number >= page.lastPage;
  const [opensTowardsNew, opensTowardsOld] = order === "newest_first" ? [isFirst, isLast] : [isLast, isFirst];
  return {
    after: opensTowardsOld ? Number.NEGATIVE_INFINITY : Math.min(...times),
    before: opensTowardsNew ? Number.POSITIVE_INFINITY : Math.max(...times),
  };
}

function waitRounds(reports: number): number {
  return Math.min(2 ** (reports + 1), LONGEST_WAIT_ROUNDS);
}

/**
 * Which open orders have left the list, at most 5 a poll. The evidence is either a sorted page on which the order would
 * have to be and is not, or a whole round of all pages without it. For an order that was given and yet stayed, only rounds
 * count from then on, twice as many each time (at most 1,024), and 4 after it was seen again.
 */
export function findMissing(input: {
  readonly open: readonly OpenOrder[];
  readonly before: Sightings;
  readonly pages: readonly ReadPage[];
  /** Ids in the pages read by this poll. */
  readonly seen: ReadonlySet<string>;
  /** Ids that are about to become open. */
  readonly fresh: readonly string[];
  readonly order: ObservedOrder | undefined;
  /** Rounds completed before this poll, and after it. */
  readonly rounds: readonly [before: number, after: number];
}): { missing: string[]; sightings: Sightings } {
  const [roundBefore, roundAfter] = input.rounds;
  const { order } = input;
  const covered = order ? input.pages.flatMap((page) => timesCovered(page, order) ?? []) : [];
  const sightings = new Map<string, Sighting>(input.fresh.map((id) => [id, { round: roundBefore, reports: 0 }]));
  const missing: string[] = [];
  for (const { id, createdAt } of input.open) {
    const last = Object.hasOwn(input.before, id) ? input.before[id] : undefined;
    if (input.seen.has(id) || last === undefined) {
      sightings.set(id, { round: roundBefore, reports: Math.min(last?.reports ?? 0, 1) });
      continue;
    }
    const time = timeOf({ createdAt });
    const placeIsEmpty = last.reports === 0 && covered.some(({ after, before }) => after < time && time < before);
    const round = placeIsEmpty ? Math.min(last.round, roundAfter - waitRounds(0)) : last.round;
    const isDue = roundAfter - round >= waitRounds(last.reports);
    if (isDue && missing.length < REPORTS_PER_POLL) {
      missing.push(id);
      sightings.set(id, { round: roundAfter, reports: last.reports + 1 });
    } else {
      sightings.set(id, { round, reports: last.reports });
    }
  }
  return { missing, sightings: Object.fromEntries(sightings) };
}

/** Makes the next poll give these ids as missing again, unless it sees them: for those that could not be read. */
export function missingAgain(sightings: Sightings, ids: readonly string[], round: number): Sightings {
  const due = ids.map((id): [string, Sighting] => [id, { round: round - waitRounds(0), reports: 0 }]);
  return { ...sightings, ...Object.fromEntries(due) };
}
