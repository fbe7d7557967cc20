import { randomBytes } from "node:crypto";
import type { Demo } from "../start-demo.ts";

export const troubleNames = [
  "store-down",
  "store-slow",
  "store-limited",
  "token-refused",
  "channel-deleted",
  "discord-failing",
] as const;
export type TroubleName = (typeof troubleNames)[number];

/** Longer than Discord's 3 s for a first answer, shorter than the bot's own patience. */
const slowMs = 5_000;

/** Each switch is off at first. */
export type Troubles = ReturnType<typeof createTroubles>;

export function createTroubles({ discord, store, guild }: Pick<Demo, "discord" | "store" | "guild">) {
  const ways: Record<TroubleName, () => (() => unknown) | Promise<() => unknown>> = {
    "store-down": async () => {
      await store.down();
      return () => store.up();
    },
    "store-slow": () => store.fail({ delayMs: slowMs }),
    "store-limited": () => store.fail({ status: 429, headers: { "retry-after": "2" } }),
    "token-refused": () => {
      const before = store.token;
      store.rotateToken(`store_${randomBytes(24).toString("hex")}`);
      // The new token stays allowed, because it may have been connected in the meantime.
      return () => store.allowToken(before);
    },
    "channel-deleted": () => {
      const channel = guild.channel("new-orders");
      discord.deleteChannel(channel);
      return () => discord.restoreChannel(channel);
    },
    "discord-failing": () => discord.fail({ path: /^\/channels\//, status: 503 }),
  };
  const ends = new Map<TroubleName, () => unknown>();
  return {
    isOn: (name: TroubleName) => ends.has(name),
    async set(name: TroubleName, on: boolean): Promise<void> {
      const end = ends.get(name);
      if (on && end === undefined) {
        ends.set(name, () => undefined);
        ends.set(name, await ways[name]());
      } else if (!on && end !== undefined) {
        ends.delete(name);
        await end();
      }
    },
  };
}
