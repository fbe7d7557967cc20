import { setImmediate as turn } from "node:timers/promises";
import type { TurnedOn } from "../../src/baseline/turn-on.ts";
import { createCache } from "../../src/basics/limits/cache.ts";
import { mostRules } from "../../src/basics/limits/limits-in-texts.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import type { Rule } from "../../src/guilds/rule.ts";
import type { Draft } from "../../src/sessions/drafts.ts";
import type { ExportSession, ImportFile, SetUp } from "../../src/sessions/session-kinds.ts";
import type { NewProduct, Order, Product } from "../../src/store-api/schemas.ts";
import type { Page, Store } from "../../src/store-api/store-api.ts";
import type { ListQuery } from "../../src/store-queries/search-orders.ts";
import { createStoreCache } from "../../src/store-queries/store-cache.ts";
import { callerView } from "../../src/views/parts/context.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { auditActs } from "../../src/views/settings/audit-log.ts";
import { silentLog } from "../support/recorded-log.ts";

/** Made by people and the store. */
export interface Content {
  readonly orders: readonly Order[];
  readonly products: readonly Product[];
  readonly draft: NewProduct;
  readonly query: ListQuery;
  readonly upload: string;
  readonly currency?: string;
  readonly statuses: readonly string[];
}

/** Name of every kept session and draft. */
export const keptName = "AbCdEfGhIjKl";

export const manager: Caller = {
  guildId: "100000000000000001",
  channelId: "100000000000000002",
  userId: "100000000000000003",
  roleIds: ["100000000000000004"],
  permissions: 32n,
  locale: "en",
};

const page = <Row>(rows: readonly Row[]): Page<Row> => ({ items: [...rows], lastPage: 1_000_000, skipped: 9 });

/** Each answer comes in an event loop turn of its own, as from a network. */
function storeOf({ orders, products }: Content): Store {
  const after = async <T>(value: () => T): Promise<T> => {
    await turn();
    return value();
  };
  return {
    listOrders: () => after(() => page(orders)),
    changedOrders: () => after(() => ({ ...page(orders), fingerprint: "x" })),
    getOrder: () =>
      after(() => {
        const [first] = orders;
        if (first === undefined) throw new Error("no order");
        return first;
      }),
    listProducts: () => after(() => page(products)),
    createProduct: () => after(() => ({ id: products[0]?.id ?? "p" })),
    capabilities: { of: () => undefined, note: () => undefined },
  };
}

/** As if nothing was imported before. */
const importRecords = {
  of: async () => new Map(),
  begin: async () => ({
    name: keptName,
    store: "1",
    ids: new Set(),
    isWanted: async () => true,
    note: async () => undefined,
    end: async () => undefined,
  }),
  stop: async () => false,
} as unknown as Services["importRecords"];

/** Every order is taken. */
function handlingOf(content: Content): Pick<Services, "handling" | "editThrottle"> {
  return {
    handling: {
      press: async () => ({ isDone: false, take: { by: content.upload, at: 8.64e15 } }),
      of: async (_, ids) => new Map(ids.map((id) => [id, { by: content.upload, at: 8.64e15 }])),
      ofOrder: async () => ({
        take: { by: content.upload, at: 8.64e15 },
        past: Array.from({ length: 10 }, () => ({ press: "back" as const, by: content.upload, at: 8.64e15 })),
      }),
      taken: async () => content.orders.map(({ id }) => ({ id, take: { by: content.upload, at: 8.64e15 } })),
    },
    editThrottle: (_, edit) => edit(),
  };
}

/** The most rules that a server may have, with every field filled. */
const routesOf = ({ upload, statuses }: Content): Rule[] =>
  Array.from({ length: mostRules - 1 }, (_, index) => ({
    id: `r${index}`,
    name: `${index}${upload.slice(0, 40)}`.slice(0, 40),
    channelId: "1",
    roleId: "2",
    style: index % 2 === 0 ? "feed" : "staff",
    ...(index % 3 === 0 ? { status: statuses[0]?.slice(0, 100) ?? "" } : {}),
    product: { id: upload.slice(0, 500), title: upload.slice(0, 500) },
    category: { id: "c", name: upload.slice(0, 100) },
    method: upload.slice(0, 100),
    from: 0.1,
    to: 1e12,
    items: 1,
  }));

const alertsOf = (content: Content, guild: Guild) =>
  ({
    idsKnown: async () => content.orders.map(({ id }) => id),
    status: async () => ({
      planned: 99_999,
      followed: 5_000,
      baseline: undefined,
      blockedElsewhere: new Map(Array.from({ length: mostRules + 1 }, (_, index) => [`1${index}`, 8.64e15])),
    }),
    turnOn: async () => ({ pending: 99_999, complete: false, isNew: true }),
    connect: async () => ({ guild, isOther: true }),
    turnOff: async () => 99_999,
    remind: async () => undefined,
    showTakes: async () => undefined,
    test: async () => undefined,
    setDigest: async () => 8.64e15,
    turnDigestOff: async () => undefined,
    changeSettings: async (_: string, change: (settings: Guild["settings"]) => Guild["settings"]) => ({
      ...guild,
      settings: change(guild.settings),
    }),
    changeRules: async (_: string, __: unknown, change: (routes: readonly Rule[]) => readonly Rule[]) =>
      void change(routesOf(content)),
  }) as unknown as Services["alerts"];

export function hostileServices(content: Content): Services {
  const store = storeOf(content);
  const cache = createStoreCache()("", store);
  const { guildId, channelId } = manager;
  const guild: Guild = {
    id: guildId,
    settings: { language: "en", privacy: "full", currency: content.currency, staffRoleId: "5" },
    token: { sealed: "x", last4: "abcd", since: 1 },
    alerts: { channelId, roleId: "6", statuses: [...content.statuses], since: 1 },
    routes: routesOf(content),
    digest: { timezone: "UTC", plan: { channelId: manager.channelId, every: "day", hour: 9, since: 1 } },
    remind: { afterMs: 60_000, quiet: { from: 22, to: 8, timeZone: content.upload } },
  };
  const { draft, query } = content;
  const open: Draft = { stage: "open", product: draft };
  const found = async <T>(name: string, value: T) => {
    if (name !== keptName) throw new ProblemError({ code: "expired" });
    return value;
  };
  const kept = <T>(session: T) => ({
    keep: async () => keptName,
    find: (name: string) => found(name, session),
    use: async <R>(name: string, _: unknown, work: (session: T, keep: () => Promise<void>) => Promise<R>) =>
      work(await found(name, session), async () => undefined),
    take: (name: string) => found(name, session),
  });
  const place: Disposable = { [Symbol.dispose]: () => undefined };
  return {
    guilds: {
      get: async () => guild,
      find: async () => guild,
      update: async (_: string, change: (before: Guild) => Guild) => change(guild),
      tokenOf: () => "tok",
    } as unknown as Services["guilds"],
    alerts: alertsOf(content, guild),
    forToken: () => store,
    connected: async () => ({ guildId, guild, store, cache, view: callerView(guild.settings, manager.locale) }),
    forget: async () => undefined,
    lists: kept(query),
    unconfirmed: kept({ channelId, statuses: content.statuses }),
    setUps: kept<SetUp>({ channelId, roleId: "6", rings: "both" }),
    inspectChannel: async () => ({
      isOwn: true,
      isText: true,
      missing: ["EmbedLinks"],
      isPublic: true,
      canWrite: true,
      role: { isMentionable: true, rings: false, canMention: true },
    }),
    attempts: (_, work) => work(),
    tokenAttempts: (_, work) => work(),
    samples: createCache<TurnedOn>({ keptMs: 0, most: 1 }, () => 0),
    drafts: kept<Draft>(open),
    exports: kept<ExportSession>({ what: "orders" }),
    storedSums: { find: async () => new Map(), keep: async () => undefined },
    exportLimit: { acquire: () => place, waitMs: () => 0 },
    statsLimit: { acquire: () => place },
    importFiles: kept<ImportFile>({ url: content.upload, bytes: 1, digest: "x" }),
    importRecords,
    importLimit: { acquire: () => place, waitMs: () => 0 },
    readingLimit: { acquire: () => place },
    auditLog: {
      note: async () => undefined,
      page: async (_, page, size) => ({
        entries: [...auditActs, content.upload]
          .map((did) => ({ at: 8.64e15, firstAt: 8.64e15, times: 2, by: content.upload, did, what: content.upload }))
          .slice(0, size),
        page,
        last: 100,
      }),
    },
    ...handlingOf(content),
    uploads: { readText: async () => content.upload },
    storeHost: "store.example",
    pollIntervalMs: 15_000,
    log: silentLog,
    now: () => 1_700_000_000_000,
  };
}
