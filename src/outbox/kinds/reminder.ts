import { type Guild, zoneNameOf } from "../../guilds/guild.ts";
import { isQuiet, type QuietHours, quietHoursOf } from "../../guilds/quiet-hours.ts";
import { readTakes } from "../../handling/takes.ts";
import { bare, toAlertOrder } from "../../orders/alert-order.ts";
import { channelContext } from "../../orders/channel-context.ts";
import { ConflictError } from "../../orders/guild-lease.ts";
import type { Orders } from "../../orders/ledger.ts";
import type { RowOf } from "../../orders/outbox-row.ts";
import { isFinished, sameStatus } from "../../store-api/order-status.ts";
import { isUnusable, StoreError } from "../../store-api/store-api.ts";
import { type AlertOrder, reminderMessage, replyOf } from "../../views/alerts/alert-message.ts";
import type { Takes } from "../../views/orders/handling.ts";
import type { Current, ServerContext } from "../context.ts";
import { ruleOfPosted, workingDestination } from "../destination.ts";
import type { MessageKind, PlanningAfterPost, PostedRecord } from "../kind.ts";

const quarterMs = 15 * 60_000;
/** If the store does not answer for so long, the status in the alert counts. Some stores never answer about deleted orders. */
const longestWaitMs = 24 * 60 * 60_000;
/** While this many reminders of a server wait, new alerts of the server get none. */
const mostReminders = 1_000;

/** The reminder of an alert that was posted now. Undefined if the alert gets none. */
export function reminderAfter(
  alert: RowOf<"alert">,
  { channelId, messageId, members: orderIds }: PostedRecord,
  { guild, outbox, now, sinceOf }: PlanningAfterPost,
): RowOf<"reminder"> | undefined {
  const waiting = () => [...outbox.values()].filter(({ kind }) => kind === "reminder").length;
  if (guild.remind === undefined || waiting() >= mostReminders) return undefined;
  const { route } = alert;
  return { kind: "reminder", channelId, messageId, route, orderIds, foundAt: now, since: sinceOf(alert), attempts: [] };
}

/** The order as its alert shows it. Undefined if it is not followed any more. */
function knownOf(id: string, orders: Orders): AlertOrder | undefined {
  const row = orders.get(id);
  return row?.state === "open" ? row.facts : undefined;
}

/** An order that a person took still waits if its status has not changed since the alert. */
function isWaiting({ id, status }: AlertOrder, known: AlertOrder | undefined, takes: Takes): boolean {
  const take = takes.get(id);
  if (isFinished(status) || take?.done) return false;
  return take === undefined || (known?.changedAt === undefined && sameStatus(status, known?.status ?? ""));
}

/** A message about orders that still wait for a person some time after their alert. */
export function reminderKind(server: ServerContext): MessageKind<"reminder"> {
  /** What was read for each reminder that is not posted yet. Keys are the message ids of the alerts. */
  const shown = new Map<string, { readonly orders: readonly AlertOrder[]; readonly takes: Takes }>();
  let quiet: { readonly guild?: Guild; readonly hours?: QuietHours | undefined } = {};

  /**
   * Undefined if the store has no such order. If the store's answer is unusable, or the reminder has waited for a day, returns
   * the order as its alert shows it. Throws `StoreError`.
   */
  async function readOrder(id: string, foundAt: number, current: Current, orders: Orders) {
    const { guild } = current;
    const store = current.store();
    try {
      if (store === undefined) throw new StoreError("unavailable", "GET order");
      return toAlertOrder(await store.getOrder(id, server.lease.untilOver()), "none");
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "not_found") return undefined;
      // If no request may be sent, a poll has recorded why.
      if (store) server.failed(error.code);
      const dueAt = foundAt + (guild.remind?.afterMs ?? 0);
      if (!isUnusable(error) && server.now() < dueAt + longestWaitMs) throw error;
      const message = "an order cannot be read; its reminder is decided by what the alert shows";
      server.log.warn({ err: error, guild: guild.id, order: id }, message);
      return knownOf(id, orders);
    }
  }

  /** Remembered until the record changes, because a time zone is slow to load. */
  function quietOf(guild: Guild): QuietHours | undefined {
    if (guild !== quiet.guild) quiet = { guild, hours: quietHoursOf(guild.remind?.quiet, zoneNameOf(guild)) };
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
    async wanted(reminder, current, orders): Promise<RowOf<"reminder"> | undefined> {
      const before = await readTakes(server.storage, server.guildId, reminder.orderIds);
      const read: AlertOrder[] = [];
      for (const id of reminder.orderIds) {
        const order = before.get(id)?.done ? undefined : await readOrder(id, reminder.foundAt, current, orders);
        if (order) read.push(order);
      }
      // People may take orders while the store is asked.
      const takes = await readTakes(server.storage, server.guildId, reminder.orderIds);
      const found = read.filter((order) => isWaiting(order, knownOf(order.id, orders), takes));
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
