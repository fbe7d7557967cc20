import { type ApiMessage, textOf } from "../../sandbox/discord/discord.ts";
import type { World } from "./world.ts";

/** In how many messages of the alert channel each order is. */
export function timesShown({ discord, guild }: World, ids: readonly string[]): number[] {
  const texts = discord.messages(guild.channel("new-orders")).map(textOf);
  return ids.map((id) => texts.filter((text) => text.includes(id.slice(0, 8))).length);
}

export function allShown(world: World, ids: readonly string[], deadlineMs?: number): Promise<true> {
  return world.discord.waitFor(
    () => (timesShown(world, ids).every((times) => times > 0) ? true : undefined),
    `${ids.length} orders in the channel`,
    deadlineMs,
  );
}

/** Waits until `is` is true for an alert of the order. Replies to alerts do not count. */
export function alertOf(
  { discord, guild }: World,
  id: string,
  is: (text: string) => boolean = () => true,
  channel = "new-orders",
): Promise<ApiMessage> {
  const fits = (message: ApiMessage) => {
    const text = textOf(message);
    return message.message_reference === undefined && text.includes(id.slice(0, 8)) && is(text);
  };
  return discord.waitFor(() => discord.messages(guild.channel(channel)).find(fits), `alert of ${id}`);
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Ids of the orders of an alert, from the custom ids of its buttons and from its menu. */
export const ordersIn = ({ components = [] }: ApiMessage): ReadonlySet<string> =>
  new Set(JSON.stringify(components).match(uuid));

/** Collects from now on each order of each message. `at`: `performance.now()`. By default, all channels count. */
export function listenForOrders({ discord }: World, channelId?: string) {
  const found: { id: string; at: number }[] = [];
  discord.on("message", ({ channelId: place, message }) => {
    if (channelId !== undefined && place !== channelId) return;
    for (const id of ordersIn(message)) found.push({ id, at: performance.now() });
  });
  return found;
}
