import { statusWord } from "../../src/views/orders/status.ts";
import { type Component, flat } from "../sandbox/discord/components.ts";
import type { ApiMessage, PretendDiscord } from "../sandbox/discord/discord.ts";
import { ordersIn } from "../support/shown-orders.ts";
import type { Tenant } from "../support/tenants.ts";

/** Times are monotonic ms. */
interface Watched {
  readonly tenant: Tenant;
  readonly lastStatus: string;
  readonly placedAt: number;
  /** The order gets its last status so long after its alert. */
  readonly changesAfterMs: number;
  alert?: { readonly at: number; readonly messageId: string };
  hasChanged: boolean;
}

/** In the menu if the message has several orders, otherwise in its embed. */
function shows({ components = [], embeds }: ApiMessage, id: string, status: string): boolean {
  const options = flat(components as unknown as readonly Component[]).flatMap((part) => part.options ?? []);
  const described = options.flatMap(({ value, description = "" }) => (value === id ? [description] : []));
  const fields = embeds.flatMap(({ fields = [] }) => fields.map(({ value }) => value));
  return [...described, ...fields].some((text) => text.split(" · ")[0] === statusWord(status, "en"));
}

/** Follows each order from its arrival until Discord shows its last status, and then forgets it. */
export class OrderWatch {
  private readonly watched = new Map<string, Watched>();
  placed = 0;
  alerted = 0;
  /** Orders alerted once more, or in another server's channel. */
  doubled = 0;
  /** Orders whose message showed their last status. */
  finished = 0;
  /** From an order's arrival to its alert. */
  longestMs = 0;

  constructor(discord: PretendDiscord) {
    discord.on("message", ({ channelId, ephemeralFor, message }) => {
      if (ephemeralFor !== undefined || message.author.id !== discord.botUserId) return;
      for (const id of ordersIn(message)) this.alert(id, channelId, message.id);
    });
    discord.on("edit", ({ message }) => {
      for (const id of ordersIn(message)) this.edit(id, message);
    });
  }

  place(tenant: Tenant, changesAfterMs: number, lastStatus: string): void {
    this.placed += 1;
    const placedAt = performance.now();
    this.watched.set(tenant.shop.placeOrder().id, { tenant, lastStatus, placedAt, changesAfterMs, hasChanged: false });
  }

  /** Alerts that did not come so far. */
  get missing(): number {
    return [...this.watched.values()].filter(({ alert }) => alert === undefined).length;
  }

  /** Messages that do not show the last status of their order so far. */
  get outdated(): number {
    return this.watched.size - this.missing;
  }

  tick(): void {
    for (const [id, order] of this.watched) {
      const { alert, changesAfterMs, hasChanged, tenant, lastStatus } = order;
      if (hasChanged || alert === undefined || alert.at + changesAfterMs > performance.now()) continue;
      order.hasChanged = true;
      tenant.shop.setStatus(id, lastStatus);
    }
  }

  private alert(id: string, channelId: string, messageId: string): void {
    const order = this.watched.get(id);
    // An order that is not watched any more was alerted before.
    if (order?.alert !== undefined || order?.tenant.guild.channel("new-orders") !== channelId) {
      this.doubled += 1;
      return;
    }
    order.alert = { at: performance.now(), messageId };
    this.alerted += 1;
    this.longestMs = Math.max(this.longestMs, order.alert.at - order.placedAt);
  }

  private edit(id: string, message: ApiMessage): void {
    const order = this.watched.get(id);
    if (!order?.hasChanged || order.alert?.messageId !== message.id || !shows(message, id, order.lastStatus)) return;
    this.finished += 1;
    this.watched.delete(id);
    order.tenant.shop.removeOrder(id);
  }
}
