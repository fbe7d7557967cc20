import type { Notices } from "../outbox/notices.ts";
import type { BaselineReader } from "./baseline-reader.ts";
import type { StoreReader } from "./store-reader.ts";

/** The parts of one server that commands need to begin a baseline. */
export interface GuildBaseline extends StoreReader {
  readonly guildId: string;
  readonly baselineReader: BaselineReader;
  readonly notices: Notices;
}
