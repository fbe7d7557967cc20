import type { SetUp } from "../commands/store/set-up.ts";
import type { Alerts } from "./alerts/alerts.ts";
import type { ChosenAlerts } from "./alerts/turn-on.ts";
import type { Log } from "./basics/log.ts";
import type { Attempts } from "./discord/attempts.ts";
import type { ChannelLook, LookAt } from "./discord/channel-look.ts";
import type { Uploads } from "./discord/uploads.ts";
import type { Guild } from "./guilds/guild.ts";
import type { Guilds } from "./guilds/guilds.ts";
import type { Drafts } from "./sessions/drafts.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Store } from "./store-api/store-api.ts";
import type { ListQuery } from "./store-queries/pages.ts";
import type { Catalog } from "./store-queries/recent.ts";

/** What commands work with, made once at the start. */
export interface Services {
  readonly guilds: Guilds;
  readonly alerts: Alerts;
  /** A store by its API token, for a person who waits. */
  forToken(token: string): Store;
  /** The server and its store, for a person who waits; throws a `ProblemError` ("not_connected") or a `VaultError`. */
  connected(guildId: string): Promise<{ guild: Guild; store: Store }>;
  /** Deletes everything that is kept for a server. */
  forget(guildId: string): Promise<void>;
  /** Queries behind the buttons of lists. */
  readonly lists: Sessions<ListQuery>;
  /** Alert settings that wait for a Confirm. */
  readonly unconfirmed: Sessions<ChosenAlerts>;
  /** What was chosen after a store was connected, and is not in effect yet. */
  readonly setUps: Sessions<SetUp>;
  /** What Discord shows of a channel and of a role to be mentioned there. Throws `MessengerError`. */
  lookAt(at: LookAt): Promise<ChannelLook>;
  /** For what Discord may refuse. */
  readonly attempts: Attempts;
  /** For tokens that the store may refuse. */
  readonly tokenAttempts: Attempts;
  /** Products that are being added. */
  readonly drafts: Drafts;
  /** What was seen of each server's store lately, for suggestions. */
  readonly catalog: Catalog;
  readonly uploads: Uploads;
  /** Host of the store's API, as people know it. */
  readonly storeHost: string;
  /** Time from one poll to the next. */
  readonly pollIntervalMs: number;
  readonly log: Log;
  readonly now: () => number;
}
