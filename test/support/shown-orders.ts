import { textOf } from "../sandbox/discord/discord.ts";
import type { World } from "./world.ts";

/** In how many messages of the alert channel each of these orders stands. */
export function timesShown({ discord, guild }: World, ids: readonly string[]): number[] {
  const texts = discord.messages(guild.channel("new-orders")).map(textOf);
  return ids.map((id) => texts.filter((text) => text.includes(id.slice(0, 8))).length);
}

/** Waits until each of these orders stands in the alert channel; rejects after the deadline. */
export function allShown(world: World, ids: readonly string[], deadlineMs: number): Promise<true> {
  return world.discord.waitFor(
    () => (timesShown(world, ids).every((times) => times > 0) ? true : undefined),
    `${ids.length} orders in the channel`,
    deadlineMs,
  );
}
