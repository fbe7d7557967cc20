import type { Alerts } from "./alerts/alerts.ts";
import type { ChosenAlerts } from "./baseline/turn-on.ts";
import { createKeyedMutex } from "./basics/limits/mutex.ts";
import type { Log } from "./basics/log.ts";
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
import { ImportRecords } from "./reports/import-records.ts";
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

/** A server with a connected store: its record, the store, and the cache of the store's answers. */
export interface Connected extends GuildStore {
  readonly guild: Guild;
}

/** Everything that commands use. The object is made for one person. */
export interface Services {
  readonly guilds: Guilds;
  readonly alerts: Alerts;
  /** Returns the store of an API token. Its requests have the priority of a person. */
  forToken(token: string): Store;
  /**
   * Returns the server and its store, whose requests have the priority of a person. Throws `ProblemError` ("not_connected") and
   * `VaultError`.
   */
  connected(guildId: string): Promise<Connected>;
  /** Deletes all rows of a server. */
  forget(guildId: string): Promise<void>;
  /** Empties the cache of the server's store. Call it when the token changed. */
  forgetCache(guildId: string): void;
  /** The queries behind the buttons of lists. */
  readonly lists: Sessions<ListQuery>;
  /** Alert settings that wait for a Confirm. */
  readonly unconfirmed: Sessions<ChosenAlerts>;
  /** Choices made in the set-up after a store was connected. They are not in effect yet. */
  readonly setUps: Sessions<SetUp>;
  /** Drafts of products that people are adding. */
  readonly drafts: Sessions<Draft>;
  /** Exports and `/stats` readings that are running. A reading stops when its session is deleted. */
  readonly exports: Sessions<ExportSession>;
  readonly exportLimit: PacedWorkLimit;
  readonly statsLimit: WorkLimit;
  /** Uploaded product files that were shown to a person and are not completely imported. */
  readonly importFiles: Sessions<ImportFile>;
  readonly importRecords: ImportRecords;
  readonly importLimit: PacedWorkLimit;
  /** Limits the reading of uploaded product files. */
  readonly readingLimit: WorkLimit;
  /** Stored sums of the orders of past days. */
  readonly dailySums: DailySums;
  /** Stores who did what in a server. */
  readonly auditLog: AuditLog;
  /** Stores who took which order. */
  readonly handling: Handling;
  /** Limits the edits that presses of alert buttons cause. */
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
  /** Milliseconds from one poll to the next. */
  readonly pollIntervalMs: number;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Functions that define commands with these services. */
export const { defineCommand, execute, handle } = commandsWith<Services>();

/**
 * Creates the services; called once per process. `for` returns the services of one person, because people take turns in the
 * store's queue.
 */
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
    importRecords: new ImportRecords({ storage, mayKeep, now }),
    dailySums: createDailySums({ storage, mayKeep, now }),
    auditLog: createAuditLog({ storage, mayKeep, log: others.log, now }),
    handling: createHandling({ storage, mayKeep, now }),
  };
  const cache = createStoreCache();

  async function forget(guildId: string): Promise<void> {
    cache.forget(guildId);
    // `alerts.forget` waits until no poll runs, and removes the token. After that, nothing new is stored for the server.
    await alerts.forget(guildId, () => Promise.all(Object.values(kept).map((each) => each.forget(guildId))));
  }

  const shared = {
    ...others,
    ...kept,
    forget,
    forgetCache: (guildId: string) => cache.forget(guildId),
    // Inspections of one server run one after another. Each needs several requests, and people choose how many channels to try.
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
