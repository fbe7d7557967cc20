import type { Store } from "../store-api/store-api.ts";
import type { StoreCache } from "./store-cache.ts";

/** A server's store, with the cache of what was recently read from it. */
export interface GuildStore {
  readonly guildId: string;
  readonly store: Store;
  readonly cache: StoreCache;
}
