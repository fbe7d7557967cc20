import type { Happening, History } from "./history.ts";
import { kinds, ruleNames, type Step } from "./kinds.ts";
import { Stream } from "./randomness.ts";
import type { Setup } from "./setup.ts";
import { hour, minute, second } from "./world/record.ts";

const setUpMs = 15 * second;

/** An event without its time and number. */
type Body = Happening extends infer One ? (One extends Happening ? Omit<One, "at" | "id"> : never) : never;

/**
 * For each schedule: how often the bot polls, the lengths of a history with this schedule, and how often the schedule is drawn.
 */
const schedules = {
  often: { schedule: "*/2 * * * * *", pollMs: 2 * second, hours: [0.25, 0.5], weight: 1 },
  usual: { schedule: "*/15 * * * * *", pollMs: 15 * second, hours: [0.3, 1, 1.5], weight: 10 },
  minute: { schedule: "0 * * * * *", pollMs: minute, hours: [1, 2], weight: 4 },
  hourly: { schedule: "0 0 * * * *", pollMs: hour, hours: [5, 10], weight: 4 },
  daily: { schedule: "0 0 9 * * *", pollMs: 24 * hour, hours: [30, 50], weight: 0.4 },
} as const;

/**
 * Start times: some minutes before a full hour, so that short histories have digests, too. Soon after each of the first three,
 * clocks are set forward or back in some time zones.
 */
const starts = [
  Date.UTC(2026, 2, 28, 5, 52),
  Date.UTC(2026, 9, 24, 5, 52),
  Date.UTC(2026, 10, 1, 2, 52),
  Date.UTC(2026, 5, 15, 11, 52),
];

/** The bot reads a list with more pages than this in the background. */
const pagesAtOnce = 5;
/** More orders at once than this count as a flood. If pages are small, the bot needs several polls to find all of them. */
const mostAtOnce = 500;
/**
 * For each kind of event one of these weights is drawn. So each history lacks some kinds, and may have many events of another
 * kind.
 */
const weights = [0, 0, 0, 0.5, 1, 1, 3];

function drawSetup(stream: Stream, hoursWanted: number | undefined): Setup {
  const names = Object.fromEntries(Object.entries(schedules).map(([name, { weight }]) => [name, weight]));
  const { schedule, pollMs, hours } = schedules[stream.weighted(names) as keyof typeof schedules];
  const isNumbered = stream.chance(0.12);
  const size = stream.weighted({ none: 3, few: 5, pages: 2, many: 1 });
  const waiting = {
    none: 0,
    few: stream.between(1, 40),
    pages: stream.between(101, 450),
    many: stream.between(501, 900),
  }[size];
  const paid = stream.chance(0.6) ? stream.between(0, stream.pick([200, 900, 900])) : 0;
  const isSmallPaged = stream.chance(0.3);
  return {
    startsAt: stream.pick(starts),
    hours: hoursWanted ?? stream.pick(hours),
    schedule,
    pollMs,
    statuses: stream.pick([
      ["PENDING"],
      ["PENDING"],
      ["PENDING", "PAID"],
      ["PENDING", "PAID"],
      ["PENDING", "PAID"],
      ["PAID"],
      ["PAID"],
    ]),
    privacy: stream.pick(["none", "masked", "full"]),
    store: {
      ordering: stream.pick(["newest-first", "newest-first", "oldest-first", "by-id", "last-changed-first"]),
      ...(isSmallPaged ? { rowsPerPage: stream.pick([10, 10, 25]) } : {}),
      honoursStatus: stream.chance(0.85),
      severalStatuses: stream.pick(["all", "all", "first", "none", "ignored"]),
      ids: isNumbered ? "number" : "uuid",
      times: stream.pick(["own", "own", "own", "own", "own", "missing", "behind", "same"]),
      products: isSmallPaged ? stream.pick([9, 60]) : stream.pick([9, 9, 350]),
      waiting: { PENDING: isSmallPaged ? stream.between(0, 150) : waiting, PAID: paid, CANCELLED: Math.min(paid, 30) },
    },
    discord: { nonces: stream.chance(0.85) },
    latency: {
      store: stream.pick([
        [20, 100],
        [50, 400],
        [300, 2_500],
      ]),
      discord: stream.pick([
        [40, 150],
        [80, 400],
        [200, 1_500],
      ]),
    },
  };
}

const endings = ["PAID", "PAID", "PAID", "CANCELLED", "EXPIRED", "gone"] as const;

/** An order changes within this many polls, so that most orders change before the history ends. */
const pollsToChange = 40;

function drawSteps(stream: Stream, { pollMs }: Setup): Step[] {
  // If polls are rare, most changes of an order have polls between them.
  const least = pollMs > minute ? pollMs / 20 : second;
  const after = () => stream.lasting(least, Math.min(pollsToChange * pollMs, 2 * hour));
  const way = stream.weighted({ stays: 3, ends: 4, further: 2, refunded: 4, returns: 1, again: 3, vanishes: 1 });
  switch (way) {
    case "stays":
      return [];
    case "ends":
      return [{ afterMs: after(), to: stream.pick(endings) }];
    case "further":
      return [
        { afterMs: after(), to: stream.pick(["PROCESSING", "PAID"]) },
        { afterMs: after(), to: stream.pick(["PAID", "REFUNDED", "DELIVERED"]) },
      ];
    case "refunded":
      return [
        { afterMs: after(), to: "PAID" },
        { afterMs: after(), to: "REFUNDED" },
      ];
    case "returns":
      return [
        { afterMs: after(), to: stream.pick(["PROCESSING", "FAILED"]) },
        { afterMs: after(), to: "PENDING" },
      ];
    case "again": {
      const [first, between] = stream.pick([
        ["PAID", "PENDING"],
        ["REFUNDED", "PAID"],
      ]);
      return [first, between, first].map((to = "") => ({ afterMs: after(), to }));
    }
    case "vanishes":
      return [
        { afterMs: after(), to: "gone" },
        { afterMs: after(), to: "back" },
      ];
  }
}

function drawOrders(stream: Stream, setup: Setup, most: number): Body {
  const size = stream.weighted({ one: 10, few: 6, burst: 3, flood: most > 100 ? 1.2 : 0 });
  const count = {
    one: 1,
    few: stream.between(2, 8),
    burst: stream.between(6, 60),
    flood: stream.lasting(Math.min(most, 400), most),
  }[size];
  const status = stream.weighted({ PENDING: 8, PAID: 1, PROCESSING: 0.5 });
  return {
    kind: "orders",
    count,
    status,
    steps: drawSteps(stream, setup),
    product: stream.weighted({ old: 6, new: 2, late: 1.5, unlisted: 1 }),
    category: stream.below(3),
    ...(count > 1 && stream.chance(0.3) ? { moving: stream.between(1, count - 1) } : {}),
  };
}

/** Draws a number of events. The mean of such numbers is about `expected`. */
const countOf = (stream: Stream, expected: number) => Math.floor(expected * 2 * stream.next() + stream.next() * 0.999);

/**
 * Returns the time of an event that was drawn before, if the new event must happen close to that event. Presses, `/alerts
 * status` and suspensions of a second process happen close to the start of a second process. Other events often happen close to
 * many orders at once, or to the moment at which orders change their status.
 */
function otherFor(stream: Stream, body: Body, others: readonly Happening[]): number | undefined {
  if (others.length === 0 || stream.chance(0.5)) return undefined;
  const isOfProcesses = body.kind === "press" || body.kind === "status" || (body.kind === "stop" && body.isSpare);
  const doubled = isOfProcesses ? others.find(({ kind }) => kind === "second-process") : undefined;
  if (doubled !== undefined) return doubled.at + 2 * second;
  const floods = others.filter((other) => other.kind === "orders" && other.count > mostAtOnce);
  const other = stream.pick(floods.length > 0 && stream.chance(0.7) ? floods : others);
  const [step] = other.kind === "orders" ? other.steps : [];
  return other.at + (step !== undefined && stream.chance(0.5) ? step.afterMs : 0);
}

/** Milliseconds from a time of the history to the next poll. The set-up of the bot takes about {@link setUpMs}. */
const untilPoll = ({ startsAt, pollMs }: Setup, at: number) => pollMs - ((startsAt + setUpMs + at) % pollMs);

/**
 * Draws the time of an event. Half of the events happen close to another event, or to the poll that sees the other event.
 * Faults matter while something is under way.
 */
function drawTime(stream: Stream, body: Body, others: readonly Happening[], setup: Setup): number {
  const length = setup.hours * hour;
  const other = otherFor(stream, body, others);
  const free = Math.round(stream.next() * length);
  if (other === undefined) return free;
  const seen = other + (stream.chance(0.5) ? untilPoll(setup, other) : 0);
  const apart = stream.lasting(10, minute);
  const lastsMs = "forMs" in body ? body.forMs : body.kind === "connect" ? body.afterMs : undefined;
  const isBefore = lastsMs !== undefined && stream.chance(0.6);
  return Math.min(Math.max(isBefore ? seen - Math.min(apart, lastsMs / 2) : seen + apart, 0), length);
}

/** The bot reads the baseline within this time after the set-up. */
const readingMs = 2 * minute;

/**
 * Draws events for the time in which the bot reads the baseline: some of its orders change, people choose other statuses, and a
 * page fails.
 */
function addToReading(stream: Stream, setup: Setup, add: (at: number, body: Body) => void): void {
  const { store, statuses } = setup;
  const rows = Math.max(...statuses.map((status) => store.waiting[status] ?? 0));
  for (let left = stream.between(1, 3); left > 0; left--) {
    const every = stream.pick([1, 1, 7, 20]);
    add(stream.lasting(100, readingMs), { kind: "waiting-move", count: stream.between(1, 20), to: "PAID", every });
  }
  for (const kind of ["alerts-set", "rule"] as const) {
    if (!stream.chance(0.3)) continue;
    add(stream.lasting(second, readingMs), {
      kind,
      ...kinds[kind].draw(stream, setup, stream.pick(ruleNames)),
    } as Body);
  }
  const isLong = rows > pagesAtOnce * (store.rowsPerPage ?? 100);
  for (let left = isLong ? 3 : 0; left > 0; left--) add(stream.lasting(second, readingMs), { kind: "status" });
  if (isLong && stream.chance(0.7)) {
    const forMs = stream.lasting(minute, 20 * minute);
    const fault = { how: "unavailable", what: "lists", page: stream.between(2, pagesAtOnce), share: 1, forMs } as const;
    add(stream.lasting(10, second), { kind: "store-fault", ...fault });
  }
}

/** Kinds that other events depend on. They are drawn first, and happen early. */
const isFirst = (kind: string): boolean => ["rule", "remind", "digest"].includes(kind);

/** The kinds with a usual number, in the sequence in which they are drawn. */
const drawnKinds = Object.entries(kinds)
  .flatMap(([kind, of]) => ("usual" in of ? [{ kind, ...of }] : []))
  .toSorted((one, other) => Number(isFirst(other.kind)) - Number(isFirst(one.kind)));

/**
 * Draws a history from its seed.
 *
 * @param hours length of the history; drawn if it is left out
 */
export function drawHistory(seed: number, hours?: number): History {
  const setup = drawSetup(new Stream(seed, "setup"), hours);
  const counts = new Stream(seed, "counts");
  const length = setup.hours * hour;
  const found: Happening[] = [];
  const add = (at: number, body: Body) =>
    void found.push({ at: Math.round(at), id: found.length, ...body } as Happening);
  const ofOrders = new Stream(seed, "happening orders");
  const isSmall = setup.store.ordering === "by-id" || setup.store.rowsPerPage !== undefined;
  const most = isSmall ? 100 : counts.chance(0.4) ? 5_000 : 400;
  for (let index = counts.between(4, 25); index > 0; index--)
    add(ofOrders.next() * length, drawOrders(ofOrders, setup, most));
  if (counts.chance(0.6)) addToReading(new Stream(seed, "reading"), setup, add);
  for (const { kind, usual, draw } of drawnKinds) {
    const stream = new Stream(seed, `happening ${kind}`);
    for (let count = countOf(counts, usual * counts.pick(weights)); count > 0; count--) {
      const made = found.flatMap((other) => (other.kind === "rule" ? [other.name] : []));
      const name = stream.pick(kind === "rule" || made.length === 0 ? ruleNames : made);
      const body = { kind, ...draw(stream, setup, name) } as Body;
      const at = isFirst(kind) ? stream.next() * length * 0.3 : drawTime(stream, body, found, setup);
      add(at, body);
      if (body.kind !== "discord-fault" && body.kind !== "channel") continue;
      // Orders come while Discord refuses or loses messages.
      const count = body.how === "refused-together" ? ofOrders.between(6, 60) : ofOrders.between(1, 8);
      const orders = { ...drawOrders(ofOrders, setup, 5), count };
      add(at + ofOrders.lasting(second, Math.max(body.forMs, 2 * second)), orders as Body);
      if (body.kind !== "channel") continue;
      // The same channel fails again later.
      const again = at + body.forMs + stream.lasting(10 * second, 20 * minute);
      if (again < length && stream.chance(0.3)) add(again, body);
    }
  }
  return { seed, setup, happenings: found.toSorted((one, other) => one.at - other.at || one.id - other.id) };
}
