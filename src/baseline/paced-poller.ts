import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { Ledger } from "../orders/ledger.ts";

/** The parts of a server's poller that slow background reading of its store needs. */
export interface PacedPoller {
  readonly deps: {
    readonly guilds: Guilds;
    /** Aborted when the process ends. */
    readonly signal: AbortSignal;
    /** Epoch ms. */
    readonly now: () => number;
  };
  readonly ledger: Ledger;
  /** Waits until the next request may be sent. */
  pace(): Promise<void>;
  /** Returns the server's record. Throws the errors of `Guilds`. */
  record(): Promise<Guild>;
}
