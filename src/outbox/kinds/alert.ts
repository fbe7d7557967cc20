import { readTakes } from "../../handling/takes.ts";
import { bare } from "../../orders/alert-order.ts";
import { channelContext } from "../../orders/channel-context.ts";
import { decryptCustomer } from "../../orders/customer-encryption.ts";
import type { Change } from "../../orders/ledger.ts";
import { factsOf, type PostedOrder } from "../../orders/order-row.ts";
import { keyOf, type RowOf } from "../../orders/outbox-row.ts";
import { posted } from "../../orders/plan-messages.ts";
import { alertBatchSize, alertMessage } from "../../views/alerts/alert-message.ts";
import { bareNote, fallbackNote, unsureNote } from "../../views/alerts/alert-notes.ts";
import { isRuleMessage } from "../../views/alerts/hidden-mark.ts";
import { hasButtons } from "../../views/orders/handling.ts";
import { firstItems } from "../../views/orders/order-lines.ts";
import type { ServerContext } from "../context.ts";
import { workingDestination } from "../destination.ts";
import type { MessageKind } from "../kind.ts";
import { reminderAfter } from "./reminder.ts";

/** A shared message shows an order in two lines, which have no room for more items. */
const itemsOfShared = 10;
/** The search starts up to this much before the recorded time of an attempt, because that time may be from a fast clock. */
const mostFastMs = 24 * 60 * 60_000;

export function alertKind(server: ServerContext): MessageKind<"alert"> {
  return {
    lane: "alert",
    logText: "alerts posted",
    orderIds: ({ orderId }) => [orderId],
    target: ({ route }, guild, channels) => workingDestination(guild, route, channels),
    // A shared message has the ids of its orders only in its menu. An id that is too long for buttons cannot be in a menu.
    most: ({ orderId }) => (hasButtons(orderId) ? alertBatchSize : 1),
    searchSince({ orderId }, inDoubtSince, orders) {
      const { createdAt } = factsOf(orders.get(orderId)) ?? {};
      // An alert is never older than its order.
      return Math.min(inDoubtSince, Math.max(createdAt ?? Number.POSITIVE_INFINITY, inDoubtSince - mostFastMs));
    },
    // The order may no longer be planned: for example, its malformed row reads as closed.
    wanted: async (row, _, orders) => (orders.get(row.orderId)?.state === "planned" ? row : undefined),
    marks: ({ orderId }) => [orderId],
    marksOf: ({ marks, orderIds }) => (isRuleMessage(marks) ? [] : orderIds),
    async render(rows, { guild, orders, target }, isBare) {
      const { roleId, fallbackFor, showsCustomers } = target;
      const ctx = channelContext(guild);
      const shown = rows.flatMap((alert) => {
        const { orderId, customer } = alert;
        const known = factsOf(orders.get(orderId));
        if (!known) return [];
        const facts = { ...known, status: statusIn(alert, target.channelId) ?? known.status };
        if (isBare) return [bare(facts)];
        // After a shared message was posted, its customers are no longer stored, so an edit could not show them.
        const isOpen = rows.length === 1 && showsCustomers && customer !== undefined;
        const opened = isOpen ? decryptCustomer(server, customer, orderId) : undefined;
        return [{ ...facts, ...(opened && { customer: opened }) }];
      });
      const notes = [
        ...(fallbackFor ? [fallbackNote(fallbackFor, ctx)] : []),
        ...(isBare ? [bareNote(ctx)] : []),
        ...(rows.some(({ isUnsure }) => isUnsure) ? [unsureNote(ctx)] : []),
      ];
      // People may take an order on its card before its alert is posted, for example while the channel does not work.
      const ids = rows.map(({ orderId }) => orderId);
      const takes = await readTakes(server.storage, guild.id, ids);
      return alertMessage(shown, ctx, { takes, notes, ...(roleId && { roleId }) });
    },
    afterPosted(alert, message, orders, planning): Change {
      const { channelId, messageId, isClassic, members } = message;
      const { orderId, route, isUnsure, customer } = alert;
      const row = orders.get(orderId);
      if (row?.state !== "planned") return {};
      const isShared = members.length > 1;
      const facts = isShared ? { ...row.facts, ...firstItems(row.facts, itemsOfShared) } : row.facts;
      const stand = {
        channelId,
        messageId,
        members,
        ...(route && { route }),
        ...(isUnsure && { isUnsure }),
        ...(isClassic && { isClassic: true as const }),
      };
      const open: PostedOrder = { ...row, state: "open", facts, stand };
      const change = posted(
        open,
        statusIn(alert, channelId),
        planning.outbox,
        isShared ? undefined : customer,
        planning,
      );
      const reminder = reminderAfter(alert, message, planning);
      return reminder ? { ...change, put: [...(change.put ?? []), reminder] } : change;
    },
    count({ orderId, foundAt }, orders, isSent) {
      if (!isSent) return server.metrics.alertPosted();
      const { createdAt } = factsOf(orders.get(orderId)) ?? {};
      const now = server.now();
      const sinceCreatedMs = createdAt === undefined ? undefined : now - createdAt;
      server.metrics.alertPosted({ sinceCreatedMs, sinceSeenMs: now - foundAt });
    },
  };
}

/** The status that the alert showed at its last attempt in this channel. The order's status may have changed since then. */
function statusIn(row: RowOf<"alert">, channelId: string): string | undefined {
  const attempt = row.attempts.findLast((one) => one.channelId === channelId);
  return attempt?.shown[attempt.members.indexOf(keyOf(row))];
}
