import { type Checker, clockOf, type Evidence, minute, type RequestTruth } from "../world/record.ts";
import { finding, isList } from "./reading.ts";
import { surelyOff } from "./settings.ts";

/** Discord's limit for a bot, in requests a second. */
const discordPerSecond = 50;
/** Maximum number of running requests with one token. */
const storeAtOnce = 4;
/** A request may wait a moment in the queue, and the next one does not. */
const jitterMs = 50;

/** Maximum number of requests a second while the bot reads all orders of a store in the background. */
const backgroundPerSecond = 5;

/** Returns the requests before the first repeated one, because with this one the bot begins to read the lists again. */
function upToRepeat(all: readonly RequestTruth[]): readonly RequestTruth[] {
  const repeat = all.findIndex(({ path }, index) => all.findIndex((one) => one.path === path) < index);
  return repeat === -1 ? all : all.slice(0, repeat);
}

/** Pages of a list in two polls: the first, the last, and one between them. The first two polls may follow at once. */
const pagesOfPolls = 6;

/** Finds requests for the baseline that came too fast, as long as people and the store change nothing. */
function rushedReading({ storeRequests, actions, orders, setup }: Evidence) {
  // If the store mixes all statuses, a poll goes on after a page without orders of the wanted status.
  if (!setup.store.honoursStatus) return [];
  const set = actions.find(({ what, done }) => what.kind === "alerts-set" && done !== undefined);
  const since = set?.done ?? Number.POSITIVE_INFINITY;
  const changes = [...orders.values()].flatMap(({ statuses }) => statuses.map(({ at }) => at));
  const until = Math.min(...[...changes, ...actions.map(({ asked }) => asked)].filter((at) => at > since));
  const most = backgroundPerSecond + pagesOfPolls * setup.statuses.length;
  const all = storeRequests.filter(
    (one) => isList(one) && one.at > since && one.at < until && one.answer?.status === 200,
  );
  const first = all.find(
    ({ at }, index) => (all[index + most]?.at ?? Number.POSITIVE_INFINITY) < at + 1_000 - jitterMs,
  );
  return first === undefined ? [] : finding("read too fast", `in the background, from ${clockOf(first.at)} on`);
}

/**
 * The requests for lists that the store answered. Leaves out those that were repeated after a failure: a request waits for its
 * turn only once.
 */
function answeredLists({ storeRequests }: Evidence): RequestTruth[] {
  const failed = new Set<string>();
  return storeRequests.filter(isList).filter(({ life, path, answer }) => {
    const isRepeated = failed.delete(`${life} ${path}`);
    if (answer?.status === 200) return !isRepeated;
    failed.add(`${life} ${path}`);
    return false;
  });
}

/** Finds requests of one process that came too fast: for a digest, or for the orders that exist when alerts are turned on. */
function rushed(evidence: Evidence) {
  const { actions } = evidence;
  const lists = answeredLists(evidence);
  const digests = lists.filter(({ path }) => path.includes("page=") && !path.includes("status="));
  const whileTurnedOn = actions.flatMap(({ what, asked, done = asked }) => {
    if (what.kind !== "alerts-set" || !surelyOff(evidence, asked - minute, asked - 1)) return [];
    return [upToRepeat(lists.filter(({ at, path }) => asked < at && at < done && path.includes("status=")))];
  });
  return [...whileTurnedOn, ...Map.groupBy(digests, ({ life }) => life).values()].flatMap((all) => {
    const first = all.find(
      ({ at }, index) => (all[index + backgroundPerSecond]?.at ?? Number.POSITIVE_INFINITY) < at + 1_000 - jitterMs,
    );
    return first === undefined ? [] : finding("read too fast", `from ${clockOf(first.at)} on`);
  });
}

/** The bot keeps the limits of Discord and of the store. */
export const budgets: Checker = (evidence) => {
  const { discordRequests, storeAtOnce: most } = evidence;
  const busiest = discordRequests.findIndex(
    ({ at }, index) => (discordRequests[index + discordPerSecond]?.at ?? Number.POSITIVE_INFINITY) < at + 1_000,
  );
  const at = clockOf(discordRequests[busiest]?.at ?? 0);
  const ofDiscord = busiest === -1 ? [] : finding("too many requests", `to Discord within a second, at ${at}`);
  const ofStore = most <= storeAtOnce ? [] : finding("too many requests", `${most} to the store at once`);
  return [...ofDiscord, ...ofStore, ...rushed(evidence), ...rushedReading(evidence)];
};
