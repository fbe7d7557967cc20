import {
  type Action,
  type Checker,
  clockOf,
  type Evidence,
  minute,
  type RequestTruth,
  type Trouble,
} from "../world/record.ts";
import {
  finding,
  hasRecovered,
  isFirstPage,
  isList,
  isWell,
  lineOf,
  messagesOf,
  statusesIn,
  statusPeriods,
  wasChanged,
  wasRestored,
} from "./reading.ts";
import { statusesAsked, surelyOn, surelyRings } from "./settings.ts";
import { stopsPolls } from "./status.ts";
import { betweenLooksMs, pageCount, words } from "./statuses.ts";

/** After a 429 the bot sends no request for the time that the store names. */
function afterLimit({ storeRequests }: Evidence) {
  const answers = storeRequests
    .filter(({ answer }) => answer?.status === 429)
    .toSorted((one, other) => (one.answer?.at ?? 0) - (other.answer?.at ?? 0));
  const found = storeRequests.filter(({ at, life, token }) =>
    answers.some((limited) => {
      const since = limited.answer?.at ?? 0;
      return limited.life === life && limited.token === token && at > since && at < since + 19_000;
    }),
  );
  const [first] = found;
  return first === undefined
    ? []
    : finding("asked in spite of 429", `${found.length} requests, the first at ${clockOf(first.at)}`);
}

/** Longest time in which one poll asks for page 1 of each list, and the shortest wait after the store refused the token. */
const pollOfListsMs = 12_000;
const refusedMs = 31_000;

/**
 * After the store refused the token at page 1, the bot waits before it tries the token again. A refusal of another page is not
 * checked, because the poll has read page 1 before.
 */
function afterRefusal({ storeRequests, troubles, actions }: Evidence) {
  return troubles.flatMap(({ how, isWhole, from, to }) => {
    const isLeftAlone =
      actions.filter(isCommand).every(({ asked, done = asked }) => done < from - minute || asked > to) &&
      troubles.every((other) => other.kind === "store" || other.from > to || other.to < from || !changesPolls(other));
    if (how !== "token-refused" || isWhole !== true || !isLeftAlone) return [];
    const lists = storeRequests.filter((request) => isList(request) && request.at > from && request.at < to);
    const again = lists.find(({ at, life }) =>
      lists.filter(isFirstPage).some(({ answer, ...before }) => {
        const sinceMs = answer?.status === 401 && before.life === life ? at - answer.at : 0;
        return sinceMs > pollOfListsMs && sinceMs < refusedMs;
      }),
    );
    return again === undefined ? [] : finding("asked with a refused token", `again at ${clockOf(again.at)}`);
  });
}

const pollsWatched = 4;
/** Largest number of requests for an order that the list shows, or that the store no longer has. */
const mostInVain = 10;
/** Pages in one poll: the first, the last, and one between them. */
const pagesOfPoll = 3;
const seldomMs = 10 * minute;

/** While nothing happens, the bot reads few pages and few single orders. */
function quiet(evidence: Evidence) {
  const { storeRequests, setup, orders, actions, endsAt, calmFrom } = evidence;
  if (actions.some(({ what }) => what.kind === "digest" || what.kind === "remind")) return [];
  const changes = [...orders.values()].flatMap(({ statuses }) => statuses.map(({ at }) => at));
  const busy = [...changes, ...actions.flatMap(({ asked, done = asked }) => [asked, done])];
  const lastsMs = pollsWatched * setup.pollMs;
  for (let from = setup.pollMs; from + lastsMs < Math.min(endsAt, calmFrom); from += lastsMs) {
    const to = from + lastsMs;
    const since = from - seldomMs - lastsMs;
    if (since < 0 || busy.some((at) => at > since && at < to) || !hasRecovered(evidence, since, to)) continue;
    const within = storeRequests.filter(({ at }) => at >= from && at < to);
    const lists = within.filter(isList).length;
    const most = (pollsWatched + 1) * pagesOfPoll * statusesAsked(evidence, since, to);
    const singles = within.filter(({ path }) => path.startsWith("/open-api/checkout/order/")).length;
    const isOn = surelyOn(evidence, since, to);
    if (lists > most || singles > lastsMs / betweenLooksMs + 1 || within.length > lists + singles)
      return finding(
        "asked too much",
        `${lists} pages and ${singles} orders of ${within.length} requests, from ${clockOf(from)} to ${clockOf(to)}`,
      );
    if (isOn && lists < pollsWatched - 1)
      return finding("asked too little", `${lists} pages from ${clockOf(from)} to ${clockOf(to)}`);
  }
  return [];
}

/** Troubles that change how often the bot polls. Those of Discord do not. */
const changesPolls = ({ kind }: Trouble) => kind !== "discord" && kind !== "channel";
const isCommand = ({ what }: Action) => what.kind !== "press";

/** Maximum number of successful polls in the time in which `pollsWatched` polls are due. */
const mostPolls = 3 * pollsWatched;

/** While the store answers, the bot polls as often as the schedule says. */
function polls(evidence: Evidence) {
  const { setup, storeRequests, troubles, actions } = evidence;
  const pages = storeRequests.filter((one) => isFirstPage(one) && one.path.includes("status="));
  return [...Map.groupBy(pages, ({ life, path }) => `${life} ${path}`).values()].flatMap((all) =>
    all.flatMap(({ at: from }, index) => {
      const within = all.slice(index, index + mostPolls);
      const to = within.at(-1)?.at ?? from;
      if (within.length < mostPolls || to - from > pollsWatched * setup.pollMs) return [];
      if (within.some(({ answer }) => answer?.status !== 200)) return [];
      const isUntouched = actions
        .filter(isCommand)
        .every(({ asked, done = asked }) => done < from - 2 * minute || asked > to);
      const isSteady = isWell({ ...evidence, troubles: troubles.filter(changesPolls) }, from - minute, to);
      return isUntouched && isSteady ? finding("asked too often", `from ${clockOf(from)} to ${clockOf(to)}`) : [];
    }),
  );
}

/** Requests with less time between them belong to one try. */
const tryMs = 6_000;

/** Divides requests into runs that failed one after another, while people sent no command. A command ends each wait. */
function failures({ actions }: Evidence, all: readonly RequestTruth[]): readonly (readonly RequestTruth[])[] {
  const commands = actions.filter(isCommand);
  const runs: RequestTruth[][] = [[]];
  for (const one of all) {
    const last = runs.at(-1)?.at(-1);
    const isApart = commands.some(
      ({ asked, done = asked + minute }) => asked <= one.at && done >= (last?.at ?? 0) - minute,
    );
    const { status = 0 } = one.answer ?? {};
    if (status < 500 && status !== 403) runs.push([]);
    else if (isApart) runs.push([one]);
    else runs.at(-1)?.push(one);
  }
  return runs;
}

/** While the store is down, the bot asks it less and less often. */
function down(evidence: Evidence) {
  const byLife = Map.groupBy(evidence.storeRequests.filter(isFirstPage), ({ life }) => life);
  return [...byLife.values()]
    .flatMap((all) => failures(evidence, all))
    .flatMap((run) => {
      const [from, to] = [run[0]?.at ?? 0, run.at(-1)?.at ?? 0];
      const seconds = (to - from) / 1_000;
      // The waits double up to 5 minutes, and each may be half as long. The first tries follow each other within `tryMs`.
      const most = Math.ceil(2 + Math.log2(Math.min(seconds, 300) / 4) + seconds / 150);
      const tries = run.filter(({ at }, index) => at - (run[index - 1]?.at ?? 0) > tryMs).length;
      if (seconds < 60 || tries <= most) return [];
      return finding("asked a store that is down", `${tries} times from ${clockOf(from)} to ${clockOf(to)}`);
    });
}

/** Whether one page of the store shows all orders that have the status at some time between two times. */
function fitOnPage({ setup, orders, troubles }: Evidence, status: string, from: number, to: number): boolean {
  const { honoursStatus, rowsPerPage = 100 } = setup.store;
  const isFiltered = honoursStatus && troubles.every(({ how }) => how !== "lists changed");
  const listed = [...orders.values()].filter((order) =>
    statusesIn(order, from, to).some((one) => !isFiltered || one === status),
  );
  return listed.length <= rowsPerPage;
}

/**
 * The bot does not ask for single orders that a list shows. This is checked while one page shows the whole list, and the bot
 * has read this page. A person who opens an order's card also causes a request.
 */
function listed(evidence: Evidence) {
  const { storeRequests, orders, actions } = evidence;
  const settled = storeRequests.flatMap(({ at, life, path, answer }) => {
    const order = orders.get(path.slice(path.lastIndexOf("/") + 1));
    if (order === undefined || answer?.status !== 200) return [];
    const since = statusPeriods(order).findLast(({ from }) => from < at);
    if (since?.status === undefined || !surelyRings(evidence, since.status, since.from, at)) return [];
    const begun = Math.max(
      since.from,
      ...actions.filter(isCommand).map(({ asked, done = asked }) => (asked < at ? done : 0)),
    );
    const read = storeRequests.filter((one) => one.life === life && isFirstPage(one) && one.at > begun && one.at < at);
    const isRead = read.filter(({ answer }) => answer?.status === 200).length > statusesAsked(evidence, begun, at);
    const isSteady = evidence.troubles.every((one) => one.to < begun || one.from > at || !changesPolls(one));
    return isRead && isSteady && fitOnPage(evidence, since.status, begun, at) ? [{ id: order.id, at }] : [];
  });
  return [...Map.groupBy(settled, ({ id }) => id)].flatMap(([id, all]) =>
    all.length <= mostInVain
      ? []
      : finding(
          "asked for what is listed",
          `${id.slice(0, 8)}, ${all.length} times, at last at ${clockOf(all.at(-1)?.at ?? 0)}`,
        ),
  );
}

/** Time until it is recorded that an order is not followed any more, after an edit of its alert. */
const recordedMs = minute;

/**
 * When its alert shows that an order was refunded, the bot does not ask for the order again. A restored copy follows the order
 * until the next answer. A card and `/store connect` cause some requests, and a reminder one for each order of its alert.
 */
function closed(evidence: Evidence) {
  const { storeRequests, orders, actions } = evidence;
  if (actions.some(({ what }) => what.kind === "remind")) return [];
  const inVain = storeRequests.filter(({ at, path }) => {
    const order = orders.get(path.slice(path.lastIndexOf("/") + 1));
    if (order === undefined) return false;
    const { status, from } = statusPeriods(order).findLast((period) => period.from < at) ?? { from: at };
    const shownAt = messagesOf(evidence, "alert", order.id)
      .at(-1)
      ?.versions.find((version) => version.at > from && lineOf(version, order)?.includes(words.REFUNDED ?? ""))?.at;
    return status === "REFUNDED" && shownAt !== undefined && at > shownAt + recordedMs;
  });
  const ofCopy = wasRestored(evidence) ? new Set(inVain.map(({ path }) => path)).size : 0;
  return inVain.length - ofCopy <= mostInVain
    ? []
    : finding("asked for what is closed", `${inVain.length} times, at last at ${clockOf(inVain.at(-1)?.at ?? 0)}`);
}

/** The next process does not continue the waits of a killed or stopped process, but polls within this time. */
const atOnceMs = 12_000;

function restarts(evidence: Evidence) {
  const { starts, storeRequests, troubles, calmFrom } = evidence;
  return starts.flatMap(({ at, life }) => {
    const by = at + atOnceMs;
    const isOn = surelyOn(evidence, at - minute, by);
    const isAlone = troubles.every(
      ({ kind, how, from, to }) =>
        from > by || to <= at - (kind === "second" ? minute : 0) || (kind === "process" && how === undefined),
    );
    const wasAsked = storeRequests.some((request) => request.life === life && isList(request) && request.at <= by);
    if (!isOn || !isAlone || by > calmFrom || wasAsked) return [];
    return finding("started late", `process ${life}, started at ${clockOf(at)}, polls later than ${clockOf(by)}`);
  });
}

/** Twice the time after which a lease ends that is not renewed. */
const leaseMs = minute / 2;

/** While one process polls, the others stand by. */
function pollers(evidence: Evidence) {
  const lists = evidence.storeRequests.filter(isList);
  const changes = lists.filter(({ life }, index) => life !== lists[index - 1]?.life);
  const serious = { ...evidence, troubles: evidence.troubles.filter(stopsPolls) };
  const again = changes.find(({ at, life }, index) => {
    const before = changes[index - 2];
    if (before?.life !== life) return false;
    const since = before.at - leaseMs;
    // A command reads lists, too, perhaps in a process that stands by.
    return isWell(serious, since, at) && !wasChanged(evidence, since, at);
  });
  return again === undefined
    ? []
    : finding("two processes poll", `again process ${again.life} at ${clockOf(again.at)}`);
}

/** A new token ends every wait, so the next poll uses the new token. */
function reconnects(evidence: Evidence) {
  const { setup, storeRequests, troubles, endsAt } = evidence;
  return troubles.flatMap((trouble) => {
    const { how, to } = trouble;
    const by = to + setup.pollMs + atOnceMs;
    const isOn = surelyOn(evidence, to - minute, by);
    const isAlone = troubles.every((other) => other === trouble || other.from > by || other.to < to);
    const wasAsked = storeRequests.some((request) => isList(request) && request.at > to && request.at <= by);
    if ((how !== "new token" && how !== "other store") || !isOn || !isAlone || by > endsAt || wasAsked) return [];
    return finding("connected in vain", `at ${clockOf(to)}, no poll until ${clockOf(by)}`);
  });
}

/**
 * The bot does not ask again and again for an order that the store no longer has. But it asks until it has read all pages,
 * because the order may be on one of them. After each start and each change of the settings, it reads all pages again.
 */
function goneForGood(evidence: Evidence) {
  const { storeRequests, troubles, starts, actions } = evidence;
  if (troubles.some(({ how }) => how === "not-found")) return [];
  const most = mostInVain + pageCount(evidence) * (starts.length + actions.length);
  const inVain = storeRequests.filter(({ answer }) => answer?.status === 404);
  return [...Map.groupBy(inVain, ({ path }) => path)].flatMap(([path, all]) =>
    all.length <= most ? [] : finding("asked for what is gone", `${path}, ${all.length} times`),
  );
}

/** From the start of a search without a result, the bot waits a minute before the next search. A search takes up to 10 s. */
const searchedAgainMs = 49_000;

/** The bot reads the store's products only for rules with a category or a product, and does not search again and again. */
function products(evidence: Evidence) {
  const { actions, storeRequests, troubles } = evidence;
  const isWanted = actions.some(({ what }) => what.kind === "rule" && (what.category ?? what.product) !== undefined);
  const asked = storeRequests.filter(({ path }) => path.startsWith("/open-api/catalog/"));
  if (!isWanted && asked.length > 0) return finding("asked for products", `${asked.length} times`);
  const searches = asked.filter(({ path, answer }) => path.includes("title=") && answer?.status === 200);
  const again = searches.find(({ at, life, path }, index) => {
    const before = searches.findLast((one, other) => other < index && one.life === life && one.path === path);
    // A process that polls again after another one does not know earlier searches. Commands search for products, too.
    const since = (before?.at ?? 0) - minute;
    const isSteady = troubles.every(
      (one) => !changesPolls(one) || one.kind === "store" || one.to < since || one.from > at,
    );
    return before !== undefined && at < before.at + searchedAgainMs && isSteady && !wasChanged(evidence, since, at);
  });
  return again === undefined ? [] : finding("searched again and again", `${again.path} at ${clockOf(again.at)}`);
}

export const requestsToStore: Checker = (evidence) =>
  [
    afterLimit,
    afterRefusal,
    quiet,
    polls,
    down,
    listed,
    closed,
    restarts,
    pollers,
    reconnects,
    goneForGood,
    products,
  ].flatMap((check) => check(evidence));
