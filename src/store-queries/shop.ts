import type { Store } from "../store-api/store-api.ts";
import type { SeenLately } from "./seen-lately.ts";

/** A server's store, with what was seen of it lately. */
export interface Shop {
  readonly guildId: string;
  readonly store: Store;
  readonly seen: SeenLately;
}
