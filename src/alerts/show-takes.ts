import type { Guild } from "../guilds/guild.ts";
import type { Ledger } from "../orders/ledger.ts";
import { isPosted } from "../orders/order-row.ts";
import type { Messenger } from "../outbox/messenger.ts";
import { handledAlert, type Takes } from "../views/orders/handling.ts";

/** Where a message stands. */
export interface MessagePlace {
  readonly channelId: string;
  readonly messageId: string;
}

export interface ShowTakesInput {
  readonly guild: Guild;
  readonly orderId: string;
  /** The message from which the order was opened: its alert may not be followed any more. */
  readonly from: MessagePlace | undefined;
  readonly ledger: Pick<Ledger, "entries">;
  readonly messenger: Pick<Messenger, "read" | "edit">;
  takesOf(guildId: string, orderIds: readonly string[]): Promise<Takes>;
  /** Edits a message when its turn comes. */
  pace(messageId: string, edit: () => Promise<void>): Promise<void>;
}

/**
 * Shows in an order's alert who has its orders, where it is known where that stands. One in Components V2, as 0.1.0 posted
 * it, stays as it is. Throws `MessengerError` and `StorageError`.
 */
export async function showTakes(input: ShowTakesInput): Promise<void> {
  const { guild, orderId, from, ledger, messenger, takesOf, pace } = input;
  const row = (await ledger.entries([orderId])).get(orderId);
  const place = isPosted(row) ? row.stand : from;
  if (place === undefined) return;
  const { channelId, messageId } = place;
  await pace(messageId, async () => {
    const stands = await messenger.read(channelId, messageId);
    if (stands === undefined || stands.isV2) return;
    const ids = stands.orderIds;
    if (!ids.includes(orderId)) return;
    const takes = await takesOf(guild.id, ids);
    await messenger.edit(channelId, messageId, handledAlert(stands.content, ids, takes, guild.settings.language));
  });
}
