import type { Notices } from "../outbox/notices.ts";
import type { BaselineReader } from "./baseline-reader.ts";
import type { StoreReader } from "./store-reader.ts";

/** One server, as commands that begin a baseline need it. */
export interface GuildBaseline extends StoreReader {
  readonly guildId: string;
  readonly baselineReader: BaselineReader;
  readonly notices: Notices;
}
