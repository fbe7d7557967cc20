import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { Alerts } from "../../../src/alerts/alerts.ts";
import type { Log } from "../../../src/basics/log.ts";
import { type Metrics, noMetrics } from "../../../src/basics/metrics.ts";
import { marksIn } from "../../../src/discord/rest/rest-messenger.ts";
import type { Guild } from "../../../src/guilds/guild.ts";
import { createGuilds, type Guilds } from "../../../src/guilds/guilds.ts";
import { createVault, type Vault } from "../../../src/guilds/vault.ts";
import { createLog } from "../../../src/operations/log.ts";
import type { GuildLease } from "../../../src/orders/guild-lease.ts";
import { type Messenger, MessengerError, type PostedMessage } from "../../../src/outbox/messenger.ts";
import type { Backend } from "../../../src/storage/backend.ts";
import { openBackend, storageOf } from "../../../src/storage/open-storage.ts";
import { type Announcement, partitions, polledTable } from "../../../src/storage/polled-servers.ts";
import type { Step, Storage, WholeStorage } from "../../../src/storage/table.ts";
import type { Feature } from "../../../src/store-api/capabilities.ts";
import type { Order } from "../../../src/store-api/schemas.ts";
import type { OrderPage, OrderQuery, Store } from "../../../src/store-api/store-api.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import type { MessagePayload, PostPayload } from "../../../src/views/parts/payload.ts";
import { marksOf } from "../marks-of.ts";
import { createKiller, type Killer, killableBackend } from "./killer.ts";

export const guildId = "1000000000000000001";
export const channelId = "2000000000000000002";
const endless = new AbortController().signal;
const alone: GuildLease = {
  signal: () => endless,
  untilOver: () => endless,
  fence: () => [],
  ownerFence: () => [],
  refused: async () => undefined,
};
export const standby: GuildLease = {
  ...alone,
  signal: () => AbortSignal.abort(),
  untilOver: () => AbortSignal.abort(),
  fence: () => undefined,
  ownerFence: () => undefined,
};
const quiet = createLog("silent");
export const worldKey = Buffer.alloc(32, 7);

/** A channel that outlives the processes that post in it. */
export interface Channel {
  readonly messages: {
    readonly id: string;
    readonly place: string;
    readonly at: number;
    readonly nonce: string;
    payload: PostPayload | MessagePayload;
    edits: number;
    readonly replyTo?: string | undefined;
  }[];
  readonly ownerNotices: PostPayload[];
  readonly ownerNonces: Set<string>;
  /** True if the bot lacks Read Message History. Discord then refuses replies. */
  refusesReplies?: boolean;
  /** Whether a send with a known nonce returns the first message, as at Discord for a few minutes. */
  nonces: boolean;
  /** Called before and after each call of the messenger. If it throws or rejects, the call fails. */
  fault(call: keyof Messenger, when: "before" | "after", place: string): void | Promise<void>;
}

function newChannel(): Channel {
  return { messages: [], ownerNotices: [], ownerNonces: new Set(), nonces: true, fault: () => undefined };
}

/** If `error()` is undefined, waits for `work` anyway. */
function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  error: () => Error | undefined,
): Promise<T> {
  if (signal === undefined) return work;
  const { promise: calledOff, reject } = Promise.withResolvers<never>();
  const end = () => {
    const reason = error();
    if (reason) reject(reason);
  };
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  calledOff.catch(() => undefined);
  work.catch(() => undefined);
  return Promise.race([calledOff, work]);
}

function messengerFor(channel: Channel, killer: Killer, now: () => number): Messenger {
  const effect = async <T>(call: keyof Messenger, place: string, act: () => T): Promise<T> => {
    killer.step();
    await channel.fault(call, "before", place);
    const result = act();
    await channel.fault(call, "after", place);
    killer.step();
    return result;
  };
  return {
    send: (place, payload, nonce, { signal, stop, replyTo } = {}) => {
      let hasLeft = false;
      const calledOff = new Error("the send was called off");
      const sending = effect("send", place, () => {
        if (signal?.aborted) throw new MessengerError("uncertain");
        if (stop?.aborted) throw calledOff;
        hasLeft = true;
        if (replyTo !== undefined && channel.refusesReplies) throw new MessengerError("forbidden");
        const known = channel.nonces ? channel.messages.find((message) => message.nonce === nonce) : undefined;
        if (known) return known;
        if (replyTo !== undefined && !channel.messages.some(({ id }) => id === replyTo))
          throw new MessengerError("refused");
        const id = `m${channel.messages.length}`;
        const message: Channel["messages"][number] = { id, place, at: now(), nonce, payload, edits: 0, replyTo };
        channel.messages.push(message);
        return message;
      });
      const answered = unlessAborted(sending, stop, () => (hasLeft ? undefined : calledOff));
      return unlessAborted(answered, signal, () => new MessengerError("uncertain")).catch((error: unknown) => {
        if (error !== calledOff) throw error;
        return undefined;
      });
    },
    edit: (place, messageId, payload, signal) => {
      const editing = effect("edit", place, () => {
        const message = channel.messages.find(({ id }) => id === messageId);
        if (!message) throw new MessengerError("channel_gone");
        message.payload = { ...message.payload, ...payload } as PostPayload;
        message.edits++;
      });
      return unlessAborted(editing, signal, () => new MessengerError("uncertain"));
    },
    async read(place, messageId) {
      await channel.fault("read", "before", place);
      const message = channel.messages.find(({ id }) => id === messageId);
      return message && "content" in message.payload
        ? {
            id: messageId,
            ...marksIn(message.payload as never),
            isClassic: !("flags" in message.payload),
            content: message.payload.content,
            hasEmbed: message.payload.embeds.length > 0,
          }
        : undefined;
    },
    async postedSince(place, since) {
      await channel.fault("postedSince", "before", place);
      const found = channel.messages
        .toReversed()
        .filter((message) => message.place === place && message.at >= since)
        .map(
          ({ id, payload }): PostedMessage => ({
            id,
            ...marksIn({ content: "", embeds: [], ...payload } as never),
            isClassic: !("flags" in payload),
          }),
        );
      await channel.fault("postedSince", "after", place);
      return found;
    },
    tellOwner: (_, make, nonce) =>
      effect("tellOwner", "dm", () => {
        if (!channel.nonces || !channel.ownerNonces.has(nonce)) channel.ownerNotices.push(make("Test server"));
        channel.ownerNonces.add(nonce);
      }),
  };
}

export function timesPosted(channel: Channel, ids: readonly string[], place?: string): number[] {
  const messages = channel.messages.filter((message) => place === undefined || message.place === place);
  const marks = messages.map(({ payload }) => marksOf(payload.components));
  return ids.map((id) => marks.filter((some) => some.some((mark) => mark.includes(id))).length);
}

/** A store in memory. Its list begins with the newest orders, and obeys the status filter. */
export interface MemoryStore extends Omit<Store, "changedOrders"> {
  readonly orders: Order[];
  place(count: number): Order[];
  fault(request: { readonly page?: number; readonly order?: string; readonly statuses?: readonly string[] }): void;
  page(query: OrderQuery): Omit<OrderPage, "fingerprint">;
  changedOrders: Store["changedOrders"];
}

function newMemoryStore(now: () => number): MemoryStore {
  const orders: Order[] = [];
  const unused = () => Promise.reject(new Error("not part of this test"));
  const beliefs = new Map<Feature, boolean>();
  const store: MemoryStore = {
    orders,
    capabilities: {
      of: (feature) => beliefs.get(feature),
      note: (feature, honoured) => void beliefs.set(feature, honoured),
    },
    fault: () => undefined,
    place(count) {
      return Array.from({ length: count }, (): Order => {
        const number = String(orders.length + 1).padStart(12, "0");
        const order: Order = {
          id: `0f8fad5b-d9cb-469f-a165-${number}`,
          status: "PENDING",
          customer: { email: "ana@example.com", name: "Ana" },
          items: [{ productId: "p", productTitle: `Product ${number}`, quantity: 1, price: 5 }],
          pricing: { subtotal: 5, discount: 0, total: 5 },
          paymentMethod: "PIX",
          createdAt: now(),
        };
        orders.unshift(order);
        return order;
      });
    },
    page({ page = 1, limit = 10, statuses }) {
      const listed = orders.filter(({ status }) => !statuses || statuses.includes(status));
      const lastPage = Math.max(Math.ceil(listed.length / limit), 1);
      return { items: listed.slice((page - 1) * limit, page * limit), lastPage, skipped: 0, servedAt: now() };
    },
    async listOrders(query = {}) {
      store.fault({ page: query.page ?? 1, ...(query.statuses ? { statuses: query.statuses } : {}) });
      return store.page(query);
    },
    async changedOrders(query, fingerprint, signal) {
      const page = await store.listOrders(query, signal);
      const { items, lastPage } = page;
      const now = hash("sha1", JSON.stringify([items, lastPage]));
      return now === fingerprint ? undefined : { ...page, fingerprint: now };
    },
    async getOrder(id) {
      store.fault({ order: id });
      const order = orders.find((candidate) => candidate.id === id);
      if (!order) throw new StoreError("not_found", "GET order");
      return order;
    },
    listProducts: unused,
    createProduct: unused,
  };
  return store;
}

/** One process. It shares storage, channel, store and clock with the other lives of the world. */
export interface Life {
  readonly alerts: Alerts;
  readonly guilds: Guilds;
  readonly connected: () => Promise<{ readonly store: Store }>;
}

/** Called before and after each commit. A hook that throws makes the commit fail. */
export interface CommitHooks {
  before?(steps: readonly Step[]): void | Promise<void>;
  after?(steps: readonly Step[]): void | Promise<void>;
}

/** Everything that outlives a process: storage, channel, store, clock. */
export interface AlertWorld {
  readonly storage: WholeStorage;
  readonly channel: Channel;
  readonly store: MemoryStore;
  /** Other stores, by the last 4 characters of their tokens. */
  readonly stores: Map<string, MemoryStore>;
  /** Called before each commit of any life. If it throws, the commit fails. */
  readonly commits: { before(steps: readonly Step[]): void | Promise<void> };
  pass(ms: number): void;
  now(): number;
  start(
    killer?: Killer,
    wrap?: (backend: Backend) => Backend,
    right?: GuildLease,
    more?: {
      readonly onAnnounced?: (announcement: Announcement) => void;
      readonly log?: Log;
      readonly metrics?: Metrics;
      readonly vault?: Vault;
      readonly commits?: CommitHooks;
    },
  ): Life;
  turnOn(life: Life, settings?: { statuses?: string[]; roleId?: string }): Promise<void>;
}

export async function createAlertWorld(): Promise<AlertWorld> {
  const backend = await openBackend("sqlite://:memory:", quiet);
  const storage = storageOf(backend);
  const channel = newChannel();
  let time = Date.now();
  const now = () => time;
  const store = newMemoryStore(now);
  const stores = new Map<string, MemoryStore>();
  const commits: AlertWorld["commits"] = { before: () => undefined };
  const usual = createVault([worldKey]);
  return {
    storage,
    commits,
    channel,
    store,
    stores,
    now,
    pass(ms) {
      time += ms;
    },
    start(killer = createKiller(), wrap = (own) => own, right = alone, more = {}) {
      const { onAnnounced = () => undefined, log = quiet, metrics = noMetrics } = more;
      const { vault = usual, commits: own } = more;
      const tables: Storage = {
        ...storageOf(wrap(killableBackend(backend, killer))),
        async commit(steps) {
          killer.step();
          await commits.before(steps);
          await own?.before?.(steps);
          const isCommitted = await storage.commit(steps);
          await own?.after?.(steps);
          killer.step();
          return isCommitted;
        },
        close: async () => undefined,
      };
      const guilds = createGuilds({ storage: tables, vault, now, onAnnounced });
      const storeOf = (guild: Guild) => {
        const token = guilds.tokenOf(guild);
        return token === undefined ? undefined : (stores.get(token.slice(-4)) ?? store);
      };
      const alerts: Alerts = new Alerts({
        storage: tables,
        guilds,
        vault,
        storeOf,
        leaseOf: () => right,
        messenger: messengerFor(channel, killer, now),
        log,
        signal: new AbortController().signal,
        now,
        monotonic: now,
        sleep: () => setImmediate(),
        random: () => 0.5,
        metrics,
        pollSoon: (guild) => void alerts.poll(guild),
        tellChannelsChanged: () => undefined,
      });
      const connected = async () => ({ store: storeOf(await guilds.get(guildId)) ?? store });
      return { alerts, guilds, connected };
    },
    async turnOn(life, settings = {}) {
      await life.guilds.connect(guildId, "token-1234");
      await life.alerts.turnOn(guildId, life.connected, { channelId, ...settings });
      await life.alerts.idle();
    },
  };
}

export async function polledIn(storage: Pick<Storage, "table">): Promise<string[]> {
  const ids: string[] = [];
  for (const partition of partitions) {
    for await (const { key: id } of storage.table(polledTable, String(partition)).rows()) ids.push(id);
  }
  return ids.sort();
}

/** After each poll, waits until nothing runs. */
export async function pollFor(world: AlertWorld, life: Life, ms: number, everyMs = 15_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += everyMs) {
    await life.alerts.poll(guildId);
    await life.alerts.idle();
    world.pass(everyMs);
  }
}

export const idsOf = (orders: readonly { id: string }[]): string[] => orders.map(({ id }) => id);

/** The result of {@link timesPosted} if each order was posted once. */
export const once = (ids: readonly string[]): number[] => ids.map(() => 1);
