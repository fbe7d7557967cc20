import { idHash } from "../basics/id-hash.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { OrderPage } from "../store-api/store-api.ts";
import { type Absence, isRemembered, type ListMemory, type PageMemory } from "./list-memory.ts";
import { isAlerted, type OrderRow, type PlannedOrder, type PostedOrder } from "./order-row.ts";
import type { ScanInput, ScanResult } from "./scan.ts";

/** Maximum number of orders that one poll reports as missing. Each of them causes a request to the store. */
const reportsPerPoll = 5;
const longestWaitRounds = 1_024;
/** Maximum number of absent orders remembered. It equals the maximum number of followed orders. */
const mostAbsent = 5_000;

/** The parts of the ledger and of the list that `departures` needs. */
export interface LedgerOfDepartures extends Pick<ScanInput, "statuses" | "known"> {
  /** Returns ids of open orders, and of orders whose alert is in the outbox. */
  alertedIds(): Promise<readonly string[]>;
}

/** Whether the list should show the order, by its last known status. */
const isListed = (row: OrderRow | undefined, { statuses }: LedgerOfDepartures): row is PlannedOrder | PostedOrder =>
  isAlerted(row) && hasStatus(row.facts, statuses);

/** Returns the pages as they are now: pages read by this poll, and remembered pages that still exist. */
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

/**
 * Returns the alerted orders that were on a page and now are on none. The number is the last round in which the list may have
 * shown the order.
 */
function vanished(before: ListMemory, pages: ReadonlyMap<number, PageMemory>): Map<number, number> {
  const gone = new Map<number, number>();
  if (pages === before.pages) return gone;
  const standing = new Set([...pages.values()].flatMap(({ alerted }) => alerted));
  for (const [number, page] of before.pages) {
    if (pages.get(number) === page) continue;
    // Every poll reads the first and the last page. It reads the other pages once per round.
    const isEnd = number === 1 || number === page.lastPage;
    const round = isEnd ? before.round : before.round - 1;
    for (const order of page.alerted) if (!standing.has(order)) gone.set(order, round);
  }
  return gone;
}

/** Returns alerted orders that one request of this poll showed, but that were on no page when the poll ended. */
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

/**
 * Returns alerted orders that are on no page: the vanished ones and, after the first round over all pages, also those that this
 * round did not show.
 */
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
    // The order was not shown in the whole first round. Count that like two rounds: it was shown in the first and missing in
    // the second.
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

/** Returns the range of creation times for which the page must show every order. Undefined if the page cannot be trusted for that. */
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
/** Returns the absent orders that seem to have left the list. */
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
    // A sorted page should show the order and does not. From now on the order counts as missing, also in later polls.
    if (placeIsEmpty) left.set(id, { ...absence, round: Math.min(absence.round, round - waitRounds(0)) });
    else if (round - absence.round >= waitRounds(reports)) left.set(id, absence);
  }
  return left;
}

/**
 * Finds the alerted orders that have left the list (scan.ts finds new ones), and the memory for the next poll. Reports at most
 * 5 orders per poll.
 * An order is checked if its page no longer shows it, or if a whole round over all pages did not show it.
 * An order counts as gone if a sorted page should show it and does not, or after two rounds without it. If it was reported as
 * missing but stayed open, only rounds count from then on, twice as many each time (at most 1,024).
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
    // An order whose alert is still in the outbox has no message to edit. It is reported after the alert was posted.
    if (isGiven) missing.push(id);
    if (isGiven) absent.set(id, { createdAt: absence.createdAt, round, reports: absence.reports + 1 });
    else if (isOpen) absent.set(id, absence);
    else absent.delete(id);
  }
  // A shift of the list during the first round can hide an order from every read page. So report the order in the next poll at
  // the earliest.
  if (isFirstRound) for (const [id, absence] of lost) absent.set(id, absence);
  // New orders have no alert yet, so they are only remembered as absent.
  for (const [id, absence] of slippedAway(found, here, pages, before.round)) absent.set(id, absence);
  for (const id of absent.keys()) {
    if (absent.size <= mostAbsent) break;
    absent.delete(id);
  }
  return { missing, memory: { ...found.memory, pages, absent, isPlaced: before.isPlaced || isFirstRound } };
}
