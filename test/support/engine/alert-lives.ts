import { type Messenger, MessengerError, type MessengerFailure } from "../../../src/outbox/messenger.ts";
import { StoreError, type StoreErrorCode } from "../../../src/store-api/store-error.ts";
import { type AlertWorld, createAlertWorld, guildId, idsOf, type Life, pollFor, timesPosted } from "./alert-world.ts";

const minute = 60_000;

/** Makes a world, and one life of the bot with alerts on. `before`: number of orders that were placed a minute before. */
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

/** All times are minutes. */
function sceneOf(world: AlertWorld, life: Life) {
  /** Polls every 15 s. */
  const poll = (minutes: number, by: Life = life) => pollFor(world, by, minutes * minute);
  return {
    world,
    life,
    poll,
    async place(count = 1, minutes = 1): Promise<string[]> {
      const ids = idsOf(world.store.place(count));
      await poll(minutes);
      return ids;
    },
    async move(ids: readonly string[], status: string, minutes = 2): Promise<void> {
      become(world, status, ids);
      await poll(minutes);
    },
    alertsOf: (ids: readonly string[], place?: string) => timesPosted(world.channel, ids, place),
    planned: async () => (await life.alerts.status(guildId)).planned,
    replies: () => world.channel.messages.filter(({ replyTo }) => replyTo !== undefined),
    mend() {
      world.channel.fault = () => undefined;
    },
  };
}

/** Resolves to the ms until the next poll, if the poll asks for one. */
export async function pollOnce({ alerts }: Pick<Life, "alerts">): Promise<number | undefined> {
  const askedMs = await alerts.poll(guildId);
  await alerts.idle();
  return askedMs;
}

/** Makes every such call fail, before or after it takes effect, in one channel or in all. */
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

/** `waits` resolves when the first such call waits. `goOn` ends the wait. */
export function holdFirst({ channel }: Pick<AlertWorld, "channel">, call: keyof Messenger, when: "before" | "after") {
  const { hold, ...held } = barrier();
  const { fault } = channel;
  channel.fault = async (called, at, place) => {
    await fault(called, at, place);
    if (called === call && at === when) await hold();
  };
  return held;
}

/** As {@link holdFirst}, for the first request for this page of the order list, or for any page. */
export function holdPage({ store }: Pick<AlertWorld, "store">, page?: number) {
  const { hold, ...held } = barrier();
  const { listOrders } = store;
  store.listOrders = async (query = {}, signal) => {
    if (page === undefined || query.page === page) await hold();
    return listOrders(query, signal);
  };
  return held;
}

export function storeFails({ store }: Pick<AlertWorld, "store">, code: StoreErrorCode): void {
  store.fault = () => {
    throw new StoreError(code, "GET orders");
  };
}

export function orderFails(
  { store }: Pick<AlertWorld, "store">,
  code: StoreErrorCode,
  isMeant: (id: string) => boolean = () => true,
): void {
  store.fault = ({ order }) => {
    if (order !== undefined && isMeant(order)) throw new StoreError(code, "GET order");
  };
}

export function become({ store }: AlertWorld, status: string, ids?: readonly string[]): void {
  for (const order of store.orders) if (ids === undefined || ids.includes(order.id)) order.status = status;
}

export const contentOf = (message: { readonly payload: object } | undefined): string =>
  message && "content" in message.payload ? String(message.payload.content) : "";

/** Number of messages with these words. */
export const said = ({ channel }: AlertWorld, words: string): number =>
  channel.messages.filter(({ payload }) => JSON.stringify(payload).includes(words)).length;
