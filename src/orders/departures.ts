import { idHash } from "../basics/id-hash.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { OrderPage } from "../store-api/store-api.ts";
import { type Absence, isRemembered, type ListMemory, type PageMemory } from "./list-memory.ts";
import { isAlerted, type OrderRow, type PlannedOrder, type PostedOrder } from "./order-row.ts";
import type { ScanInput, ScanResult } from "./scan.ts";

/** Orders given as missing by one poll: each is a request to the store. */
const reportsPerPoll = 5;
const longestWaitRounds = 1_024;
/** Orders on no page that are remembered: as many as are followed. */
const mostAbsent = 5_000;

/** What departures need of the ledger, and of the list. */
export interface LedgerOfDepartures extends Pick<ScanInput, "statuses" | "known"> {
  /** Of orders whose alert stands in a channel, or is about to. */
  alertedIds(): Promise<readonly string[]>;
}

/** Whether the list has the order as far as is known. One that is known to have left it is no news. */
const isListed = (row: OrderRow | undefined, { statuses }: LedgerOfDepartures): row is PlannedOrder | PostedOrder =>
  isAlerted(row) && hasStatus(row.facts, statuses);

/** The pages as they stand now: those read now, and those remembered that are still there. */
function pagesNow(before: ListMemory, found: ScanResult): ReadonlyMap<number, PageMemory> {
  const pages = new Map([...before.pages].filter(([number]) => isRemembered(number, found.lastPage)));
  const fresh = new Set(found.fresh.map(({ id }) => id));
  for (const [number, page] of found.pages) {
    if (page === undefined || !isRemembered(number, found.lastPage)) continue;
    const alerted = page.items.filter(({ id }) => fresh.has(id) || isAlerted(found.known.get(id)));
    const { fingerprint, lastPage } = page;
    pages.set(number, { fingerprint, lastPage, alerted: alerted.map(({ id }) => idHash(id)) });
  }
  return pages;
}

/** Alerted orders that stood on a page and now stand on none, with the round in which they were last seen at the latest. */
function vanished(before: ListMemory, pages: ReadonlyMap<number, PageMemory>): Map<number, number> {
  const gone = new Map<number, number>();
  if (pages === before.pages) return gone;
  const standing = new Set([...pages.values()].flatMap(({ alerted }) => alerted));
  for (const [number, page] of before.pages) {
    if (pages.get(number) === page) continue;
    // The first and the last page are read by every poll, the others once in a round.
    const isEnd = number === 1 || number === page.lastPage;
    const round = isEnd ? before.round : before.round - 1;
    for (const order of page.alerted) if (!standing.has(order)) gone.set(order, round);
  }
  return gone;
}

/** Alerted orders that one request of this poll showed, and that stood on no page any more when it ended. */
function slippedAway(
  { rows, fresh, known }: ScanResult,
  here: ReadonlySet<string>,
  pages: ReadonlyMap<number, PageMemory>,
  round: number,
): Map<string, Absence> {
  const slipped = new Map<string, Absence>();
  if (rows.size === here.size) return slipped;
  const standing = new Set([...pages.values()].flatMap(({ alerted }) => alerted));
  const isFresh = new Set(fresh.map(({ id }) => id));
  for (const [id, { createdAt }] of rows) {
    if (here.has(id) || standing.has(idHash(id)) || !(isFresh.has(id) || isAlerted(known.get(id)))) continue;
    slipped.set(id, { createdAt, round, reports: 0 });
  }
  return slipped;
}

/** Orders that left every page: those that vanished, and after a first round of all pages those that it did not show. */
async function outOfSight(
  before: ListMemory,
  pages: ReadonlyMap<number, PageMemory>,
  isFirstRound: boolean,
  ledger: LedgerOfDepartures,
): Promise<Map<string, Absence>> {
  const gone = vanished(before, pages);
  const found = new Map<string, Absence>();
  if (gone.size === 0 && !isFirstRound) return found;
  const standing = new Set(isFirstRound ? [...pages.values()].flatMap(({ alerted }) => alerted) : []);
  const rounds = new Map<string, number>();
  for (const id of await ledger.alertedIds()) {
    const number = idHash(id);
    // A whole first round without it is as good as two of which the first one had it.
    const round = gone.get(number) ?? (isFirstRound && !standing.has(number) ? before.round - 1 : undefined);
    if (round !== undefined && !before.absent.has(id)) rounds.set(id, round);
  }
  const known = await ledger.known([...rounds.keys()]);
  for (const [id, round] of rounds) {
    const entry = known.get(id);
    if (isListed(entry, ledger)) found.set(id, { createdAt: entry.facts.createdAt, round, reports: 0 });
  }
  return found;
}

/** The creation times of which a page shows every order: outside of both ends nothing is known. */
function timesCovered(number: number, page: OrderPage, isNewestFirst: boolean) {
  const times = page.items.flatMap(({ createdAt }) => createdAt ?? []);
  if (page.skipped > 0 || page.cut || times.length === 0 || times.length < page.items.length) return undefined;
  const isFirst = number === 1;
  const isLast = number >= page.lastPage;
  const [opensTowardsNew, opensTowardsOld] = isNewestFirst ? [isFirst, isLast] : [isLast, isFirst];
  return {
    after: opensTowardsOld ? Number.NEGATIVE_INFINITY : Math.min(...times),
    before: opensTowardsNew ? Number.POSITIVE_INFINITY : Math.max(...times),
  };
}

const waitRounds = (reports: number) => Math.min(2 ** (reports + 1), longestWaitRounds);
/** Those of the absent orders that have left, for all that is known, with what is remembered of those that are not given now. */
function due(absent: ReadonlyMap<string, Absence>, found: ScanResult): Map<string, Absence> {
  const { sorting, round } = found.memory;
  const covered =
    sorting === undefined || sorting === "mixed"
      ? []
      : [...found.pages].flatMap(
          ([number, page]) => (page && timesCovered(number, page, sorting === "newest_first")) ?? [],
        );
  const left = new Map<string, Absence>();
  for (const [id, absence] of absent) {
    const { createdAt: time, reports } = absence;
    const placeIsEmpty =
      reports === 0 && time !== undefined && covered.some(({ after, before }) => after < time && time < before);
    // A place that was seen empty stays evidence.
    if (placeIsEmpty) left.set(id, { ...absence, round: Math.min(absence.round, round - waitRounds(0)) });
    else if (round - absence.round >= waitRounds(reports)) left.set(id, absence);
  }
  return left;
}

/**
 * Which alerted orders have left the list, at most 5 a poll, and what is to be remembered for the next poll. Only an order
 * that is not any more where it stood, or that a whole round of all pages did not show, comes into question. The evidence
 * is either a sorted page on which it would have to be and is not, or two rounds without it. For an order that was given
 * and yet stayed open, only rounds count from then on, twice as many each time (at most 1,024).
 */
export async function departures(
  before: ListMemory,
  found: ScanResult,
  ledger: LedgerOfDepartures,
): Promise<{ missing: string[]; memory: ListMemory }> {
  const isQuiet = [...found.pages.values()].every((page) => page === undefined);
  const pages = isQuiet ? before.pages : pagesNow(before, found);
  const { round } = found.memory;
  const isFirstRound = round > before.round && !before.isPlaced;
  const here = new Set(
    [...found.pages].flatMap(([number, page]) =>
      page && number <= found.lastPage ? page.items.map(({ id }) => id) : [],
    ),
  );
  const absent = new Map([...before.absent].filter(([id]) => !here.has(id)));
  const lost = await outOfSight(before, pages, isFirstRound, ledger);
  if (!isFirstRound) for (const [id, absence] of lost) absent.set(id, absence);
  const left = due(absent, found);
  const known = await ledger.known([...left.keys()]);
  const missing: string[] = [];
  for (const [id, absence] of left) {
    const entry = known.get(id);
    const isOpen = isListed(entry, ledger);
    const isGiven = isOpen && entry.state === "open" && missing.length < reportsPerPoll;
    // Of one that is still planned there is no message to be brought up to date: it is given once there is.
    if (isGiven) missing.push(id);
    if (isGiven) absent.set(id, { createdAt: absence.createdAt, round, reports: absence.reports + 1 });
    else if (isOpen) absent.set(id, absence);
    else absent.delete(id);
  }
  // What was never seen by this process may just have been shifted past it: the next poll has a word in it.
  if (isFirstRound) for (const [id, absence] of lost) absent.set(id, absence);
  // And what is new has no alert yet.
  for (const [id, absence] of slippedAway(found, here, pages, before.round)) absent.set(id, absence);
  for (const id of absent.keys()) {
    if (absent.size <= mostAbsent) break;
    absent.delete(id);
  }
  return { missing, memory: { ...found.memory, pages, absent, isPlaced: before.isPlaced || isFirstRound } };
}
