import { randomUUID } from "node:crypto";
import type { EventEmitter } from "node:events";
import { KeyvPostgres } from "@keyv/postgres";
import type { Log } from "../basics/log.ts";
import { type Backend, PATIENCE_MS } from "./backend.ts";
import { strictView } from "./strict-view.ts";

const HOUR_MS = 3_600_000;

/** Tables in one PostgreSQL database (`postgres://` or `postgresql://`), all in its table `public.shopbell`. */
export async function openPostgresBackend(url: string, log: Pick<Log, "warn">): Promise<Backend> {
  const report = (error: unknown) => log.warn({ err: error }, "postgres reported an error");
  const adapter = new KeyvPostgres({
    uri: url,
    table: "shopbell",
    iterationLimit: 1_000,
    clearExpiredInterval: HOUR_MS,
    // The adapter shares a pool between equal options, and closing one user of it would close all.
    application_name: `shopbell ${randomUUID().slice(0, 8)}`,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    keepAlive: true,
    // A connection that is lost while idle is an "error" event of the pool, which ends a process that does not listen.
    // The adapter neither listens nor shows its pool, but the pool shows itself here before it first connects.
    log(this: EventEmitter) {
      if (this.listenerCount("error") === 0) this.on("error", report);
    },
  });
  adapter.on("error", report);
  try {
    // The adapter only reports that it could not create its table; reading it rejects.
    await adapter.has("open");
  } catch (error) {
    await adapter.disconnect();
    throw error;
  }

  return {
    tableStore: (name) => ({ store: strictView(adapter, name), keyPrefix: `${name}:` }),
    close: () => adapter.disconnect(),
  };
}
