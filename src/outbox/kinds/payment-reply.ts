import { bare } from "../../orders/alert-order.ts";
import { channelContext } from "../../orders/channel-context.ts";
import { isPosted } from "../../orders/order-row.ts";
import { editOf, isOverFor } from "../../orders/plan-messages.ts";
import { isStillDue } from "../../orders/reply-due.ts";
import { alertBatchSize, paidMessage, refundMessage, replyOf } from "../../views/alerts/alert-message.ts";
import { isRuleMessage } from "../../views/alerts/hidden-mark.ts";
import { ruleOfPosted, workingDestination } from "../destination.ts";
import type { MessageKind } from "../kind.ts";

/** A reply to an alert whose orders were paid, paid back or disputed. */
export const paymentReplyKind: MessageKind<"reply"> = {
  lane: "reply",
  logText: "replied to an alert",
  orderIds: ({ facts }) => [facts.id],
  target: (row, guild, channels) => workingDestination(guild, ruleOfPosted(guild, row), channels),
  groupOf: ({ what, messageId }) => `${what} ${messageId}`,
  most: () => alertBatchSize,
  marks: ({ what, facts }) => [`${what} ${facts.id}`],
  marksOf({ marks, orderIds }) {
    const reply = replyOf(marks);
    if (isRuleMessage(marks) || reply === "reminder") return [];
    const what = reply === "refund" ? "refunded" : "paid";
    return orderIds.map((id) => `${what} ${id}`);
  },
  render(rows, { guild, target, isReply }, isBare) {
    const ctx = channelContext(guild);
    const { roleId } = target;
    const orders = rows.map(({ facts }) => (isBare ? bare(facts) : facts));
    const isRefund = rows[0]?.what === "refunded";
    return isRefund ? refundMessage(orders, ctx, { isReply }) : paidMessage(orders, ctx, { isReply, roleId });
  },
  wanted: async (row, { guild: { alerts } }) => (isStillDue(row, alerts?.statuses ?? []) ? row : undefined),
  afterPosted({ what, facts }, _, orders, { outbox, guild, now }) {
    const order = orders.get(facts.id);
    if (!isPosted(order)) return {};
    const said = { ...order, [what]: true };
    const { state, stand } = order;
    const isOver = state === "open" && isOverFor(guild)(said) && !outbox.has(`edit/${stand.messageId}`);
    return { orders: [[facts.id, said]], put: isOver ? [editOf(order, now)] : [] };
  },
};
