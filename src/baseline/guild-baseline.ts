import type { Notices } from "../outbox/notices.ts";
import type { BaselineReader } from "./baseline-reader.ts";
import type { PacedPoller } from "./paced-poller.ts";

/** The parts of a server's poller that commands need to begin a baseline. */
export interface GuildBaseline extends PacedPoller {
  readonly guildId: string;
  readonly baselineReader: BaselineReader;
  readonly notices: Notices;
}
