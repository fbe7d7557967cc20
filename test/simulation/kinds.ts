import { categories } from "../sandbox/store/catalog.ts";
import {
  alertsOff,
  connect,
  disconnect,
  kill,
  type Press,
  press,
  restart,
  restore,
  ruleAgain,
  trouble,
} from "./events.ts";
import type { Stream } from "./randomness.ts";
import type { Scene } from "./scene.ts";
import type { Setup } from "./setup.ts";
import { after, setWallOffset, time } from "./virtual-time.ts";
import { channelNames, type DiscordFault } from "./world/discord.ts";
import type { DiskFault } from "./world/disk.ts";
import { hour, minute, second } from "./world/record.ts";
import type { ProductOfOrder, StoreFault } from "./world/store.ts";

/** A change of an order. `to` is its next status, `gone` (out of every list) or `back` (in the lists again). */
export interface Step {
  readonly afterMs: number;
  readonly to: string;
}

interface Condition {
  readonly status?: string;
  readonly category?: number;
  /** The rule's product is the product that new orders of this category have. */
  readonly productOf?: number;
  readonly method?: string;
  readonly from?: number;
  readonly to?: number;
  readonly items?: number;
}

interface DrawnRule {
  readonly name: string;
  readonly channel: string;
  readonly style: "staff" | "feed";
  readonly when: Condition;
  /** Whether its messages mention a role. */
  readonly isRinging?: boolean;
}

type Begin<Body> = (scene: Scene, body: Body & { readonly id: number }) => unknown;

/** A kind of event for which `draw-history.ts` has special code. */
const given = <Body extends object>(begin: Begin<Body>) => ({ begin });

/**
 * A kind of event. `usual` is its mean number in a history, which is multiplied by a weight that the seed draws. `draw` draws
 * one event; its argument `name` is the name of a rule. `begin` makes the event happen.
 */
const drawn = <Body extends object>(
  usual: number,
  draw: (stream: Stream, setup: Setup, name: string) => Body,
  begin: Begin<Body>,
) => ({ usual, draw, begin });

const discordFaults: Readonly<Record<DiscordFault["how"], number>> = {
  refused: 2,
  "refused-together": 2,
  "refused-text": 2,
  forbidden: 1,
  limited: 1,
  unavailable: 2,
  "lost-request": 2,
  "lost-answer": 3,
  "late-answer": 2,
  "not-discord": 1,
  mixed: 4,
};
const storeFaults: Readonly<Record<StoreFault["how"], number>> = {
  unavailable: 5,
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
const drawFault = (stream: Stream) => ({
  forMs: stream.lasting(second, 30 * minute),
  share: stream.pick([1, 1, 1, 0.5, 0.2]),
});

function drawStoreFault(stream: Stream): Omit<StoreFault, "id"> {
  const fault = drawFault(stream);
  const how = stream.weighted(storeFaults);
  const what = how === "not-found" ? "orders" : stream.weighted({ all: 6, lists: 3, orders: 1, products: 2 });
  const hasPages = what === "lists" || what === "products";
  const page = hasPages && stream.chance(0.5) ? { page: stream.between(1, 6) } : {};
  return { how, ...fault, what, ...page };
}

function drawCondition(stream: Stream): Condition {
  const how = stream.weighted({ category: 7, product: 2, method: 2, from: 2, to: 1, items: 2, any: 4 });
  const what = {
    category: { category: stream.below(3) },
    product: { productOf: stream.below(3) },
    method: { method: stream.pick(["pix", "card", "boleto"]) },
    from: { from: 50 * stream.between(1, 6) },
    to: { to: 50 * stream.between(1, 6) },
    items: { items: stream.between(1, 3) },
    any: {},
  }[how];
  return { ...what, ...(stream.chance(0.5) ? { status: stream.pick(["PAID", "PAID", "CANCELLED"]) } : {}) };
}

interface ChannelEvent {
  readonly channel: string;
  readonly how: "closed" | "hidden" | "deleted";
  readonly forMs: number;
  readonly ruleOf?: string;
}

function drawPress(stream: Stream): Press {
  const people = stream.pick([1, 1, 2, 3]);
  const button = stream.pick(["Take", "Take", "Done", "Give back"]);
  const back = stream.below(6);
  const how = stream.weighted({ alone: 2, card: 4, done: 4 });
  if (how === "done") return { people: 1, press: "Take", back, doneAfterMs: stream.lasting(second, 5 * minute) };
  return { people, press: button, back, ...(how === "card" ? { cardOf: stream.pick(["alert", "reply"]) } : {}) };
}

const hourIn = (timezone: string, at: number) =>
  Number(new Intl.DateTimeFormat("en-GB", { timeZone: timezone, hour: "numeric", hourCycle: "h23" }).format(at));

export const ruleNames: readonly string[] = ["Keys", "Large", "Wins"];
const privateChannels = channelNames.filter((name) => name !== "new-orders");

/** All kinds of events: how each is drawn, and what it does. If their sequence changes, each seed draws other events. */
export const kinds = {
  orders: given<{
    readonly count: number;
    readonly status: string;
    readonly steps: readonly Step[];
    /** Number of the orders that take the steps. All of them by default. */
    readonly moving?: number;
    readonly product: ProductOfOrder;
    readonly category: number;
  }>(({ store }, { count, status, steps, moving = count, product, category }) => {
    for (let index = 0; index < count; index++) {
      const { id } = store.place(status, { category, product });
      let passed = 0;
      for (const { afterMs, to } of index < moving ? steps : []) {
        passed += afterMs;
        after(passed, () => store.move(id, to));
      }
    }
  }),
  /** Up to `count` orders from before the set-up change their status. With `every`, only one in so many orders changes. */
  "waiting-move": given<{ readonly count: number; readonly to: string; readonly every?: number }>(
    ({ store, evidence }, { count, to, every = 1 }) => {
      const waiting = [...evidence.orders.values()].filter(
        ({ placedAt, statuses }) => placedAt === 0 && statuses.at(-1)?.status === "PENDING",
      );
      const chosen = waiting.filter((_, index) => index % every === 0);
      for (const { id } of chosen.slice(0, count)) store.move(id, to);
    },
  ),
  "discord-fault": drawn(
    3,
    (stream): Omit<DiscordFault, "id"> => ({ ...drawFault(stream), how: stream.weighted(discordFaults) }),
    (scene, fault) => {
      trouble(scene, "discord", fault.forMs, { how: fault.how, isWhole: fault.share === 1 });
      scene.discord.faults.begin(fault);
    },
  ),
  "store-fault": drawn(3, drawStoreFault, (scene, fault) => {
    const isWhole = fault.what === "all" && fault.share === 1 && fault.page === undefined;
    // A store that limits requests for products limits all other requests, too.
    const how = fault.what === "products" && fault.how !== "limited" ? fault.what : fault.how;
    trouble(scene, "store", fault.forMs, { how, isWhole });
    scene.store.faults.begin(fault);
  }),
  "disk-fault": drawn(
    0.7,
    (stream): Omit<DiskFault, "id"> => {
      const { forMs, share } = drawFault(stream);
      return { how: stream.pick(["full", "broken", "busy"]), forMs: Math.min(forMs, 5 * minute), share };
    },
    (scene, fault) => {
      trouble(scene, "disk", fault.forMs);
      scene.disk.faults.begin(fault);
    },
  ),
  /** Closes a channel. With `ruleOf` it is the channel of the rule with this name, if there is one. */
  channel: drawn(
    2,
    (stream, _, name): ChannelEvent => ({
      channel: stream.pick(["new-orders", "new-orders", "large", ...channelNames]),
      ...(stream.chance(0.5)
        ? { how: stream.pick(["closed", "deleted"]), forMs: stream.lasting(3 * minute, 30 * minute), ruleOf: name }
        : { how: stream.pick(["closed", "hidden", "deleted"]), forMs: stream.lasting(20 * second, 30 * minute) }),
    }),
    (scene, { channel, how, forMs, ruleOf }) => {
      const { discord, evidence } = scene;
      const rule = evidence.actions.findLast(({ what }) => what.kind === "rule" && what.name === ruleOf)?.what;
      const channelId = rule?.kind === "rule" ? rule.channelId : discord.channel(channel);
      trouble(scene, "channel", forMs, { how, channelId });
      discord.close(channelId, how);
      after(forMs, () => discord.open(channelId));
    },
  ),
  /** Kills the main process at once, or `afterPost` ms after the next message was posted. */
  kill: drawn(
    2,
    (stream): { readonly downMs: number; readonly afterPost?: number } => {
      // Discord forgets nonces within the longest of these times.
      const downMs = stream.chance(0.15) ? stream.lasting(5 * minute, 12 * minute) : stream.lasting(100, 10 * minute);
      return stream.chance(0.5) ? { downMs } : { downMs, afterPost: stream.below(400) };
    },
    (scene, { downMs, afterPost }) => kill(scene, downMs, afterPost),
  ),
  restart: drawn(
    0.7,
    (stream) => ({ downMs: stream.lasting(100, 5 * minute) }),
    (scene, { downMs }) => restart(scene, downMs),
  ),
  "second-process": drawn(
    0.9,
    (stream): { readonly forMs: number; readonly count?: number } => ({
      forMs: stream.lasting(10 * second, 20 * minute),
      ...(stream.chance(0.4) ? { count: 2 } : {}),
    }),
    (scene, { forMs, count = 1 }) => {
      trouble(scene, "second", forMs);
      return scene.lives.startMore(count, forMs);
    },
  ),
  /** Suspends the main process or, with `isSpare`, another one. */
  stop: drawn(
    0.5,
    (stream): { readonly forMs: number; readonly isSpare?: boolean } => ({
      forMs: stream.lasting(100, 10 * minute),
      ...(stream.chance(0.4) ? { isSpare: true } : {}),
    }),
    (scene, { forMs, isSpare = false }) => {
      const { lives } = scene;
      const life = (isSpare ? lives.spare : undefined) ?? lives.main;
      if (life === undefined) return;
      trouble(scene, "process", forMs, { how: "stopped" });
      life.stoppedUntil = time() + forMs;
    },
  ),
  clock: drawn(
    0.4,
    (stream) => ({
      byMs: stream.pick([-1, 1]) * stream.lasting(second, 26 * hour),
      forMs: stream.lasting(minute, 30 * minute),
    }),
    (scene, { byMs, forMs }) => {
      trouble(scene, "clock", forMs);
      setWallOffset(byMs);
      after(forMs, () => setWallOffset(0));
    },
  ),
  "store-changes": drawn(
    0.3,
    (stream) => ({
      ordering: stream.pick(["newest-first", "oldest-first", "by-id", "last-changed-first"]),
      honoursStatus: stream.chance(0.7),
    }),
    (scene, { ordering, honoursStatus }) => {
      trouble(scene, "store", 0, { how: "lists changed" });
      scene.store.changeLists(ordering, honoursStatus);
    },
  ),
  token: drawn(
    0.4,
    (stream) => ({ forMs: stream.lasting(minute, 20 * minute) }),
    (scene, { forMs }) => {
      trouble(scene, "store", forMs, { how: "token-refused", isWhole: true });
      scene.store.refusesUntil = Math.max(scene.store.refusesUntil, time() + forMs);
    },
  ),
  /**
   * The store's token is replaced, and a person connects the new one after `afterMs`. With `orders`, the new token
   * belongs to another store, which has this number of orders.
   */
  connect: drawn(
    0.9,
    (stream, { store: { rowsPerPage } }): { readonly afterMs: number; readonly orders?: number } => ({
      afterMs: stream.lasting(second, 10 * minute),
      ...(stream.chance(0.6)
        ? { orders: stream.between(0, rowsPerPage === undefined && stream.chance(0.4) ? 900 : 40) }
        : {}),
    }),
    connect,
  ),
  /** A person asks for `/alerts status`. */
  status: drawn(
    2,
    () => ({}),
    async ({ people, evidence }) => {
      const text = await people.ask("alerts status").catch(() => undefined);
      if (text !== undefined) evidence.asked.push({ at: time(), text });
    },
  ),
  restore: drawn(
    0.4,
    (stream) => ({ copiedMsBefore: stream.lasting(minute, 30 * minute) }),
    (scene, { copiedMsBefore }) => restore(scene, copiedMsBefore),
  ),
  "alerts-off": drawn(
    0.8,
    (stream) => ({ forMs: stream.lasting(minute, 30 * minute) }),
    (scene, { forMs }) => alertsOff(scene, forMs),
  ),
  "alerts-set": drawn(
    1.2,
    (stream, setup): { readonly channel: string; readonly statuses: readonly string[] } => ({
      channel: stream.pick(["new-orders", "staff", "large"]),
      statuses: stream.pick([setup.statuses, ["PENDING", "PAID"], ["PENDING", "PAID"], ["PENDING"], ["PAID"]]),
    }),
    ({ people }, { channel, statuses }) => people.setAlerts(channel, statuses),
  ),
  rule: drawn(
    2,
    (stream, _, name): DrawnRule => ({
      name,
      channel: stream.pick(["large", ...privateChannels]),
      style: stream.chance(0.75) ? "staff" : "feed",
      when: drawCondition(stream),
      isRinging: stream.chance(0.5),
    }),
    ({ people, discord, store }, { name, channel, style, when: { category, productOf, ...rest }, isRinging }) => {
      const id = category === undefined ? undefined : categories[category]?.id;
      const found = productOf === undefined ? undefined : store.productOf(productOf);
      const product = found && { id: found.id, title: found.info.title };
      const role = isRinging ? discord.guild.role("Packers") : undefined;
      const channelId = discord.channel(channel);
      return people.addRule({ kind: "rule", name, channelId, style, ...rest, category: id, product, role });
    },
  ),
  /** Moves a rule to the first place, or removes it. With `afterMs` the removed rule is made again after this time. */
  "rule-again": drawn(
    1.2,
    (stream, _, name): { readonly name: string; readonly afterMs?: number; readonly isMoved?: boolean } => {
      if (stream.chance(0.6)) return { name, afterMs: stream.lasting(second, 10 * minute) };
      return stream.chance(0.5) ? { name } : { name, isMoved: true };
    },
    (scene, { name, afterMs, isMoved = false }) => {
      if (isMoved) return scene.people.moveFirst(name);
      return afterMs === undefined ? scene.people.removeRule(name) : ruleAgain(scene, name, afterMs);
    },
  ),
  privacy: drawn(
    0.5,
    (stream) => ({ privacy: stream.pick(["none", "masked", "full"]) }),
    ({ people }, { privacy }) => people.privacy(privacy),
  ),
  remind: drawn(
    1,
    (stream): { readonly minutes: number; readonly quiet?: string } => ({
      minutes: stream.pick([1, 2, 5, 15, 30]),
      ...(stream.chance(0.3) ? { quiet: stream.pick(["22-8", "6-9", "12-13"]) } : {}),
    }),
    ({ people }, { minutes, quiet }) => people.remind(minutes, quiet),
  ),
  /** Sets a digest, mostly for one of the next hours. With `isFileless`, the bot may not send a chart. */
  digest: drawn(
    1,
    (stream, { startsAt, hours }) => {
      const timezone: string = stream.pick(["UTC", "Europe/Berlin", "America/Sao_Paulo", "America/New_York"]);
      const far = stream.chance(0.2) ? stream.below(24) : 1 + stream.below(Math.max(Math.ceil(hours), 2));
      return { hour: hourIn(timezone, startsAt + far * hour), timezone, isFileless: stream.chance(0.25) };
    },
    ({ people, discord }, { hour: at, timezone, isFileless }) => {
      const channelId = discord.channel("staff");
      if (isFileless) discord.close(channelId, "fileless");
      return people.digest({ kind: "digest", hour: at, timezone, channelId, isFileless });
    },
  ),
  /**
   * `people` is the number of persons who press the button. `back` counts alerts from the newest one backwards. With `cardOf`,
   * one person opens the private card from an alert, or from a reply to an alert, and presses the button on this card. With
   * `doneAfterMs`, one person takes an order, and marks it as done after this time.
   */
  press: drawn(5, drawPress, press),
  disconnect: drawn(
    0.3,
    (stream): { readonly forMs?: number } =>
      stream.chance(0.8) ? { forMs: stream.lasting(minute / 4, 15 * minute) } : {},
    (scene, { forMs }) => disconnect(scene, forMs),
  ),
};
