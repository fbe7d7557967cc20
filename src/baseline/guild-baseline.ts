import type { Notices } from "../outbox/notices.ts";
import type { BackgroundReadDeps } from "./background-read-deps.ts";
import type { BaselineReader } from "./baseline-reader.ts";

/** The parts of a server's poller that commands need to begin a baseline. */
export interface GuildBaseline extends BackgroundReadDeps {
  readonly guildId: string;
  readonly baselineReader: BaselineReader;
  readonly notices: Notices;
}
