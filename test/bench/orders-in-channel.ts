import type { World } from "../support/world.ts";

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * From now on, each order of each message, in their sequence. `at`: `performance.now()`. An order's id is in the custom ids of
 * its buttons.
 *
 * @param channelId the only channel, or all without it
 */
export function listenForOrders({ discord }: World, channelId?: string) {
  const rung: { id: string; at: number }[] = [];
  discord.on("message", ({ channelId: place, message }) => {
    if (channelId !== undefined && place !== channelId) return;
    const at = performance.now();
    for (const id of new Set(JSON.stringify(message.components ?? []).match(uuid))) rung.push({ id, at });
  });
  return rung;
}
