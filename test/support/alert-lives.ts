import { type Messenger, MessengerError, type MessengerFailure } from "../../src/outbox/messenger.ts";
import { StoreError, type StoreErrorCode } from "../../src/store-api/store-error.ts";
import { type AlertWorld, createAlertWorld, guildId, idsOf, type Life, pollFor, timesPosted } from "./alert-world.ts";

const minute = 60_000;

/**
 * A world, and one life of the bot in it with alerts on.
 *
 * @param before how many orders were there a minute before
 */
export async function ready({
  before = 0,
  ...settings
}: {
  readonly statuses?: string[];
  readonly roleId?: string;
  readonly before?: number;
} = {}) {
  const world = await createAlertWorld();
  const life = world.start();
  const old = idsOf(world.store.place(before));
  world.pass(minute);
  await world.turnOn(life, settings);
  return { ...sceneOf(world, life), before: old };
}

/** A world, a life of the bot in it, and what tests do in it again and again. All times are minutes. */
function sceneOf(world: AlertWorld, life: Life) {
  /** Polls every 15 s for so long; by default with this life. */
  const poll = (minutes: number, by: Life = life) => pollFor(world, by, minutes * minute);
  return {
    world,
    life,
    poll,
    /** Places orders, and polls. Returns their ids. */
    async place(count = 1, minutes = 1): Promise<string[]> {
      const ids = idsOf(world.store.place(count));
      await poll(minutes);
      return ids;
    },
    /** Gives these orders another status, and polls. */
    async move(ids: readonly string[], status: string, minutes = 2): Promise<void> {
      become(world, status, ids);
      await poll(minutes);
    },
    /** How often each of these orders is in the alerts of a channel, or of all. */
    alertsOf: (ids: readonly string[], place?: string) => timesPosted(world.channel, ids, place),
    /** How many messages about orders wait to be sent. */
    planned: async () => (await life.alerts.status(guildId)).planned,
    replies: () => world.channel.messages.filter(({ replyTo }) => replyTo !== undefined),
    /** From now on Discord takes everything. */
    mend() {
      world.channel.fault = () => undefined;
    },
  };
}

/** One poll, with all that follows from it. Resolves to the ms until the next poll, where the poll asks for one. */
export async function pollOnce({ alerts }: Pick<Life, "alerts">): Promise<number | undefined> {
  const askedMs = await alerts.poll(guildId);
  await alerts.idle();
  return askedMs;
}

/** Lets every such call of Discord fail, before it arrives or after Discord obeyed it, in one channel or in all. */
export function fails(
  { channel }: Pick<AlertWorld, "channel">,
  call: keyof Messenger,
  code: MessengerFailure,
  { when = "before", place }: { when?: "before" | "after"; place?: string } = {},
): void {
  channel.fault = (called, at, where) => {
    if (called === call && at === when && (place === undefined || where === place)) throw new MessengerError(code);
  };
}

/** Holds whoever calls `hold` first. `waits` resolves when that one is held, and `goOn` lets it go on. */
function barrier() {
  const waits = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  let isFirst = true;
  return {
    waits: waits.promise,
    goOn: () => goesOn.resolve(),
    async hold() {
      if (!isFirst) return;
      isFirst = false;
      waits.resolve();
      await goesOn.promise;
    },
  };
}

/** Holds the first such call of Discord. `waits` resolves when it is held, and `goOn` lets it go on. */
export function holdFirst({ channel }: Pick<AlertWorld, "channel">, call: keyof Messenger, when: "before" | "after") {
  const { hold, ...held } = barrier();
  const { fault } = channel;
  channel.fault = async (called, at, place) => {
    await fault(called, at, place);
    if (called === call && at === when) await hold();
  };
  return held;
}

/** As {@link holdFirst}, the first request for this page of the order list, or for any. */
export function holdPage({ store }: Pick<AlertWorld, "store">, page?: number) {
  const { hold, ...held } = barrier();
  const { listOrders } = store;
  store.listOrders = async (query = {}, signal) => {
    if (page === undefined || query.page === page) await hold();
    return listOrders(query, signal);
  };
  return held;
}

/** Lets every request to the store fail. */
export function storeFails({ store }: Pick<AlertWorld, "store">, code: StoreErrorCode): void {
  store.fault = () => {
    throw new StoreError(code, "GET orders");
  };
}

/** Lets every request for one of these orders by its id fail; for any order by default. */
export function orderFails(
  { store }: Pick<AlertWorld, "store">,
  code: StoreErrorCode,
  isMeant: (id: string) => boolean = () => true,
): void {
  store.fault = ({ order }) => {
    if (order !== undefined && isMeant(order)) throw new StoreError(code, "GET order");
  };
}

/** Gives orders another status; all of them by default. */
export function become({ store }: AlertWorld, status: string, ids?: readonly string[]): void {
  for (const order of store.orders) if (ids === undefined || ids.includes(order.id)) order.status = status;
}

/** The content of a message, without embeds and components; "" where it has none. */
export const contentOf = (message: { readonly payload: object } | undefined): string =>
  message && "content" in message.payload ? String(message.payload.content) : "";

/** How many messages have these words. */
export const said = ({ channel }: AlertWorld, words: string): number =>
  channel.messages.filter(({ payload }) => JSON.stringify(payload).includes(words)).length;
