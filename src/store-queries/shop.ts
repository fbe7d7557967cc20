import type { Store } from "../store-api/store-api.ts";
import type { Catalog } from "./recent.ts";

/** A server's store, with what was seen of it lately. */
export interface Shop {
  readonly guildId: string;
  readonly store: Store;
  readonly catalog: Catalog;
}
