import { isDeepStrictEqual } from "node:util";
import type { Metrics } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { bare, contextOf } from "../orders/alert-order.ts";
import type { Ledger, Orders } from "../orders/ledger.ts";
import { isPosted } from "../orders/order-row.ts";
import { keyOf, type RowOf } from "../orders/outbox-row.ts";
import { close, isOverFor } from "../orders/plan.ts";
import { type AlertOrder, alertMessage } from "../views/alerts/alert-message.ts";
import type { Customer } from "../views/orders/customer.ts";
import type { Takes } from "../views/orders/handling.ts";
import { destinationOfPosted } from "./destination.ts";
import { type Messenger, MessengerError } from "./messenger.ts";

export interface EditsDeps {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly messenger: Pick<Messenger, "edit">;
  /** Who took these orders, as it is stored by now. Throws `StorageError`. */
  takesOf(guildId: string, orderIds: readonly string[]): Promise<Takes>;
  /** The customer of an order, if it can be decrypted. */
  customerIn(sealed: string, orderId: string): Customer | undefined;
  readonly metrics: Metrics;
}

/** All that a message shows of its orders. */
const factsIn = (orders: Orders) => [...orders].map(([id, row]) => [id, "facts" in row && row.facts]);

/** Edits messages whose orders came to another status. */
export class Edits {
  private readonly deps: EditsDeps;

  constructor(deps: EditsDeps) {
    this.deps = deps;
  }

  /**
   * Edits a message. One that a person deleted is left alone, and so is one that shows an order of which nothing is known: it
   * left the list before a backup was restored, and would go from the message. Throws `MessengerError` where it may be tried
   * again. What Discord refuses, also without what others wrote, stays as it is.
   */
  async work(row: RowOf<"edit">, guild: Guild, signal: AbortSignal, stop: AbortSignal): Promise<void> {
    const { ledger, messenger, metrics, takesOf } = this.deps;
    const known = await ledger.entries(row.orderIds);
    const takes = await takesOf(guild.id, row.orderIds);
    for (const isBare of [false, true]) {
      const message = this.messageOf(row, guild, known, takes, isBare);
      if (message === undefined) break;
      try {
        await messenger.edit(row.channelId, row.messageId, message, signal);
        metrics.alertEdited();
        // Made by a record that has changed meanwhile: it is made once more.
        if (stop.aborted) return;
        // A person who took an order meanwhile changed the message before this edit arrived, or after: it is made once more.
        if (!isDeepStrictEqual(takes, await takesOf(guild.id, row.orderIds))) return;
        break;
      } catch (error) {
        if (!(error instanceof MessengerError)) throw error;
        if (error.code === "channel_gone") break;
        if (error.code !== "refused") throw error;
      }
    }
    await ledger.write(row.orderIds, (orders) => {
      // Another status has come meanwhile: the message is edited once more.
      if (!isDeepStrictEqual(factsIn(orders), factsIn(known))) return [];
      return [{ ...close(orders, isOverFor(guild.alerts?.statuses ?? [])), drop: [keyOf(row)] }];
    });
  }

  /** @param isBare without what others wrote: Discord may refuse that */
  private messageOf(row: RowOf<"edit">, guild: Guild, known: Orders, takes: Takes, isBare: boolean) {
    const { customerIn } = this.deps;
    const members = row.orderIds.flatMap((id) => {
      const order = known.get(id);
      return isPosted(order) ? [order] : [];
    });
    const [first] = members;
    if (first === undefined || members.length < row.orderIds.length) return undefined;
    // A message of 0.1.0 is in components and cannot become a classic one: it stays as it is.
    if (!first.stand.isClassic) return undefined;
    // Who reads a channel that alerts have left was not asked when customers were to be shown.
    const place = destinationOfPosted(guild, first.stand);
    const isHere = place?.channelId === row.channelId && place.showsCustomers;
    const ctx = contextOf(guild);
    const isOpen = !isBare && isHere && row.customer !== undefined && members.length === 1 && ctx.privacy !== "none";
    const customer = isOpen ? customerIn(row.customer, first.facts.id) : undefined;
    const orders = members.map(
      ({ facts }): AlertOrder => ({
        ...(isBare ? bare(facts) : facts),
        ...(customer && { customer }),
      }),
    );
    const roleId = place?.roleId;
    return alertMessage(orders, ctx, { takes, ...(roleId && { roleId }) });
  }
}
