import { Backoff } from "../basics/limits/backoff.ts";
import type { Mutex } from "../basics/limits/mutex.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/guild-lease.ts";
import type { ServerContext } from "../outbox/context.ts";
import type { Store } from "../store-api/store-api.ts";

interface Reader {
  /** Reads something from the store. Returns a function that records it. "stop": nothing is to be read now. */
  readNext(guild: Guild, store: Store): Promise<(() => Promise<unknown>) | "failed" | "stop">;
  /** Ms until a failed read may be tried again. Undefined if no read has failed. */
  waitMs(): number | undefined;
}

/**
 * After each poll, reads what polls do not read. A failed read is tried again without a poll, because the next poll may be a
 * day away. A read may run during a poll, so that a slow store delays no poll. Results are recorded between polls.
 */
export class Background {
  private readonly server: ServerContext;
  private readonly polls: Mutex;
  private readonly reader: Reader;
  private readonly fault: Backoff;
  private running = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(server: ServerContext, polls: Mutex, reader: Reader) {
    this.server = server;
    this.polls = polls;
    this.reader = reader;
    this.fault = new Backoff(server);
  }

  /** Never throws. */
  start() {
    this.running = this.running.then(async () => {
      clearTimeout(this.timer);
      await this.readAll().then(
        () => this.fault.ok(),
        (error: unknown) => this.failed(error),
      );
      const ms = this.fault.failures > 0 ? this.fault.waitMs() : this.reader.waitMs();
      if (ms === undefined || this.server.signal.aborted) return;
      this.timer = setTimeout(() => this.start(), ms).unref();
    });
  }

  private async readAll() {
    for (;;) {
      const { guild, stop, store: storeNow } = await this.server.current();
      const store = guild.alerts && this.server.holdsLease() ? storeNow() : undefined;
      const read = store ? await this.reader.readNext(guild, store) : "stop";
      if (read === "stop") return;
      await this.polls.run(async () => {
        // Throws only after a change that this process knows already. After any other change, the next commit is refused.
        stop.throwIfAborted();
        if (read !== "failed") await read();
      });
    }
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
