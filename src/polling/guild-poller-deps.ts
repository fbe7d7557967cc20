import type { Chance } from "../basics/backoff.ts";
import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { Vault } from "../guilds/vault.ts";
import type { Messenger } from "../outbox/messenger.ts";
import type { RestoreMarker } from "../outbox/restore-marker.ts";
import type { Storage } from "../storage/table.ts";
import type { Store } from "../store-api/store-api.ts";
import type { Takes } from "../views/orders/handling.ts";
import type { GuildLease } from "./guild-lease.ts";

/** The parts that the pollers of all servers share. */
export interface GuildPollerDeps extends Chance {
  readonly storage: Storage;
  readonly guilds: Guilds;
  readonly vault: Vault;
  /** Returns the server's store, or undefined if the server has no token. Throws `VaultError`. */
  storeOf(guild: Guild): Store | undefined;
  leaseOf(guildId: string): GuildLease;
  /** Announces to the process that polls the server that the server's data was changed, or is about to be. Throws `StorageError`. */
  touch(guildId: string): Promise<void>;
  readonly restored: RestoreMarker;
  readonly messenger: Messenger;
  /** Returns who took these orders of a server, as stored now. Throws `StorageError`. */
  takesOf(guildId: string, orderIds: readonly string[]): Promise<Takes>;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborted when the process ends. No request begins after that. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
}
