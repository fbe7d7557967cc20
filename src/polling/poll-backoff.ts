import { Backoff } from "../basics/limits/backoff.ts";
import type { PollOutcome } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { VaultError } from "../guilds/vault.ts";
import { ConflictError } from "../orders/guild-lease.ts";
import type { PageFailure } from "../orders/read-list.ts";
import type { FailureCode, ServerContext } from "../outbox/context.ts";
import type { HealthReport, Notices } from "../outbox/notices.ts";
import { StorageError } from "../storage/table.ts";
import { StoreError } from "../store-api/store-error.ts";

/** Longest wait after the store refused the token, or no key could decrypt it. The first wait is 32 to 64 s. */
const longestRefusalMs = 15 * 60_000;
const refusalDoublings = 5;

/** Times are epoch ms. */
export interface PollHealth extends HealthReport {
  lastPollAt?: number | undefined;
}

/**
 * `store`: the store did not answer, or its answer could not be used. `token`: the store refused the token, or no key could
 * decrypt it. `pages`: the store answered, but some pages could not be read.
 */
type Cause = "store" | "token" | "pages";

/**
 * How long the store of a server gets no requests after failed polls. Also logs each failure, and reports it to
 * {@link Notices}, which decides what people are told.
 */
export class PollBackoff {
  private readonly server: ServerContext;
  readonly health: PollHealth = {};
  private readonly notices: Notices;
  /** Undefined if the last poll that asked the store did not fail. */
  private failing: { readonly cause: Cause; readonly wait: Backoff } | undefined;
  /** The wait after a failure of this process or its storage. */
  private readonly fault: Backoff;

  constructor(server: ServerContext, notices: Notices) {
    this.server = server;
    this.notices = notices;
    this.fault = new Backoff(server);
  }

  mayAskStore(): boolean {
    return this.failing === undefined || this.failing.cause === "pages" || this.failing.wait.waitMs() === 0;
  }

  get isTokenRefused(): boolean {
    return this.failing?.cause === "token";
  }

  /** Called when the server's record may have changed: it may have another token now. */
  storeRecovered() {
    this.failing = undefined;
  }

  /** Returns how often the polls failed in a row for this cause. */
  private failed(cause: Cause, retryAfterMs?: number): number {
    const [longestMs, doublings] = cause === "token" ? [longestRefusalMs, refusalDoublings] : [];
    if (this.failing?.cause !== cause) this.failing = { cause, wait: new Backoff(this.server, longestMs, doublings) };
    this.failing.wait.failed(retryAfterMs);
    return this.failing.wait.failures;
  }

  /** Called if neither this process nor its storage failed. */
  pollEnded() {
    this.fault.ok();
  }

  /** Milliseconds until the next attempt after a failure. */
  nextMs(): number | undefined {
    return this.fault.failures > 0 ? this.fault.waitMs() : this.failing?.wait.waitMs();
  }

  record(code: FailureCode) {
    this.health.lastError = { code, at: this.server.now() };
  }

  /** Called if page 1 of a list was read, or if no page was requested. Throws an error of a page that is no `StoreError`. */
  pagesRead(failures: readonly PageFailure[]) {
    const { log, guildId } = this.server;
    for (const { page, error } of failures) {
      if (!(error instanceof StoreError)) throw error;
      const { code } = error;
      this.record(code);
      log.warn({ err: error, guild: guildId, page, code }, "a page of the store could not be read");
    }
    if (failures.length > 0) this.failed("pages");
    else this.storeRecovered();
  }

  /** The outcome for the metrics; undefined if the process ends. Throws all errors except those of the store and the token. */
  async pollFailed(guild: Guild, error: unknown): Promise<PollOutcome | undefined> {
    if (this.server.signal.aborted) return undefined;
    if (error instanceof StoreError) {
      await this.storeFailed(guild, error);
      return "store_failed";
    }
    if (!(error instanceof VaultError)) throw error;
    this.failed("token");
    this.record("undecryptable");
    await this.notices.storeFailed(guild, "keyLost");
    return "key_lost";
  }

  private async storeFailed(guild: Guild, error: StoreError) {
    const { log, guildId } = this.server;
    const isRefused = error.code === "unauthorized";
    const failures = this.failed(isRefused ? "token" : "store", error.retryAfterMs);
    this.record(error.code);
    log.warn({ err: error, guild: guildId, code: error.code, failures }, "the store could not be read");
    await this.notices.storeFailed(guild, isRefused ? "refused" : "storeDown");
  }

  /** Undefined after a `ConflictError`: then the poll does not count for the metrics. */
  unexpected(error: unknown): PollOutcome | undefined {
    this.fault.failed();
    if (error instanceof ConflictError) return undefined;
    this.record(error instanceof StorageError ? error.code : "internal");
    this.server.log.error(
      { err: error, guild: this.server.guildId },
      "a poll was interrupted; nothing is lost, and the next poll continues",
    );
    return "failed";
  }
}
