import { DatabaseSync } from "node:sqlite";
import { PermissionFlagsBits } from "@discordjs/core";
import { holdStore } from "../support/process/hold-store.ts";
import type { Tenant } from "../support/process/tenants.ts";

interface Fault {
  readonly what: string;
  /** The duration in a run that has time for every kind; 0: a moment. */
  readonly seconds: number;
  /** Returns a function that ends the fault. `forMs`: how long the fault will last. */
  begin(tenant: Tenant, forMs: number): (() => void) | undefined;
}

/** The faults page (`npm run faults`) shows the effect of each fault alone, and the simulation combines them, with kills. */
export const faults: readonly Fault[] = [
  { what: "the store answers 500", seconds: 20, begin: ({ store }) => store.fail({ status: 500 }) },
  {
    what: "the store answers 429",
    seconds: 15,
    // Three refusals in a row.
    begin: ({ store }, forMs) =>
      store.fail({ status: 429, headers: { "retry-after": String(Math.ceil(forMs / 3_000)) } }),
  },
  // Longer than the 20 s that a request may take to its first answer.
  { what: "the store hangs", seconds: 25, begin: ({ store }) => holdStore(store, {}) },
  {
    what: "Discord answers 500 to messages",
    seconds: 10,
    begin: ({ discord }) => discord.fail({ path: /^\/channels\/\d+\/messages/, status: 500 }),
  },
  { what: "Discord is slow", seconds: 20, begin: ({ discord }) => discord.fail({ path: /./, delayMs: 500 }) },
  {
    what: "a channel refuses, and takes messages again",
    seconds: 40,
    begin({ discord, guild }) {
      const channel = guild.channel("new-orders");
      discord.setBotPermissions(channel, { deny: PermissionFlagsBits.SendMessages });
      return () => discord.setBotPermissions(channel, {});
    },
  },
  { what: "the gateway asks to reconnect", seconds: 0, begin: ({ discord }) => void discord.gateway.reconnect() },
  { what: "the gateway is cut off", seconds: 0, begin: ({ discord }) => void discord.gateway.drop() },
  {
    what: "another process locks the storage",
    seconds: 2,
    begin({ database }) {
      const other = new DatabaseSync(database, { timeout: 1_000 });
      other.exec("BEGIN EXCLUSIVE");
      return () => other.close();
    },
  },
];
