import { Backoff } from "../basics/limits/backoff.ts";
import { ConflictError } from "../orders/guild-lease.ts";
import type { ServerContext } from "../outbox/context.ts";

/** Work that runs after each poll. It also runs when a wait is over, because the next poll may be a day away. */
export class Background {
  private readonly server: ServerContext;
  private readonly work: () => Promise<void>;
  private readonly waitMs: () => number | undefined;
  private readonly fault: Backoff;
  private running = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  /** @param waitMs ms until the work runs without a poll. Undefined if it runs only after the next poll */
  constructor(server: ServerContext, work: () => Promise<void>, waitMs: () => number | undefined) {
    this.server = server;
    this.work = work;
    this.waitMs = waitMs;
    this.fault = new Backoff(server);
  }

  /** Never throws. */
  start() {
    this.running = this.running.then(async () => {
      clearTimeout(this.timer);
      await this.work().then(
        () => this.fault.ok(),
        (error: unknown) => this.failed(error),
      );
      const ms = this.fault.failures > 0 ? this.fault.waitMs() : this.waitMs();
      if (ms === undefined || this.server.signal.aborted) return;
      this.timer = setTimeout(() => this.start(), ms).unref();
    });
  }

  private failed(error: unknown) {
    const { signal, log, guildId } = this.server;
    this.fault.failed();
    if (signal.aborted || error instanceof ConflictError) return;
    log.warn({ err: error, guild: guildId }, "reading in the background failed; trying again");
  }

  ended(): Promise<void> {
    return this.running;
  }
}
