import { type Guild, zoneNameOf } from "../../guilds/guild.ts";
import { isQuiet, type QuietHours, quietHoursOf } from "../../guilds/remind-settings.ts";
import { readTakes } from "../../handling/takes.ts";
import { bare, toAlertOrder } from "../../orders/alert-order.ts";
import { channelContext } from "../../orders/channel-context.ts";
import { ConflictError } from "../../orders/guild-lease.ts";
import type { Orders } from "../../orders/ledger.ts";
import type { RowOf } from "../../orders/outbox-row.ts";
import { isOver, sameStatus } from "../../store-api/order-status.ts";
import { isUnusable, type Store, StoreError } from "../../store-api/store-api.ts";
import { type AlertOrder, reminderMessage, replyOf } from "../../views/alerts/alert-message.ts";
import type { Takes } from "../../views/orders/handling.ts";
import type { ServerContext } from "../context.ts";
import { ruleOfPosted, workingDestination } from "../destination.ts";
import type { MessageKind } from "../kind.ts";

const quarterMs = 15 * 60_000;
const decidedByAlert = "an order cannot be read; its reminder is decided by what the alert shows";

interface ReadOrder {
  readonly order: AlertOrder;
  readonly known: AlertOrder | undefined;
}

/** The order as its alert shows it. Undefined if it is not followed any more. */
function knownOf(id: string, orders: Orders): AlertOrder | undefined {
  const row = orders.get(id);
  return row?.state === "open" ? row.facts : undefined;
}

/** Returns `known` if the store's answer is unusable, and undefined if the store has no such order. Throws `StoreError`. */
async function readOrder(
  { lease, failed, log, guildId }: ServerContext,
  store: Store,
  id: string,
  known: AlertOrder | undefined,
): Promise<AlertOrder | undefined> {
  try {
    return toAlertOrder(await store.getOrder(id, lease.untilOver()), "none");
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code } = error;
    if (code === "not_found") return undefined;
    failed(code);
    if (!isUnusable(error)) throw error;
    log.warn({ err: error, guild: guildId, order: id }, decidedByAlert);
    return known;
  }
}

/** An order that a person took still waits if its status has not changed since the alert. */
function isWaiting({ id, status }: AlertOrder, known: AlertOrder | undefined, takes: Takes): boolean {
  const take = takes.get(id);
  if (isOver(status) || take?.done) return false;
  return take === undefined || (known?.changedAt === undefined && sameStatus(status, known?.status ?? ""));
}

/** A message about orders that still wait for a person some time after their alert. */
export function reminderKind(server: ServerContext): MessageKind<"reminder"> {
  /** What was read for each reminder that is not posted yet. Keys are the message ids of the alerts. */
  const shown = new Map<string, { readonly orders: readonly AlertOrder[]; readonly takes: Takes }>();
  let quiet: { readonly guild?: Guild; readonly hours?: QuietHours | undefined } = {};

  /** Orders for which the store did not answer the last request, in the sequence of these requests. */
  const unanswered = new Set<string>();

  /**
   * Leaves out orders that the store does not have. The first request without an answer ends the reading, because replies in
   * the channel wait meanwhile. Then this function throws a `StoreError`. There is one exception: the order of this request got
   * no answer last time either, and another order was read now. Then the unread orders are returned as their alert shows them.
   */
  async function readOrders(ids: readonly string[], guild: Guild, orders: Orders): Promise<readonly ReadOrder[]> {
    const read = new Map<string, AlertOrder | undefined>();
    const again = [...unanswered].filter((id) => ids.includes(id));
    for (const id of [...ids.filter((id) => !unanswered.has(id)), ...again]) {
      const store = server.store(guild);
      if (store === undefined) throw new StoreError("unavailable", "GET order");
      try {
        read.set(id, await readOrder(server, store, id, knownOf(id, orders)));
        unanswered.delete(id);
      } catch (error) {
        if (!(error instanceof StoreError) || !["unavailable", "timeout"].includes(error.code)) throw error;
        unanswered.delete(id);
        unanswered.add(id);
        if (!again.includes(id) || read.size === 0) throw error;
        server.log.warn({ err: error, guild: guild.id, order: id }, decidedByAlert);
        break;
      }
    }
    for (const id of ids) unanswered.delete(id);
    return ids.flatMap((id) => {
      const known = knownOf(id, orders);
      const order = read.has(id) ? read.get(id) : known;
      return order ? [{ order, known }] : [];
    });
  }

  /** Remembered until the record changes, because a time zone is slow to load. */
  function quietOf(guild: Guild): QuietHours | undefined {
    if (guild !== quiet.guild) quiet = { guild, hours: guild.remind && quietHoursOf(guild.remind, zoneNameOf(guild)) };
    return quiet.hours;
  }

  return {
    lane: "reply",
    logText: "reminder posted",
    rank: 1,
    orderIds: ({ orderIds }) => orderIds,
    target: (row, guild, channels) => guild.remind && workingDestination(guild, ruleOfPosted(guild, row), channels),
    dueInMs({ foundAt }, { guild, now }) {
      if (guild.remind === undefined) return 0;
      const ms = Math.max(foundAt + guild.remind.afterMs - now, 0);
      const quiet = quietOf(guild);
      // In UTC, quiet hours of every zone end at :00, :15, :30 or :45.
      return ms === 0 && quiet && isQuiet(quiet, now) ? quarterMs - (now % quarterMs) : ms;
    },
    async wanted(reminder, guild, orders): Promise<RowOf<"reminder"> | undefined> {
      const before = await readTakes(server.storage, guild.id, reminder.orderIds);
      const ids = reminder.orderIds.filter((id) => !before.get(id)?.done);
      const read = await readOrders(ids, guild, orders);
      // People may take orders while the store is asked.
      const takes = await readTakes(server.storage, guild.id, reminder.orderIds);
      const found = read.flatMap(({ order, known }) => (isWaiting(order, known, takes) ? [order] : []));
      if (found.length === 0) return undefined;
      shown.set(reminder.messageId, { orders: found, takes });
      return { ...reminder, orderIds: found.map(({ id }) => id) };
    },
    render([row], { guild, target: { roleId }, isReply }, isBare) {
      const made = row && shown.get(row.messageId);
      if (made === undefined) throw new ConflictError();
      const orders = isBare ? made.orders.map(bare) : made.orders;
      return reminderMessage(orders, channelContext(guild), { takes: made.takes, roleId, isReply });
    },
    afterPosted({ messageId }) {
      shown.delete(messageId);
      return {};
    },
    marks: ({ orderIds }) => orderIds,
    marksOf: ({ marks, orderIds }) => (replyOf(marks) === "reminder" ? orderIds : []),
  };
}
