import type { Store } from "../store-api/store-api.ts";
import type { StoreCache } from "./store-cache.ts";

/** A server's store, with what was seen of it lately. */
export interface GuildStore {
  readonly guildId: string;
  readonly store: Store;
  readonly cache: StoreCache;
}
