import type { PretendDiscord } from "../sandbox/discord/discord.ts";
import { ordersIn } from "../support/process/shown-orders.ts";
import type { Tenant } from "../support/process/tenants.ts";

/** Times are monotonic ms. */
interface Placed {
  readonly tenant: Tenant;
  readonly lastStatus: string;
  readonly placedAt: number;
}

/** Follows each order from its arrival to its alert, its last status and its removal from the store. */
export class OrderWatch {
  private readonly pollMs: number;
  private readonly waiting = new Map<string, Placed>();
  private readonly alerted = new Map<string, Placed & { readonly alertedAt: number }>();
  placed = 0;
  /** Orders alerted once more, or in another server's channel. */
  doubled = 0;
  /** From an order's arrival to its alert. */
  longestMs = 0;

  constructor(discord: PretendDiscord, pollMs: number) {
    this.pollMs = pollMs;
    discord.on("message", ({ channelId, ephemeralFor, message }) => {
      if (ephemeralFor !== undefined || message.author.id !== discord.botUserId) return;
      for (const id of ordersIn(message)) this.alert(id, channelId);
    });
  }

  place(tenant: Tenant, lastStatus: string): void {
    this.placed += 1;
    this.waiting.set(tenant.shop.placeOrder().id, { tenant, lastStatus, placedAt: performance.now() });
  }

  /** Alerts that did not come so far. */
  get missing(): number {
    return this.waiting.size;
  }

  /** Changes the status of an order a poll after its alert, and removes the order three polls later. */
  tick(): void {
    for (const [id, { tenant, lastStatus, alertedAt }] of this.alerted) {
      const polls = (performance.now() - alertedAt) / this.pollMs;
      if (polls >= 4) {
        tenant.shop.removeOrder(id);
        this.alerted.delete(id);
      } else if (polls >= 1) tenant.shop.setStatus(id, lastStatus);
    }
  }

  private alert(id: string, channelId: string): void {
    const order = this.waiting.get(id);
    if (order?.tenant.guild.channel("new-orders") !== channelId) {
      this.doubled += 1;
      return;
    }
    const alertedAt = performance.now();
    this.waiting.delete(id);
    this.alerted.set(id, { ...order, alertedAt });
    this.longestMs = Math.max(this.longestMs, alertedAt - order.placedAt);
  }
}
