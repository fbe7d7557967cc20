import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import { StoreError } from "../store-api/store-error.ts";
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

/** Which of the orders could not be read or edited this time and are to be asked for again. */
export interface Followed {
  readonly again: string[];
  readonly failure?: StoreError | MessengerError;
}

/** The messages of the entry's batch as they stand, with `order` in its place. */
async function batchWith(input: FollowInput, entry: PostedEntry, order: AlertOrder): Promise<AlertOrder[]> {
  if (entry.batch.length <= 1) return [order];
  const siblings = await input.ledger.entries(entry.batch);
  return siblings.flatMap((sibling) => {
    if (!sibling || sibling.state === "seen") return [];
    return sibling.order.id === order.id ? [order] : [sibling.order];
  });
}

/** Edits the message of one order that left its first status, and settles it. A message deleted by hand is left alone. */
async function update(input: FollowInput, entry: PostedEntry, order: Order): Promise<void> {
  const { ctx, roleId, ledger, messenger } = input;
  const alert: AlertOrder = { ...entry.order, status: order.status, changedAt: input.now() };
  const shown = entry.batch.length <= 1 && ctx.privacy !== "none" ? { ...alert, customer: order.customer } : alert;
  const payload = alertMessage(await batchWith(input, entry, shown), ctx, roleId ? { roleId } : {});
  try {
    await messenger.edit(entry.channelId, entry.messageId, payload);
  } catch (error) {
    const isFinal = error instanceof MessengerError && (error.code === "channel_gone" || error.code === "refused");
    if (!isFinal) throw error;
  }
  await ledger.settle([{ ...entry, order: alert }]);
}

/**
 * Brings the alerts of orders that left their first status up to date: one read per order that is missing from the list,
 * none for one that the list shows. Rejects only when the storage fails.
 */
export async function follow(input: FollowInput): Promise<Followed> {
  const again: string[] = [];
  let failure: MessengerError | undefined;
  const known = new Map(input.changed.map((order) => [order.id, order]));
  for (const id of new Set([...known.keys(), ...input.missing])) {
    const entry = input.posted.get(id);
    if (!entry) continue;
    if (input.signal.aborted) {
      again.push(id);
      continue;
    }
    try {
      const order = known.get(id) ?? (await input.store.getOrder(id, input.signal));
      if (order.status.toUpperCase() !== entry.order.status.toUpperCase()) await update(input, entry, order);
    } catch (error) {
      if (error instanceof StoreError && error.code === "not_found") await input.ledger.settle([entry]);
      else if (error instanceof StoreError)
        return { again: [id, ...input.missing.filter((other) => other !== id)], failure: error };
      else if (error instanceof MessengerError) {
        again.push(id);
        failure = error;
      } else throw error;
    }
  }
  return { again, ...(failure ? { failure } : {}) };
}
