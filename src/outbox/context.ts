import type { Chance } from "../basics/limits/backoff.ts";
import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import type { Vault } from "../guilds/vault.ts";
import type { GuildLease } from "../orders/guild-lease.ts";
import type { Ledger } from "../orders/ledger.ts";
import type { Commit, Storage } from "../storage/table.ts";
import type { Store } from "../store-api/store-api.ts";
import type { StoreErrorCode } from "../store-api/store-error.ts";
import type { DigestSums } from "./digest-sums.ts";
import type { Messenger, MessengerFailure } from "./messenger.ts";
import type { RestoredCopy } from "./restored-copy.ts";

export type FailureCode =
  | StoreErrorCode
  | Exclude<MessengerFailure, "uncertain">
  | "undecryptable"
  | "storage"
  | "undelivered"
  | "internal";

/** What all pollers of one process share. */
export interface ProcessContext extends Chance {
  readonly storage: Storage;
  readonly guilds: Guilds;
  readonly vault: Vault;
  readonly messenger: Messenger;
  readonly restored: RestoredCopy;
  readonly digestSums: DigestSums;
  readonly log: Log;
  readonly metrics: Metrics;
  /** No request begins after this signal is aborted. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Undefined if the server has no token. Throws `VaultError`. */
  storeOf(guild: Guild): Store | undefined;
  leaseOf(guildId: string): GuildLease;
}

/** The server's present record. A changed record is always another object. */
export interface Current {
  readonly guild: Guild;
  /** Aborted with a `ConflictError` when the record changes, or when another process may have changed the storage. */
  readonly stop: AbortSignal;
  /** Undefined if the server has no token, or while no request may be sent. Throws `VaultError`. */
  readonly store: () => Store | undefined;
}

/** What the parts of one server's poller share. */
export interface ServerContext extends ProcessContext {
  readonly guildId: string;
  readonly lease: GuildLease;
  /** Needs the lease (see `fencedCommit` in orders/guild-lease.ts), except in a command. */
  readonly commit: Commit;
  /** As `commit`, for what has already happened: a sent message is recorded even if the server's record has changed. */
  readonly commitHappened: Commit;
  readonly ledger: Ledger;
  /** Usually returns the same object until the record changes. */
  current(): Promise<Current>;
  holdsLease(): boolean;
  /** Waits until the next request of a baseline, a digest or `/store connect` may be sent (store-throttle.ts). */
  throttle(): Promise<void>;
  /** Lets `/alerts status` show a failure outside of polls, or a failure of a single order. */
  failed(code: FailureCode): void;
}
