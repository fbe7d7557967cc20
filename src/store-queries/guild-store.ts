import type { Store } from "../store-api/store-api.ts";
import type { StoreCache } from "./store-cache.ts";

/** A server's store, with the cache of its recently read orders and products. */
export interface GuildStore {
  readonly guildId: string;
  readonly store: Store;
  readonly cache: StoreCache;
}
