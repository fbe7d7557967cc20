import { z } from "zod";
import type { Guild } from "../guilds/guild.ts";
import { baselineSchema, beginningsOf, newBaseline } from "../orders/baseline.ts";
import type { Storage, Table, TableShape } from "../storage/table.ts";
import type { WaitingOrders } from "./read-waiting.ts";

const kept = z
  .object({
    orders: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
    complete: z.boolean(),
    baseline: baselineSchema,
  })
  .readonly();

/** Until version 2, a baseline was called a backlog. */
const backlogSchema = z.looseObject({ backlog: z.unknown() }).transform(({ backlog, ...others }) => ({
  ...others,
  baseline: backlog,
}));

const waitingSchema = z.array(z.union([kept, backlogSchema.pipe(kept)]));

/**
 * What waited in the stores that were connected last, by the ids of servers, for the process that polls next to take as seen: two at
 * most, each 30 kB for every status that the API takes by itself.
 */
export const waitingTable: TableShape<z.infer<typeof waitingSchema>> = {
  name: "waiting",
  schema: waitingSchema.catch([]),
  version: 2,
};

const startedSchema = z.object({ since: z.number() });

/**
 * For which store, by the time from which on its orders are alerted, the ledger stands, by the ids of servers; none for the first
 * one. Only the process that polls writes it. Of a malformed one nothing may be concluded.
 */
export const startedTable: TableShape<z.infer<typeof startedSchema>> = {
  name: "started",
  schema: startedSchema,
  version: 1,
};

type Alerts = NonNullable<Guild["alerts"]>;
type Unread = Pick<Alerts, "since" | "statuses" | "isUnread">;

/**
 * Another store that was connected in one server, of which what waited then is to be taken as seen. That is for the process that
 * polls next: another process could undo what a poll has recorded. Throws `StorageError`.
 */
export class NewStore {
  private readonly guildId: string;
  private readonly waitings: Table<z.infer<typeof waitingSchema>>;
  private readonly startedTable: Table<z.infer<typeof startedSchema>>;
  private known: number | undefined;

  constructor(guildId: string, storage: Storage) {
    this.guildId = guildId;
    this.waitings = storage.table(waitingTable);
    this.startedTable = storage.table(startedTable);
  }

  /** Whether the ledger is still that of the store before. From memory once it is not. */
  async isUnread({ isUnread, since }: Unread): Promise<boolean> {
    if (!isUnread || this.known === since) return false;
    this.known = (await this.startedTable.get(this.guildId))?.since;
    return this.known !== since;
  }

  /** To be called before the record says so; `before` is what it says until then. Gives from when on the store's orders are alerted. */
  async keep(waiting: WaitingOrders, before: Unread): Promise<number> {
    const started = await this.startedTable.get(this.guildId);
    let { since } = waiting.baseline;
    // By it the stores are told apart.
    while (since === before.since || since === started?.since) since--;
    const beginnings = beginningsOf(waiting.baseline);
    const { done, counted } = waiting.baseline;
    const baseline = { ...newBaseline(beginnings), since, done, counted };
    await this.waitings.set(this.guildId, [{ ...waiting, baseline }, ...(await this.kept(before))]);
    return since;
  }

  private async kept({ since }: Unread) {
    const all = (await this.waitings.get(this.guildId)) ?? [];
    return all.filter(({ baseline }) => baseline.since === since).slice(0, 1);
  }

  /** What waited when it was connected: what was kept, or nothing but from when on its orders are alerted. */
  async waiting(alerts: Unread): Promise<WaitingOrders> {
    const [kept] = await this.kept(alerts);
    return kept ?? { orders: [], complete: false, baseline: newBaseline([alerts]) };
  }

  /** Adds what waits in lists that begin to be alerted while the store is unread. */
  async add(alerts: Unread, added: WaitingOrders): Promise<void> {
    const before = await this.waiting(alerts);
    const orders = [...new Map([...before.orders, ...added.orders])];
    const all = newBaseline([...beginningsOf(added.baseline), ...beginningsOf(before.baseline)]);
    const baseline = { ...all, since: alerts.since, counted: orders.length };
    await this.waitings.set(this.guildId, [{ orders, complete: before.complete && added.complete, baseline }]);
  }

  /** What waited is taken as seen. */
  async started({ since }: Unread): Promise<void> {
    await this.startedTable.set(this.guildId, { since });
    this.known = since;
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.known = undefined;
  }

  async clear(): Promise<void> {
    this.known = undefined;
    await this.waitings.delete(this.guildId);
    await this.startedTable.delete(this.guildId);
  }
}
