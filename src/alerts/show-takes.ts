import type { Guild } from "../guilds/guild.ts";
import { readTakes } from "../handling/takes.ts";
import { isPosted } from "../orders/order-row.ts";
import type { ServerContext } from "../outbox/context.ts";
import { handledAlert } from "../views/orders/handling.ts";

export interface ShowTakesOptions {
  /** The message from which the order was opened. Used if the order's alert is unknown. Edited only if it has an embed. */
  readonly from: { readonly channelId: string; readonly messageId: string } | undefined;
  /** An `EditThrottle` (edit-throttle.ts). */
  pace(messageId: string, edit: () => Promise<void>): Promise<void>;
}

/**
 * Shows in an alert who took its orders. The ledger or `from` names the message; if neither does, nothing is edited. Leaves a
 * message of version 0.1.0 (in Components V2) as it is. Throws `MessengerError` and `StorageError`.
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
    if (!stands?.isClassic) return;
    // `from` may be a message about a payment, a refund or a waiting order. Such a message has no embed, and is not edited.
    if (!isPosted(row) && !stands.hasEmbed) return;
    const ids = isPosted(row) ? row.stand.members : stands.orderIds;
    const takes = await readTakes(storage, guild.id, ids);
    await messenger.edit(channelId, messageId, handledAlert(stands.content, ids, takes, guild.settings.language));
  });
}
