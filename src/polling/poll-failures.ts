import type { Log } from "../basics/log.ts";
import type { PollOutcome } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { VaultError } from "../guilds/vault.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { FailureCode, Notices } from "../outbox/notices.ts";
import { StorageError } from "../storage/table.ts";
import { StoreError } from "../store-api/store-error.ts";
import type { StoreBackoff } from "./store-backoff.ts";

/** How polling one server goes, as this process has seen it. Times are epoch ms. */
export interface PollHealth {
  lastPollAt?: number;
  /** When page 1 of every list was last read. */
  lastGoodAt?: number;
  lastError?: { readonly code: FailureCode; readonly at: number };
}

export interface PollFailuresDeps {
  readonly guildId: string;
  readonly health: PollHealth;
  readonly waits: StoreBackoff;
  readonly notices: Notices;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborted when the process ends: what fails then is no failure. */
  readonly signal: AbortSignal;
}

/** What becomes of what goes wrong in the polls of one server: a wait, a line in the log, and what people are shown or told. */
export class PollFailures {
  private readonly deps: PollFailuresDeps;

  constructor(deps: PollFailuresDeps) {
    this.deps = deps;
  }

  /** What the status is to show as the last error. */
  record(code: FailureCode) {
    this.deps.health.lastError = { code, at: this.deps.now() };
  }

  /** A page could not be read. Throws what is no failure of the store. */
  ofPage(page: number, error: unknown) {
    if (!(error instanceof StoreError)) throw error;
    const { code } = error;
    this.record(code);
    this.deps.log.warn({ err: error, guild: this.deps.guildId, page, code }, "a page of the store could not be read");
  }

  /** A poll ended with this. Never rejects. Gives what it is counted as, unless it was none any more. */
  async ofPoll(guild: Guild, error: unknown): Promise<PollOutcome | undefined> {
    if (this.deps.signal.aborted) return undefined;
    // Something that is kept was changed meanwhile: what was found is found again, and soon, however rare polls are.
    if (error instanceof ConflictError) {
      this.deps.waits.fault.failed();
      return undefined;
    }
    try {
      if (error instanceof StoreError) {
        await this.ofStore(guild, error);
        return "store_failed";
      }
      if (!(error instanceof VaultError)) {
        this.unexpected(error);
        return "failed";
      }
      this.deps.waits.token.failed();
      this.record("undecryptable");
      await this.deps.notices.storeFailed(guild, "keyLost");
      return "key_lost";
    } catch (worse) {
      this.unexpected(worse);
      return "failed";
    }
  }

  private async ofStore(guild: Guild, error: StoreError) {
    const { waits, notices, log, guildId } = this.deps;
    const isRefused = error.code === "unauthorized";
    const backoff = isRefused ? waits.token : waits.store;
    backoff.failed(error.retryAfterMs);
    this.record(error.code);
    const { failures } = backoff;
    log.warn({ err: error, guild: guildId, code: error.code, failures }, "the store could not be read");
    await notices.storeFailed(guild, isRefused ? "refused" : "storeDown");
  }

  /** A fault of this process or its storage. */
  unexpected(error: unknown) {
    this.deps.waits.fault.failed();
    this.record(error instanceof StorageError ? "storage" : "internal");
    this.deps.log.error(
      { err: error, guild: this.deps.guildId },
      "a poll was cut short; nothing is lost, the next one goes on from what is recorded",
    );
  }
}
