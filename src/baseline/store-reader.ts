import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { Ledger } from "../orders/ledger.ts";

/** What a reading of one server's store needs that must not crowd the store. */
export interface StoreReader {
  readonly deps: {
    readonly guilds: Guilds;
    /** Aborted when the process ends. */
    readonly signal: AbortSignal;
    /** Epoch ms. */
    readonly now: () => number;
  };
  readonly ledger: Ledger;
  /** Waits for the turn of one request. */
  pace(): Promise<void>;
  /** The server's record. Throws what `Guilds` throws. */
  record(): Promise<Guild>;
}
