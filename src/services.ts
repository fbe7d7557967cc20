import type { Alerts } from "./alerts/alerts.ts";
import type { ChosenAlerts } from "./baseline/turn-on.ts";
import type { Log } from "./basics/log.ts";
import { createKeyedMutex } from "./basics/mutex.ts";
import { type Attempts, createAttempts, createTokenAttempts } from "./discord/commands/attempts.ts";
import type { Caller } from "./discord/commands/caller.ts";
import { commandsWith } from "./discord/commands/define-command.ts";
import type { ChannelInspection, InspectionTarget } from "./discord/commands/inspect-channel.ts";
import type { Uploads } from "./discord/commands/uploads.ts";
import type { Guild } from "./guilds/guild.ts";
import type { Guilds } from "./guilds/guilds.ts";
import type { Vault } from "./guilds/vault.ts";
import { type AuditLog, createAuditLog } from "./handling/audit-log.ts";
import { createEditThrottle, type EditThrottle } from "./handling/edit-throttle.ts";
import { createHandling, type Handling } from "./handling/takes.ts";
import { createDailySums, type DailySums } from "./reports/daily-sums.ts";
import { createImportRecords, type ImportRecords } from "./reports/import-records.ts";
import { createWorkLimits, type PacedWorkLimit, type WorkLimit } from "./reports/work-limits.ts";
import { type Draft, draftsKind } from "./sessions/drafts.ts";
import type { ExportSession, ImportFile, SetUp } from "./sessions/session-kinds.ts";
import { exportsKind, importFilesKind, listsKind, setUpsKind, unconfirmedKind } from "./sessions/session-kinds.ts";
import { createSessions, type Sessions } from "./sessions/sessions.ts";
import type { Storage } from "./storage/table.ts";
import type { Store, StoreApi } from "./store-api/store-api.ts";
import type { GuildStore } from "./store-queries/guild-store.ts";
import type { ListQuery } from "./store-queries/search-orders.ts";
import { createStoreCache } from "./store-queries/store-cache.ts";
import { ProblemError } from "./views/parts/problem.ts";

/** A connected server: its record, its store, and the cache of that store. */
export interface Connected extends GuildStore {
  readonly guild: Guild;
}

/** Everything that commands use, for one person. */
export interface Services {
  readonly guilds: Guilds;
  readonly alerts: Alerts;
  /** The store of an API token, with a person's priority. */
  forToken(token: string): Store;
  /** The server and its store, with a person's priority. Throws `ProblemError` ("not_connected") and `VaultError`. */
  connected(guildId: string): Promise<Connected>;
  /** Deletes all rows of a server. */
  forget(guildId: string): Promise<void>;
  /** Empties the cache of the server's store, because its token changed. */
  forgetCache(guildId: string): void;
  /** The queries behind the buttons of lists. */
  readonly lists: Sessions<ListQuery>;
  /** Alert settings that wait for a Confirm. */
  readonly unconfirmed: Sessions<ChosenAlerts>;
  /** Choices of a set-up after connecting a store, not in effect yet. */
  readonly setUps: Sessions<SetUp>;
  /** Products being added. */
  readonly drafts: Sessions<Draft>;
  /** Exports and readings for `/stats` under way. A reading ends when its session is deleted. */
  readonly exports: Sessions<ExportSession>;
  readonly exportLimit: PacedWorkLimit;
  readonly statsLimit: WorkLimit;
  /** Uploaded product files that were shown, and are not imported completely. */
  readonly importFiles: Sessions<ImportFile>;
  readonly importRecords: ImportRecords;
  readonly importLimit: PacedWorkLimit;
  /** Limits the reading of uploaded product files. */
  readonly readingLimit: WorkLimit;
  /** Sums of the orders of days that were read before. */
  readonly dailySums: DailySums;
  /** Who did what in a server. */
  readonly auditLog: AuditLog;
  /** Who took which order. */
  readonly handling: Handling;
  /** Limits edits of alerts by their buttons. */
  readonly editThrottle: EditThrottle;
  /** Reads a channel, and a role to mention there, from Discord. Throws `MessengerError`. */
  inspectChannel(at: InspectionTarget): Promise<ChannelInspection>;
  /** Limits attempts that Discord may refuse. */
  readonly attempts: Attempts;
  /** Limits attempts with tokens that the store may refuse. */
  readonly tokenAttempts: Attempts;
  readonly uploads: Uploads;
  /** Host of the store's API, as shown to people. */
  readonly storeHost: string;
  /** Time from one poll to the next. */
  readonly pollIntervalMs: number;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Functions that define commands with these services. */
export const { defineCommand, execute, handle } = commandsWith<Services>();

/** Makes the services, once. `for` returns those of one person: people take turns at the store's queue. */
export function createServices(
  deps: Pick<
    Services,
    "guilds" | "alerts" | "inspectChannel" | "uploads" | "storeHost" | "pollIntervalMs" | "log" | "now"
  > & {
    readonly storage: Storage;
    readonly vault: Vault;
    readonly storeApi: StoreApi;
  },
): Pick<Services, "forget"> & { for(caller: Pick<Caller, "userId">): Services } {
  const { storage, vault, storeApi, inspectChannel, ...others } = deps;
  const inTurn = createKeyedMutex();
  const { guilds, alerts, now } = others;
  const mayKeep = async (guildId: string) => (await guilds.get(guildId)).token !== undefined;
  const kept = {
    lists: createSessions({ storage, vault, mayKeep, now }, listsKind),
    unconfirmed: createSessions({ storage, vault, mayKeep, now }, unconfirmedKind),
    setUps: createSessions({ storage, vault, mayKeep, now }, setUpsKind),
    drafts: createSessions({ storage, vault, mayKeep, now }, draftsKind),
    exports: createSessions({ storage, vault, mayKeep, now }, exportsKind),
    importFiles: createSessions({ storage, vault, mayKeep, now }, importFilesKind),
    importRecords: createImportRecords({ storage, mayKeep, now }),
    dailySums: createDailySums({ storage, mayKeep, now }),
    auditLog: createAuditLog({ storage, mayKeep, log: others.log, now }),
    handling: createHandling({ storage, mayKeep, now }),
  };
  const cache = createStoreCache();

  async function forget(guildId: string): Promise<void> {
    cache.forget(guildId);
    // Waits for the poll under way. Once it has removed the token, nothing new is kept for the server.
    await alerts.forget(guildId, () => Promise.all(Object.values(kept).map((each) => each.forget(guildId))));
  }

  const shared = {
    ...others,
    ...kept,
    forget,
    forgetCache: (guildId: string) => cache.forget(guildId),
    // One at a time for each server: an inspection is several requests, and people choose how many channels to try.
    inspectChannel: (at: InspectionTarget) => inTurn(at.guildId, () => inspectChannel(at)),
    ...createWorkLimits(),
    editThrottle: createEditThrottle(),
    attempts: createAttempts(),
    tokenAttempts: createTokenAttempts(),
  };
  return {
    forget,
    for({ userId }) {
      const forToken = (token: string) => storeApi.forToken(token, "interactive", userId);
      return {
        ...shared,
        forToken,
        async connected(guildId) {
          const guild = await guilds.get(guildId);
          const token = guilds.tokenOf(guild);
          if (token === undefined) throw new ProblemError({ code: "not_connected" });
          return { guildId, guild, store: forToken(token), cache };
        },
      };
    },
  };
}
