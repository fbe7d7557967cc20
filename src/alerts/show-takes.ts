import type { Guild } from "../guilds/guild.ts";
import { readTakes } from "../handling/takes.ts";
import { isPosted } from "../orders/order-row.ts";
import type { ServerContext } from "../outbox/context.ts";
import { handledAlert } from "../views/orders/handling.ts";

export interface ShowTakesOptions {
  /** The message from which the order was opened. It is edited if it has an embed and the order's alert is not known. */
  readonly from: { readonly channelId: string; readonly messageId: string } | undefined;
  /** Runs the edit after earlier edits of the message, or skips it if a later one already waits (edit-throttle.ts). */
  pace(messageId: string, edit: () => Promise<void>): Promise<void>;
}

/**
 * Shows in an alert who took its orders. Does nothing if neither the ledger nor `from` names the message, or if version 0.1.0
 * posted it (in Components V2). Throws `MessengerError` and `StorageError`.
 */
export async function showTakes(
  { ledger, messenger, storage }: ServerContext,
  guild: Guild,
  orderId: string,
  { from, pace }: ShowTakesOptions,
): Promise<void> {
  const row = (await ledger.entries([orderId])).get(orderId);
  const place = isPosted(row) ? row.stand : (row?.formerPlace ?? from);
  if (place === undefined) return;
  const { channelId, messageId } = place;
  await pace(messageId, async () => {
    const stands = await messenger.read(channelId, messageId);
    if (stands === undefined || stands.isV2) return;
    // Messages about payments, refunds and waiting orders open cards, too. They have no embed.
    if (!isPosted(row) && !stands.hasEmbed) return;
    const ids = isPosted(row) ? row.stand.members : stands.orderIds;
    const takes = await readTakes(storage, guild.id, ids);
    await messenger.edit(channelId, messageId, handledAlert(stands.content, ids, takes, guild.settings.language));
  });
}
