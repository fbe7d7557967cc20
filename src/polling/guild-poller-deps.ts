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

/** Parts shared by the pollers of all servers. */
export interface GuildPollerDeps extends Chance {
  readonly storage: Storage;
  readonly guilds: Guilds;
  readonly vault: Vault;
  /** The server's store; undefined if there is no token. Throws `VaultError`. */
  storeOf(guild: Guild): Store | undefined;
  leaseOf(guildId: string): GuildLease;
  /** Tells the process that polls the server that its record was changed, or is about to be. Throws `StorageError`. */
  touch(guildId: string): Promise<void>;
  readonly restored: RestoreMarker;
  readonly messenger: Messenger;
  /** Who took these orders of a server, read from storage. Throws `StorageError`. */
  takesOf(guildId: string, orderIds: readonly string[]): Promise<Takes>;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborted when the process ends: no new request begins. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
}
