import { Backoff, type Chance } from "../basics/backoff.ts";
import type { Log } from "../basics/log.ts";
import type { PollOutcome } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { VaultError } from "../guilds/vault.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { PageFailure } from "../orders/scan.ts";
import type { FailureCode, Notices } from "../outbox/notices.ts";
import { StorageError } from "../storage/table.ts";
import { StoreError } from "../store-api/store-error.ts";

/** A refused token is tried again after 32 to 64 s, then less and less often, but at least every 15 minutes. */
const longestRefusalMs = 15 * 60_000;
const refusalDoublings = 5;

/** How polling one server goes, as this process has seen it. Times are epoch ms. */
export interface PollHealth {
  lastPollAt?: number;
  /** When page 1 of every list was last read. */
  lastGoodAt?: number;
  lastError?: { readonly code: FailureCode; readonly at: number };
}

export interface PollFailuresDeps extends Chance {
  readonly guildId: string;
  readonly health: PollHealth;
  readonly notices: Notices;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborted when the process ends: later errors are not failures. */
  readonly signal: AbortSignal;
}

/** Failures of one server's polls: how long its store is left alone, what is logged, and what people are shown or told. */
export class PollFailures {
  private readonly deps: PollFailuresDeps;
  /** The store does not answer. */
  private readonly store: Backoff;
  /** The store refuses the token, or no key opens the token. */
  private readonly token: Backoff;
  /** Pages beyond the first could not be read; polls still read the others. */
  private readonly pages: Backoff;
  /** This process or its storage failed. */
  private readonly fault: Backoff;

  constructor(deps: PollFailuresDeps) {
    this.deps = deps;
    this.store = new Backoff(deps);
    this.token = new Backoff(deps, longestRefusalMs, refusalDoublings);
    this.pages = new Backoff(deps);
    this.fault = new Backoff(deps);
  }

  /** Whether the store may be asked now. */
  mayAskStore(): boolean {
    return this.store.waitMs() === 0 && this.token.waitMs() === 0;
  }

  /** The store answers, or its token was entered again. */
  storeRecovered() {
    this.store.ok();
    this.token.ok();
  }

  /** A poll ended without a fault of this process or its storage. */
  pollEnded() {
    this.fault.ok();
  }

  /** Milliseconds until a failure is to be tried again; undefined if nothing failed. */
  nextMs(): number | undefined {
    const { store, token, pages, fault } = this;
    if (fault.failures > 0) return fault.waitMs();
    const waits = pages.failures > 0 ? [pages.waitMs()] : [];
    if (store.failures + token.failures > 0) waits.push(Math.max(store.waitMs(), token.waitMs()));
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** Sets the last error that the status shows. */
  record(code: FailureCode) {
    this.deps.health.lastError = { code, at: this.deps.now() };
  }

  /** The pages that could not be read, of a store that answers; none is a success. Throws an error that is not the store's. */
  ofPages(failures: readonly PageFailure[]) {
    const { log, guildId } = this.deps;
    for (const { page, error } of failures) {
      if (!(error instanceof StoreError)) throw error;
      const { code } = error;
      this.record(code);
      log.warn({ err: error, guild: guildId, page, code }, "a page of the store could not be read");
    }
    if (failures.length > 0) this.pages.failed();
    else this.pages.ok();
  }

  /** A poll ended with this error. Never rejects. Returns the outcome to count; undefined if the poll does not count. */
  async ofPoll(guild: Guild, error: unknown): Promise<PollOutcome | undefined> {
    if (this.deps.signal.aborted) return undefined;
    // A row was changed by another process during the poll. The same orders are found again soon, however rare polls are.
    if (error instanceof ConflictError) {
      this.fault.failed();
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
      this.token.failed();
      this.record("undecryptable");
      await this.deps.notices.storeFailed(guild, "keyLost");
      return "key_lost";
    } catch (worse) {
      this.unexpected(worse);
      return "failed";
    }
  }

  private async ofStore(guild: Guild, error: StoreError) {
    const { notices, log, guildId } = this.deps;
    const isRefused = error.code === "unauthorized";
    const backoff = isRefused ? this.token : this.store;
    backoff.failed(error.retryAfterMs);
    this.record(error.code);
    const { failures } = backoff;
    log.warn({ err: error, guild: guildId, code: error.code, failures }, "the store could not be read");
    await notices.storeFailed(guild, isRefused ? "refused" : "storeDown");
  }

  /** Records a fault of this process or its storage. */
  unexpected(error: unknown) {
    this.fault.failed();
    this.record(error instanceof StorageError ? "storage" : "internal");
    this.deps.log.error(
      { err: error, guild: this.deps.guildId },
      "a poll was cut short; nothing is lost, the next one goes on from what is recorded",
    );
  }
}
