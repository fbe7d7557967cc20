import { isDeepStrictEqual } from "node:util";
import type { Guild } from "../../guilds/guild.ts";
import { readTakes } from "../../handling/takes.ts";
import { bare } from "../../orders/alert-order.ts";
import { channelContext } from "../../orders/channel-context.ts";
import { decryptCustomer } from "../../orders/customer-encryption.ts";
import type { Orders } from "../../orders/ledger.ts";
import { isPosted } from "../../orders/order-row.ts";
import { keyOf, type RowOf } from "../../orders/outbox-row.ts";
import { close, isOverFor } from "../../orders/plan-messages.ts";
import { type AlertOrder, alertMessage } from "../../views/alerts/alert-message.ts";
import { bareNote, fallbackNote, unsureNote } from "../../views/alerts/alert-notes.ts";
import type { Takes } from "../../views/orders/handling.ts";
import type { ServerContext } from "../context.ts";
import { destinationOf, ruleOfPosted } from "../destination.ts";
import type { RowKind } from "../kind.ts";
import { MessengerError } from "../messenger.ts";

export const editKind: RowKind<"edit"> = {
  lane: "edit",
  target: ({ channelId }) => ({ channelId, showsCustomers: false }),
};

/**
 * Edits a message so that it shows its orders as they are now, and removes the row of the edit. Also removes the row in three
 * cases: the message is gone or by version 0.1.0; one of its orders is closed or unknown; Discord refuses the edit even without
 * texts of other people.
 *
 * @param stop aborted when the server's record changes. The row then stays, and the message is edited again
 * @throws MessengerError if the edit may be tried again
 */
export async function editMessage(server: ServerContext, row: RowOf<"edit">, guild: Guild, stop: AbortSignal) {
  const { ledger, messenger, metrics, storage, lease } = server;
  const known = await ledger.entries(row.orderIds);
  const takes = await readTakes(storage, guild.id, row.orderIds);
  for (const isBare of [false, true]) {
    const message = messageOf(server, row, guild, known, takes, isBare);
    if (message === undefined) break;
    try {
      // When another process begins to poll the server, an edit that still waits is out of date. So the signal ends the edit.
      await messenger.edit(row.channelId, row.messageId, message, lease.signal());
      metrics.alertEdited();
      if (stop.aborted) return;
      // A person may take an order during the edit. The button then edits the same message, too. It is unknown which edit came
      // last, so this edit is repeated.
      if (!isDeepStrictEqual(takes, await readTakes(storage, guild.id, row.orderIds))) return;
      break;
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error;
      if (error.code === "channel_gone") break;
      if (error.code !== "refused") throw error;
    }
  }
  await ledger.write(row.orderIds, (orders, outbox) => {
    // If a status changed during the edit, a new row has replaced this one.
    if (outbox.get(keyOf(row)) !== row) return [];
    return [{ ...close(orders, isOverFor(guild)), drop: [keyOf(row)] }];
  });
}

/** @param isBare leaves out texts of other people, because Discord may refuse a message for such a text */
function messageOf(
  server: ServerContext,
  row: RowOf<"edit">,
  guild: Guild,
  known: Orders,
  takes: Takes,
  isBare: boolean,
) {
  const members = row.orderIds.flatMap((id) => {
    const order = known.get(id);
    return isPosted(order) ? [order] : [];
  });
  const [first] = members;
  if (first === undefined || members.length < row.orderIds.length) return undefined;
  if (!first.stand.isClassic) return undefined;
  // In a former channel there may be people who must not see customers.
  const place = destinationOf(guild, ruleOfPosted(guild, first.stand));
  const isHere = place?.channelId === row.channelId && place.showsCustomers;
  const ctx = channelContext(guild);
  const isOpen = !isBare && isHere && row.customer !== undefined && members.length === 1 && ctx.privacy !== "none";
  const customer = isOpen ? decryptCustomer(server, row.customer, first.facts.id) : undefined;
  const orders = members.map(
    ({ facts }): AlertOrder => ({
      ...(isBare ? bare(facts) : facts),
      ...(customer && { customer }),
    }),
  );
  const roleId = place?.roleId;
  const rule = guild.routes?.find(({ id }) => id === first.stand.route);
  // A rule never changes its channel. So an alert in another channel was posted while the rule's channel was lost.
  const notes = [
    ...(rule && rule.channelId !== row.channelId ? [fallbackNote(rule, ctx)] : []),
    ...(isBare ? [bareNote(ctx)] : []),
    ...(members.some(({ stand }) => stand.isUnsure) ? [unsureNote(ctx)] : []),
  ];
  return alertMessage(orders, ctx, { takes, notes, ...(roleId && { roleId }) });
}
