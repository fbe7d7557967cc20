import type { ApiMessage } from "../sandbox/discord/discord.ts";
import { marksOf } from "../support/marks-of.ts";
import type { World } from "../support/world.ts";

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The orders that a message rings for, each once, in its order. */
function ordersOf({ components }: ApiMessage): string[] {
  return [...new Set(marksOf(components).flatMap((mark) => mark.match(uuid) ?? []))];
}

/** Which orders rang in a channel, in the order of their messages, with the time (`performance.now()`) of each. */
export function listenForOrders({ discord }: World, channelId: string) {
  const rung: { id: string; at: number }[] = [];
  discord.on("message", ({ channelId: place, message }) => {
    if (place === channelId) for (const id of ordersOf(message)) rung.push({ id, at: performance.now() });
  });
  return rung;
}
