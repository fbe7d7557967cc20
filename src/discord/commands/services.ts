import type { Alerts } from "../../alerts/alerts.ts";
import type { TurnedOn } from "../../baseline/turn-on.ts";
import { createCache } from "../../basics/limits/cache.ts";
import { createKeyedMutex } from "../../basics/limits/mutex.ts";
import type { Log } from "../../basics/log.ts";
import type { Guild } from "../../guilds/guild.ts";
import type { Guilds } from "../../guilds/guilds.ts";
import type { Vault } from "../../guilds/vault.ts";
import { createAuditLog } from "../../handling/audit-log.ts";
import { createEditThrottle } from "../../handling/edit-throttle.ts";
import { createHandling } from "../../handling/takes.ts";
import { ImportRecords } from "../../reports/import-records.ts";
import { createStoredSums } from "../../reports/stored-sums.ts";
import { createWorkLimits } from "../../reports/work-limits.ts";
import { draftsKind } from "../../sessions/drafts.ts";
import { exportsKind, importFilesKind, listsKind, setUpsKind, unconfirmedKind } from "../../sessions/session-kinds.ts";
import { createSessions } from "../../sessions/sessions.ts";
import type { Storage } from "../../storage/table.ts";
import type { StoreApi } from "../../store-api/store-api.ts";
import { createStoreCache, type GuildStore } from "../../store-queries/store-cache.ts";
import { callerView, type ViewContext } from "../../views/parts/context.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "./caller.ts";
import type { ChannelInspection, InspectionTarget } from "./inspect-channel.ts";
import { createAttempts, createTokenAttempts } from "./refused-attempts.ts";
import type { Uploads } from "./uploads.ts";

export interface Connected extends GuildStore {
  readonly guild: Guild;
  readonly view: ViewContext;
}

interface ServiceDeps {
  readonly storage: Storage;
  readonly vault: Vault;
  readonly storeApi: StoreApi;
  readonly guilds: Guilds;
  readonly alerts: Alerts;
  /** Throws `MessengerError`. */
  inspectChannel(at: InspectionTarget): Promise<ChannelInspection>;
  readonly uploads: Uploads;
  forgetServer(guildId: string): Promise<void>;
  readonly storeHost: string;
  readonly pollIntervalMs: number;
  readonly log: Log;
  readonly now: () => number;
}

/** Called once per process. */
export function createServices({ storage, vault, storeApi, inspectChannel, forgetServer, ...others }: ServiceDeps) {
  const { guilds, alerts, log, now } = others;
  const inTurn = createKeyedMutex();
  const cacheOf = createStoreCache();
  const keeper = { storage, vault, mayKeep: guilds.mayKeep, log, now };
  const kept = {
    lists: createSessions(keeper, listsKind),
    unconfirmed: createSessions(keeper, unconfirmedKind),
    setUps: createSessions(keeper, setUpsKind),
    drafts: createSessions(keeper, draftsKind),
    exports: createSessions(keeper, exportsKind),
    /** Files that were shown to a person and are not completely imported. */
    importFiles: createSessions(keeper, importFilesKind),
    importRecords: new ImportRecords(keeper),
    storedSums: createStoredSums(keeper),
    auditLog: createAuditLog(keeper),
    handling: createHandling(keeper),
  };

  const forget = (guildId: string, assertAsked?: () => Promise<unknown>): Promise<void> =>
    alerts.forget(guildId, () => forgetServer(guildId), assertAsked);

  const shared = {
    ...others,
    ...kept,
    forget,
    // Each server has one inspection at a time, because an inspection needs several requests, and people can start many.
    inspectChannel: (at: InspectionTarget) => inTurn(at.guildId, () => inspectChannel(at)),
    ...createWorkLimits(),
    editThrottle: createEditThrottle(),
    attempts: createAttempts(),
    tokenAttempts: createTokenAttempts(),
    samples: createCache<TurnedOn>({ keptMs: 60_000, most: 1_000 }, () => performance.now()),
  };
  return {
    forget,
    for({ guildId, userId, locale }: Pick<Caller, "guildId" | "userId" | "locale">) {
      /** Requests to this store go before polls, and are counted for this person. */
      const forToken = (token: string) => storeApi.forToken(token, "interactive", userId);
      return {
        ...shared,
        forToken,
        /** Throws `ProblemError` ("not_connected"), `VaultError`, `GuildError` and `StorageError`. */
        async connected(): Promise<Connected> {
          const guild = await guilds.get(guildId);
          const token = guilds.tokenOf(guild);
          if (token === undefined) throw new ProblemError({ code: "not_connected" });
          const store = forToken(token);
          const cache = cacheOf(`${guildId} ${guild.token?.since}`, store);
          return { guildId, guild, store, cache, view: callerView(guild.settings, locale) };
        },
      };
    },
  };
}

export type Services = ReturnType<ReturnType<typeof createServices>["for"]>;
