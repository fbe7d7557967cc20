import type { Condition, DiscordFault, Happening, History, Kind, Setup, Step, StoreFault } from "./history.ts";
import { Stream } from "./randomness.ts";
import { channelNames } from "./world/discord.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const setUpMs = 15 * second;

/** Others are drawn with these, or are in each history. */
type Drawn = Exclude<Kind, "orders" | "waiting-move" | "rule-first" | "rule-gone">;
type Body = Happening extends infer One ? (One extends Happening ? Omit<One, "at" | "id"> : never) : never;

/** How often polls are, how long a history with such polls is, and how often that is drawn. */
const schedules = {
  often: { schedule: "*/2 * * * * *", pollMs: 2 * second, hours: [0.25, 0.5], weight: 1 },
  usual: { schedule: "*/15 * * * * *", pollMs: 15 * second, hours: [0.3, 1, 1.5], weight: 10 },
  minute: { schedule: "0 * * * * *", pollMs: minute, hours: [1, 2], weight: 4 },
  hourly: { schedule: "0 0 * * * *", pollMs: hour, hours: [5, 10], weight: 4 },
  daily: { schedule: "0 0 9 * * *", pollMs: 24 * hour, hours: [30, 50], weight: 0.4 },
} as const;

/** On the weekends of these days clocks change somewhere. */
const starts = [
  Date.UTC(2026, 2, 28, 6),
  Date.UTC(2026, 9, 24, 6),
  Date.UTC(2026, 10, 1, 3),
  Date.UTC(2026, 5, 15, 12),
];

/** How many of each there are in a history, before the seed's own weight. */
const usual: Readonly<Record<Drawn, number>> = {
  "discord-fault": 3,
  "store-fault": 3,
  "disk-fault": 0.7,
  channel: 1.2,
  kill: 2,
  restart: 0.7,
  "second-process": 0.9,
  stop: 0.5,
  clock: 0.4,
  "store-changes": 0.3,
  token: 0.4,
  restore: 0.2,
  "alerts-off": 0.8,
  "alerts-set": 0.5,
  rule: 2,
  "rule-again": 1.2,
  privacy: 0.5,
  remind: 1,
  digest: 0.5,
  press: 2,
};
/** More orders than that take several polls. */
const mostAtOnce = 500;
/** The seed draws one for each kind: most histories are without most kinds, and some full of one. */
const weights = [0, 0, 0, 0.5, 1, 1, 3];

/** A duration, of seconds as often as of hours. */
function lasting(stream: Stream, least: number, most: number): number {
  return Math.round(least * (most / least) ** stream.next());
}

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
  const isSmallPaged = stream.chance(0.2);
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
      ...(isSmallPaged ? { rowsPerPage: stream.pick([10, 25]) } : {}),
      honoursStatus: stream.chance(0.85),
      severalStatuses: stream.pick(["all", "all", "first", "none", "ignored"]),
      ids: isNumbered ? "number" : "uuid",
      times: stream.pick(["own", "own", "own", "own", "missing", "same"]),
      products: isSmallPaged ? stream.pick([9, 60]) : stream.pick([9, 9, 350]),
      waiting: { PENDING: isSmallPaged ? Math.min(waiting, 150) : waiting, PAID: paid },
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

function drawSteps(stream: Stream): Step[] {
  const after = () => lasting(stream, second, 2 * hour);
  const way = stream.weighted({ stays: 4, ends: 6, further: 2, refunded: 1, returns: 1, vanishes: 1 });
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
    case "vanishes":
      return [
        { afterMs: after(), to: "gone" },
        { afterMs: after(), to: "back" },
      ];
  }
}

function drawOrders(stream: Stream, most: number): Body {
  const size = stream.weighted({ one: 10, few: 6, burst: 3, flood: most > 100 ? 1.2 : 0 });
  const count = {
    one: 1,
    few: stream.between(2, 8),
    burst: stream.between(6, 60),
    flood: lasting(stream, Math.min(most, 400), most),
  }[size];
  const status = stream.weighted({ PENDING: 8, PAID: 1, PROCESSING: 0.5 });
  return {
    kind: "orders",
    count,
    status,
    steps: drawSteps(stream),
    product: stream.weighted({ old: 7, new: 2, unlisted: 1 }),
    category: stream.below(3),
  };
}

function drawCondition(stream: Stream): Condition {
  const how = stream.weighted({ category: 4, method: 2, from: 2, to: 1, any: 4 });
  const what = {
    category: { category: stream.below(3) },
    method: { method: stream.pick(["pix", "card", "boleto"]) },
    from: { from: stream.between(50, 300) },
    to: { to: stream.between(50, 300) },
    any: {},
  }[how];
  return { ...what, ...(stream.chance(0.35) ? { status: stream.pick(["PAID", "PAID", "CANCELLED"]) } : {}) };
}

const discordFaults: Readonly<Record<DiscordFault, number>> = {
  refused: 2,
  "refused-together": 2,
  forbidden: 1,
  limited: 1,
  unavailable: 2,
  "lost-request": 2,
  "lost-answer": 3,
  "late-answer": 2,
  "not-discord": 1,
  mixed: 4,
};
const storeFaults: Readonly<Record<StoreFault, number>> = {
  unavailable: 3,
  "no-answer": 1,
  "cut-off": 1,
  limited: 1,
  nonsense: 1,
  firewall: 1,
  "token-refused": 1,
  slow: 1,
  "not-found": 2,
  mixed: 3,
};

const ruleNames = ["Keys", "Large", "Wins"] as const;
const privateChannels = channelNames.filter((name) => name !== "new-orders");

function drawFault(stream: Stream, kind: "discord-fault" | "store-fault" | "disk-fault"): Body {
  const forMs = lasting(stream, second, 30 * minute);
  const share = stream.pick([1, 1, 0.5, 0.2]);
  if (kind === "disk-fault")
    return { kind, how: stream.pick(["full", "broken", "busy"]), forMs: Math.min(forMs, 5 * minute), share };
  if (kind === "discord-fault") return { kind, how: stream.weighted(discordFaults), forMs, share };
  const how = stream.weighted(storeFaults);
  const what = how === "not-found" ? "orders" : stream.weighted({ all: 6, lists: 2, orders: 1, products: 1 });
  const page = what !== "orders" && stream.chance(0.25) ? { page: stream.between(1, 6) } : {};
  return { kind, how, forMs, share, what, ...page };
}

const hourIn = (timezone: string, at: number) =>
  Number(new Intl.DateTimeFormat("en-GB", { timeZone: timezone, hour: "numeric", hourCycle: "h23" }).format(at));

/** Mostly of an hour that is not far. */
function drawDigest(stream: Stream, { startsAt, hours }: Setup): Body {
  const timezone = stream.pick(["UTC", "Europe/Berlin", "America/Sao_Paulo", "America/New_York"]);
  const far = stream.chance(0.2) ? stream.below(24) : 1 + stream.below(Math.max(Math.floor(hours), 1));
  return { kind: "digest", hour: hourIn(timezone, startsAt + far * hour), timezone };
}

function drawBody(stream: Stream, kind: Drawn, setup: Setup, others: readonly Happening[]): Body {
  const made = others.flatMap((other) => (other.kind === "rule" ? [other.name] : []));
  const name = stream.pick(kind === "rule" || made.length === 0 ? ruleNames : made);
  switch (kind) {
    case "discord-fault":
    case "store-fault":
    case "disk-fault":
      return drawFault(stream, kind);
    case "channel":
      return {
        kind,
        channel: stream.pick(["new-orders", "new-orders", ...channelNames]),
        how: stream.pick(["closed", "hidden", "deleted"]),
        forMs: lasting(stream, 5 * second, 30 * minute),
      };
    case "kill": {
      const downMs = lasting(stream, 100, 10 * minute);
      return stream.chance(0.5) ? { kind, downMs } : { kind, downMs, afterPost: stream.below(400) };
    }
    case "restart":
      return { kind, downMs: lasting(stream, 100, 5 * minute) };
    case "stop":
      return { kind, forMs: lasting(stream, 100, 10 * minute), ...(stream.chance(0.4) ? { isSpare: true } : {}) };
    case "second-process":
      return {
        kind,
        forMs: lasting(stream, 10 * second, 20 * minute),
        ...(stream.chance(0.4) ? { count: 2 } : {}),
      };
    case "clock":
      return {
        kind,
        byMs: stream.pick([-1, 1]) * lasting(stream, second, 26 * hour),
        forMs: lasting(stream, minute, 30 * minute),
      };
    case "store-changes":
      return {
        kind,
        ordering: stream.pick(["newest-first", "oldest-first", "by-id", "last-changed-first"]),
        honoursStatus: stream.chance(0.7),
      };
    case "token":
      return { kind, forMs: lasting(stream, minute, 20 * minute) };
    case "restore":
      return { kind, copiedMsBefore: lasting(stream, minute, 30 * minute) };
    case "alerts-off":
      return { kind, forMs: lasting(stream, minute, 30 * minute) };
    case "alerts-set":
      return {
        kind,
        channel: stream.pick(["new-orders", "staff", "large"]),
        statuses: stream.pick([setup.statuses, ["PENDING", "PAID"], ["PENDING"]]),
      };
    case "rule":
      return {
        kind,
        name,
        channel: stream.pick(privateChannels),
        style: stream.chance(0.75) ? "staff" : "feed",
        when: drawCondition(stream),
      };
    case "rule-again":
      return stream.chance(0.6)
        ? { kind, name, afterMs: lasting(stream, second, 10 * minute) }
        : stream.chance(0.5)
          ? { kind: "rule-gone", name }
          : { kind: "rule-first", name };
    case "privacy":
      return { kind, privacy: stream.pick(["none", "masked", "full"]) };
    case "remind":
      return {
        kind,
        minutes: stream.pick([1, 2, 5, 15, 30]),
        ...(stream.chance(0.3) ? { quiet: stream.pick(["22-8", "6-9", "12-13"]) } : {}),
      };
    case "digest":
      return drawDigest(stream, setup);
    case "press":
      return {
        kind,
        people: stream.pick([1, 1, 2, 3]),
        press: stream.pick(["Take", "Take", "Done", "Give back"]),
        back: stream.below(6),
      };
  }
}

/** So many, where so many are expected. */
const countOf = (stream: Stream, expected: number) => Math.floor(expected * 2 * stream.next() + stream.next() * 0.999);

/** What this happens close to: presses and suspensions to several processes, and much to the largest number of orders. */
function otherFor(stream: Stream, body: Body, others: readonly Happening[]): number | undefined {
  if (others.length === 0 || stream.chance(0.5)) return undefined;
  const isOfProcesses = body.kind === "press" || (body.kind === "stop" && body.isSpare);
  const doubled = isOfProcesses ? others.find(({ kind }) => kind === "second-process") : undefined;
  if (doubled !== undefined) return doubled.at + 2 * second;
  const floods = others.filter((other) => other.kind === "orders" && other.count > mostAtOnce);
  return stream.pick(floods.length > 0 && stream.chance(0.7) ? floods : others).at;
}

/** From a moment of the history to the poll that sees what happened then. A bot is set up in some {@link setUpMs}. */
const untilPoll = ({ startsAt, pollMs }: Setup, at: number) => pollMs - ((startsAt + setUpMs + at) % pollMs);

/** What goes wrong matters where something is under way: half of it happens close to something else, or to its poll. */
function drawTime(stream: Stream, body: Body, others: readonly Happening[], setup: Setup): number {
  const length = setup.hours * hour;
  const other = otherFor(stream, body, others);
  const free = Math.round(stream.next() * length);
  if (other === undefined) return free;
  const seen = other + (stream.chance(0.5) ? untilPoll(setup, other) : 0);
  const apart = lasting(stream, 10, minute);
  const isBefore = "forMs" in body && stream.chance(0.6);
  return Math.min(Math.max(isBefore ? seen - Math.min(apart, body.forMs / 2) : seen + apart, 0), length);
}

/** The kinds that most of the rest happens to are drawn first, and lie early. */
const firstKinds = ["rule", "remind", "digest"] as const;
const isFirst = (kind: string): boolean => firstKinds.some((first) => first === kind);

/**
 * A history, from its seed alone.
 *
 * @param hours how long; drawn as well without it
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
  for (let index = counts.between(4, 25); index > 0; index--) add(ofOrders.next() * length, drawOrders(ofOrders, most));
  if (counts.chance(0.6))
    add(lasting(ofOrders, 100, 2 * minute), { kind: "waiting-move", count: ofOrders.between(1, 20), to: "PAID" });
  const kinds = (Object.keys(usual) as (keyof typeof usual)[]).toSorted(
    (one, other) => Number(isFirst(other)) - Number(isFirst(one)),
  );
  for (const kind of kinds) {
    const stream = new Stream(seed, `happening ${kind}`);
    for (let count = countOf(counts, usual[kind] * counts.pick(weights)); count > 0; count--) {
      const body = drawBody(stream, kind, setup, found);
      add(isFirst(kind) ? stream.next() * length * 0.3 : drawTime(stream, body, found, setup), body);
    }
  }
  return { seed, setup, happenings: found.toSorted((one, other) => one.at - other.at || one.id - other.id) };
}
