import { type Messenger, MessengerError, type MessengerFailure } from "../../src/outbox/messenger.ts";
import { StoreError, type StoreErrorCode } from "../../src/store-api/store-error.ts";
import { type AlertWorld, createAlertWorld, guildId, type Life } from "./alert-world.ts";

/** A world, and one life of the bot in it with alerts on. */
export async function ready(settings?: { statuses?: string[]; roleId?: string }) {
  const world = await createAlertWorld();
  const life = world.start();
  await world.turnOn(life, settings);
  return { world, life };
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

/** Holds the first such call of Discord. `waits` resolves when it is held, and `goOn` lets it go on. */
export function holdFirst({ channel }: Pick<AlertWorld, "channel">, call: keyof Messenger, when: "before" | "after") {
  const waits = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const { fault } = channel;
  let isFirst = true;
  channel.fault = async (called, at, place) => {
    await fault(called, at, place);
    if (called !== call || at !== when || !isFirst) return;
    isFirst = false;
    waits.resolve();
    await goesOn.promise;
  };
  return { waits: waits.promise, goOn: () => goesOn.resolve() };
}

/** Lets every request to the store fail. */
export function storeFails({ store }: Pick<AlertWorld, "store">, code: StoreErrorCode): void {
  store.fault = () => {
    throw new StoreError(code, "GET orders");
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
