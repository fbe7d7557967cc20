import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { type AlertOrder, alertMessage } from "../views/alert.ts";
import type { ViewContext } from "../views/context.ts";
import type { Ledger, PostedEntry } from "./ledger.ts";
import { type Messenger, MessengerError } from "./messenger.ts";

interface FollowInput {
  readonly store: Store;
  /** Posted entries by order id. */
  readonly posted: ReadonlyMap<string, PostedEntry>;
  /** Open orders that the list showed with another status. */
  readonly changed: readonly Order[];
  /** Ids of open orders that left the list. */
  readonly missing: readonly string[];
  readonly ctx: ViewContext;
  readonly roleId: string | undefined;
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Which of the missing orders could not be read or edited this time and are to be asked for again. */
export interface Followed {
  readonly again: string[];
  readonly failure?: StoreError | MessengerError;
}

/** An order that left its first status, and its alert. */
interface Change {
  readonly entry: PostedEntry;
  readonly order: Order;
}

/** Reads each missing order once; one that the store does not have any more is settled as it stands. */
async function readChanges(input: FollowInput): Promise<{ changes: Change[]; again: string[]; failure?: StoreError }> {
  const { store, posted, changed, missing, ledger, signal } = input;
  const orders = new Map(changed.map((order) => [order.id, order]));
  const unread = missing.filter((id) => !orders.has(id) && posted.has(id));
  const again: string[] = [];
  let failure: StoreError | undefined;
  for (const id of unread) {
    if (failure || signal.aborted) {
      again.push(id);
      continue;
    }
    try {
      orders.set(id, await store.getOrder(id, signal));
    } catch (error) {
      const entry = posted.get(id);
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "not_found" && entry) await ledger.settle([entry]);
      else {
        failure = error;
        again.push(id);
      }
    }
  }
  const changes = [...orders.values()].flatMap((order) => {
    const entry = posted.get(order.id);
    const hasLeft = entry && order.status.toUpperCase() !== entry.order.status.toUpperCase();
    return hasLeft ? [{ entry, order }] : [];
  });
  return { changes, again, failure };
}

/** Edits one message for all its orders that changed, and settles them. A message deleted by hand is left alone. */
async function update(input: FollowInput, changes: readonly Change[]): Promise<void> {
  const { ctx, roleId, ledger, messenger, now } = input;
  const [first] = changes;
  if (!first) return;
  const { batch, channelId, messageId } = first.entry;
  const changedAt = now();
  const settled = changes.map(({ entry, order }) => ({
    ...entry,
    order: { ...entry.order, status: order.status, changedAt },
  }));
  const shown = new Map<string, AlertOrder>();
  for (const sibling of batch.length > 1 ? await ledger.entries(batch) : []) {
    if (sibling && sibling.state !== "seen") shown.set(sibling.order.id, sibling.order);
  }
  for (const { order } of settled) shown.set(order.id, order);
  // A single alert shows its customer, whom the ledger does not keep.
  const isShown = batch.length <= 1 && ctx.privacy !== "none";
  const orders = [...shown.values()].map((order) => (isShown ? { ...order, customer: first.order.customer } : order));
  try {
    await messenger.edit(channelId, messageId, alertMessage(orders, ctx, roleId ? { roleId } : {}));
  } catch (error) {
    const isFinal = error instanceof MessengerError && (error.code === "channel_gone" || error.code === "refused");
    if (!isFinal) throw error;
  }
  await ledger.settle(settled);
}

/**
 * Brings the alerts of orders that left their first status up to date: one read per order that is missing from the list,
 * none for one that the list shows, and one edit per message. Rejects only when the storage fails.
 */
export async function follow(input: FollowInput): Promise<Followed> {
  const { changes, again, failure } = await readChanges(input);
  const messages = Map.groupBy(changes, ({ entry }) => `${entry.channelId} ${entry.messageId}`);
  let notEdited: MessengerError | undefined;
  for (const group of messages.values()) {
    try {
      if (notEdited || input.signal.aborted) again.push(...group.map(({ order }) => order.id));
      else await update(input, group);
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error;
      notEdited = error;
      again.push(...group.map(({ order }) => order.id));
    }
  }
  const stopped = notEdited ?? failure;
  return { again, ...(stopped ? { failure: stopped } : {}) };
}
