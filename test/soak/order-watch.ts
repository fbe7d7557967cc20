import { ComponentType } from "@discordjs/core";
import { statusWord } from "../../src/views/orders/status.ts";
import type { ApiMessage, PretendDiscord } from "../sandbox/discord/discord.ts";
import type { Tenant } from "./tenants.ts";

/** What becomes of an order. */
export interface Fate {
  /** How long after its alert it leaves the status that rings. */
  readonly changesAfterMs: number;
  readonly lastStatus: string;
}

/** An order from its arrival until its message was looked at for the last time. Times are monotonic ms. */
interface Watched extends Fate {
  readonly id: string;
  readonly tenant: Tenant;
  readonly placedAt: number;
  rang?: { readonly at: number; readonly messageId: string };
  hasChanged: boolean;
  /** When its message showed the last status. */
  shownAt?: number;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const ordersIn = ({ components }: ApiMessage) => new Set(JSON.stringify(components ?? []).match(uuid));

/** Whether a message says this status of this order: in the menu where it is about several, else in its card. */
function says({ components = [], embeds }: ApiMessage, id: string, status: string): boolean {
  const texts = embeds.flatMap(({ fields = [] }) => fields.map(({ value }) => value));
  for (const row of components) {
    const parts = row.type === ComponentType.ActionRow ? row.components : [];
    for (const part of parts) {
      const options = part.type === ComponentType.StringSelect ? part.options : [];
      texts.push(...options.flatMap(({ value, description = "" }) => (value === id ? [description] : [])));
    }
  }
  return texts.some((text) => text.split(" · ")[0] === statusWord(status, "en"));
}

/** Follows each order from its arrival to its last status, as people see it in Discord, and forgets it after that. */
export class OrderWatch {
  private readonly discord: PretendDiscord;
  private readonly watched = new Map<string, Watched>();
  private readonly lookAgainMs: number;
  placed = 0;
  rung = 0;
  /** Rang once more, or in another server's channel. */
  doubled = 0;
  /** Orders whose message showed their last status, and showed it `lookAgainMs` later. */
  settled = 0;
  /** Messages that showed the last status, and then not any more. */
  reverted = 0;
  /** The longest time from an order's arrival to its alert, in ms. */
  longestMs = 0;

  /** @param lookAgainMs a message that was right for so long is looked at once more, and then forgotten */
  constructor(discord: PretendDiscord, lookAgainMs: number) {
    this.discord = discord;
    this.lookAgainMs = lookAgainMs;
    discord.on("message", ({ channelId, ephemeralFor, message }) => {
      if (ephemeralFor !== undefined || message.author.id !== discord.botUserId) return;
      for (const id of ordersIn(message)) this.ring(id, channelId, message.id);
    });
    discord.on("edit", ({ message }) => {
      for (const id of ordersIn(message)) this.look(id, message);
    });
  }

  place(tenant: Tenant, fate: Fate): void {
    const { id } = tenant.shop.placeOrder();
    this.placed += 1;
    this.watched.set(id, { ...fate, id, tenant, placedAt: performance.now(), hasChanged: false });
  }

  /** Alerts that did not come so far. */
  get missing(): number {
    return [...this.watched.values()].filter(({ rang }) => rang === undefined).length;
  }

  /** Messages that do not show the last status of their order so far. */
  get unshown(): number {
    return [...this.watched.values()].filter(({ rang, shownAt }) => rang !== undefined && shownAt === undefined).length;
  }

  /** What has to be done at this moment: some orders get their last status, others are looked at for the last time. */
  tick(): void {
    const now = performance.now();
    for (const order of this.watched.values()) {
      if (order.rang === undefined) continue;
      if (!order.hasChanged && order.rang.at + order.changesAfterMs <= now) {
        order.hasChanged = true;
        order.tenant.shop.setStatus(order.id, order.lastStatus);
      }
      if (order.shownAt !== undefined && order.shownAt + this.lookAgainMs <= now) this.leave(order);
    }
  }

  /** Every message that was right is looked at for the last time. */
  end(): void {
    for (const order of this.watched.values()) if (order.shownAt !== undefined) this.leave(order);
  }

  private ring(id: string, channelId: string, messageId: string): void {
    const order = this.watched.get(id);
    // What is not watched any more rang before.
    if (order?.rang !== undefined || order?.tenant.channel !== channelId) {
      this.doubled += 1;
      return;
    }
    const now = performance.now();
    order.rang = { at: now, messageId };
    this.rung += 1;
    this.longestMs = Math.max(this.longestMs, now - order.placedAt);
  }

  private look(id: string, message: ApiMessage): void {
    const order = this.watched.get(id);
    if (order?.rang?.messageId !== message.id || !order.hasChanged || order.shownAt !== undefined) return;
    if (says(message, id, order.lastStatus)) order.shownAt = performance.now();
  }

  private leave({ id, tenant, rang, lastStatus }: Watched): void {
    const message = this.discord.messages(tenant.channel).find((shown) => shown.id === rang?.messageId);
    if (message === undefined || !says(message, id, lastStatus)) this.reverted += 1;
    else this.settled += 1;
    tenant.shop.removeOrder(id);
    this.watched.delete(id);
  }
}
