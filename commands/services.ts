import type { Alerts } from "../src/alerts/alerts.ts";
import type { ChosenAlerts } from "../src/alerts/turn-on.ts";
import type { ChannelLook, LookAt } from "../src/discord/channel-look.ts";
import type { Uploads } from "../src/discord/uploads.ts";
import type { Guild } from "../src/guilds/guild.ts";
import type { Guilds } from "../src/guilds/guilds.ts";
import type { Log } from "../src/operations/log.ts";
import type { Store } from "../src/store-api/store-api.ts";
import type { Drafts } from "./add-product/drafts.ts";
import type { Attempts } from "./attempts.ts";
import type { Catalog } from "./catalog.ts";
import type { ListQuery } from "./listing.ts";
import type { Sessions } from "./sessions.ts";
import type { SetUp } from "./set-up.ts";

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
