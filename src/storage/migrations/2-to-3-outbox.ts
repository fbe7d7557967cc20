import { z } from "zod";
import { absent, type Step, type TableShape, type WholeStorage } from "../table.ts";
import { anyTable, commitAlone, keysOf } from "./move-rows.ts";

// Version 3 has one row per order, in place of the tables `ledger` (the state of an order) and `sights` (the statuses that
// rules had seen). It has one row per message to send, in place of messages in `ledger`, `routed` and `reminders`. The shapes
// below describe the data of version 2 and must not change.

const shapeOf = <T>(name: string, schema: z.ZodType<T>): TableShape<T> => ({ name, schema, version: 1 });

const orderSchema = z.looseObject({ id: z.string(), status: z.string(), changedAt: z.number().optional() });
const common = { order: orderSchema, foundAt: z.number(), route: z.string().optional() };
const entrySchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("seen"), isFormer: z.literal(true).optional() }),
  z.object({
    ...common,
    state: z.literal("owed"),
    sealedCustomer: z.string().optional().catch(undefined),
    channelIds: z.array(z.string()),
    sentSince: z.number().optional(),
    isUnsure: z.literal(true).optional(),
    isFormer: z.literal(true).optional(),
  }),
  z.object({
    ...common,
    state: z.enum(["posted", "settled"]),
    channelId: z.string(),
    messageId: z.string(),
    batch: z.array(z.string()),
    isClassic: z.literal(true).optional(),
    paid: z.enum(["noted", "rung"]).optional(),
    refunded: z.enum(["noted", "rung"]).optional(),
    rungIn: z.string().optional(),
    isFormer: z.literal(true).optional(),
  }),
]);
type Entry = z.infer<typeof entrySchema>;
type Owed = Extract<Entry, { readonly state: "owed" }>;
type Posted = Extract<Entry, { readonly state: "posted" | "settled" }>;

const sightSchema = z.object({ statuses: z.array(z.string()), rung: z.array(z.string()).optional() });
const routedSchema = z.object({
  route: z.string(),
  order: orderSchema,
  channelIds: z.array(z.string()),
  foundAt: z.number(),
  sentSince: z.number().optional(),
});
const reminderSchema = z.tuple([z.string(), z.string(), z.string(), z.number(), z.union([z.boolean(), z.number()])]);
type Reminder = z.infer<typeof reminderSchema>;

const seen: Entry = { state: "seen" };
const ledgerShape = shapeOf(
  "ledger",
  entrySchema.catch(() => seen),
);
const sightsShape = shapeOf("sights", sightSchema.catch({ statuses: [] }));
const routedShape = shapeOf("routed", routedSchema.nullable().catch(null));
const remindersShape = shapeOf("reminders", z.array(reminderSchema).catch([]));

/** Each key needs up to six steps of a commit. */
const atOnce = 100;

const tablesOf = (storage: WholeStorage, guildId: string) => ({
  ledger: storage.table(ledgerShape, guildId),
  sights: storage.table(sightsShape, guildId),
  routed: storage.table(routedShape, guildId),
  reminders: storage.table(remindersShape),
  orders: storage.table(anyTable("orders"), guildId),
  open: storage.table(anyTable("open"), guildId),
  outbox: storage.table(anyTable("outbox"), guildId),
});
type Tables = ReturnType<typeof tablesOf>;

async function inCommits(
  storage: WholeStorage,
  keys: readonly string[],
  make: (some: readonly string[]) => Promise<Step[]>,
): Promise<void> {
  for (let at = 0; at < keys.length; at += atOnce) await commitAlone(storage, await make(keys.slice(at, at + atOnce)));
}

/** An attempt makes the bot search the channel for the message. */
const attemptsIn = (channelIds: readonly string[], at: number) =>
  channelIds.map((channelId) => ({ channelId, members: [], shown: [], at }));

const base = (entry: Entry | undefined, sight: z.infer<typeof sightSchema> | undefined) => {
  // Version 2 recorded an empty status for a first alert.
  const statuses = sight?.statuses.filter((status) => status !== "") ?? [];
  return {
    ...(statuses.length > 0 && { seen: statuses }),
    ...(sight?.rung && { alertedFor: sight.rung }),
    ...(entry?.isFormer && { isFormer: true }),
  };
};

function alertOf({ order, foundAt, sentSince, sealedCustomer: customer, route, isUnsure, channelIds }: Owed) {
  // `sentSince` is set only after a restore. Then it is unknown what the alert shows.
  const shown = sentSince === undefined ? { members: [`alert/${order.id}`], shown: [order.status] } : {};
  const attempts = attemptsIn(channelIds, foundAt).map((attempt) => ({ ...attempt, ...shown }));
  return { kind: "alert", orderId: order.id, customer, route, isUnsure, foundAt, since: sentSince, attempts };
}

/** Returns the replies that may have been posted. */
function repliesOf({ order, channelId, messageId, route, foundAt, rungIn = channelId, ...entry }: Posted) {
  return (["paid", "refunded"] as const).flatMap((what) => {
    if (entry[what] !== "noted") return [];
    const key = `reply/${what}/${order.id}`;
    const at = order.changedAt ?? foundAt;
    const attempts = attemptsIn([rungIn], foundAt);
    return [[key, { kind: "reply", what, facts: order, channelId, messageId, route, foundAt: at, attempts }] as const];
  });
}

function postedRow({ state, order, foundAt, ...entry }: Posted) {
  const { channelId, messageId, batch: members, route, isClassic } = entry;
  return {
    state: state === "posted" ? "open" : "kept",
    facts: order,
    foundAt,
    stand: { channelId, messageId, members, route, isClassic },
    // A reply that is only `noted` does not count as posted. It waits in the outbox.
    ...(entry.paid === "rung" && { paid: true }),
    ...(entry.refunded === "rung" && { refunded: true }),
  };
}

function rowOf(entry: Entry | undefined) {
  if (entry === undefined) return { state: "noticed" };
  if (entry.state === "seen") return { state: "closed" };
  if (entry.state !== "owed") return postedRow(entry);
  const { customer: _, ...facts } = entry.order;
  return { state: "planned", facts, foundAt: entry.foundAt };
}

async function moveOrders(storage: WholeStorage, tables: Tables): Promise<void> {
  const { ledger, sights, orders, open, outbox } = tables;
  const ids = [...new Set([...(await keysOf(ledger)), ...(await keysOf(sights))])];
  await inCommits(storage, ids, async (some) => {
    const seenRows = await sights.read(some);
    return (await ledger.read(some)).flatMap((row, index): Step[] => {
      const { key: id, value: entry } = row;
      const sight = seenRows[index] ?? absent(id);
      const made = [orders.put(absent(id), { ...base(entry, sight.value), ...rowOf(entry) })];
      made.push(ledger.remove(row), sights.remove(sight));
      if (entry?.state === "posted") made.push(open.put(absent(id), entry.foundAt));
      if (entry?.state === "owed") made.push(outbox.put(absent(`alert/${id}`), alertOf(entry)));
      if (entry !== undefined && "messageId" in entry) {
        for (const [key, reply] of repliesOf(entry)) made.push(outbox.put(absent(key), reply));
      }
      return made;
    });
  });
}

async function moveRouted(storage: WholeStorage, { routed, outbox }: Tables): Promise<void> {
  const keyOf = (key: string) => `rule/${key.replace(" ", "/")}`;
  await inCommits(storage, await keysOf(routed), async (some) =>
    (await routed.read(some)).flatMap((row) => {
      if (row.value === null || row.value === undefined) return [routed.remove(row)];
      const { route, order, channelIds, foundAt, sentSince } = row.value;
      const attempts = attemptsIn(channelIds, foundAt);
      const rule = { kind: "rule", route, facts: order, foundAt, since: sentSince, attempts };
      return [routed.remove(row), outbox.put(absent(keyOf(row.key)), rule)];
    }),
  );
}

function reminderOf(some: readonly Reminder[], route: string | undefined) {
  const [[, channelId, messageId] = ["", "", ""]] = some;
  const foundAt = Math.min(...some.map(([, , , at]) => at));
  const times = some.flatMap(([, , , , mayStand]) => (typeof mayStand === "number" ? [mayStand] : []));
  const isSent = some.some(([, , , , mayStand]) => mayStand === true);
  return {
    kind: "reminder",
    channelId,
    messageId,
    route,
    orderIds: some.map(([id]) => id),
    foundAt,
    since: times.length > 0 ? Math.min(...times) : undefined,
    attempts: isSent ? attemptsIn([channelId], foundAt) : [],
  };
}

/** Must run after `moveOrders`, because it reads the rule of each alert from the new rows of orders. */
async function moveReminders(storage: WholeStorage, tables: Tables, guildId: string): Promise<void> {
  const { reminders, orders, outbox } = tables;
  const waiting = (await reminders.get(guildId)) ?? [];
  const byMessage = Map.groupBy(waiting, ([, , messageId]) => messageId);
  await inCommits(storage, [...byMessage.keys()], async (some) => {
    const firsts = await orders.read(some.map((messageId) => byMessage.get(messageId)?.[0]?.[0] ?? messageId));
    const before = await outbox.read(some.map((messageId) => `reminder/${messageId}`));
    return before.map((row, index) => {
      const stand = (firsts[index]?.value as { readonly stand?: { readonly route?: string } } | undefined)?.stand;
      return outbox.put(row, reminderOf(byMessage.get(some[index] ?? "") ?? [], stand?.route));
    });
  });
  await reminders.delete(guildId);
}

async function guildsWith(storage: WholeStorage, names: RegExp): Promise<Set<string>> {
  const guildIds = new Set<string>();
  for await (const entries of storage.rawEntries()) {
    for (const { table } of entries) {
      const [, guildId] = names.exec(table) ?? [];
      if (guildId !== undefined) guildIds.add(guildId);
    }
  }
  return guildIds;
}

/** Version 0.1.0 stored the customers of waiting orders as plain text. A copy must not keep them. */
export async function removePlainCustomers(copy: WholeStorage): Promise<void> {
  for (const guildId of await guildsWith(copy, /^ledger:(.+)$/)) {
    const { ledger } = tablesOf(copy, guildId);
    await inCommits(copy, await keysOf(ledger), async (some) =>
      (await ledger.read(some)).flatMap((row) => {
        if (row.value === undefined || !("order" in row.value) || !("customer" in row.value.order)) return [];
        const { customer: _, ...order } = row.value.order;
        return [ledger.put(row, { ...row.value, order })];
      }),
    );
  }
}

/** Can run again after an interruption, because moved entries are removed from the old tables. */
export async function moveToOutbox(storage: WholeStorage): Promise<void> {
  const waiting = await keysOf(storage.table(remindersShape));
  const others = await guildsWith(storage, /^(?:ledger|sights|routed):(.+)$/);
  const guildIds = new Set([...waiting, ...others]);
  for (const guildId of guildIds) {
    const tables = tablesOf(storage, guildId);
    await moveOrders(storage, tables);
    await moveRouted(storage, tables);
    await moveReminders(storage, tables, guildId);
  }
  // The new rows have the content of these lists. Only version 0.1.0 wrote `open-orders`.
  for (const name of ["id-lists", "id-list-parts", "open-orders"]) await storage.table(anyTable(name)).clear();
}
