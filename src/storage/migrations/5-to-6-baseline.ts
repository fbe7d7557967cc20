import { z } from "zod";
import { absent, type Step, type Storage } from "../table.ts";
import { anyTable, commitAlone, keysOf } from "./move-rows.ts";

// In version 5, the state of a server's baseline was in four tables and in a flag of the server's record. In version 6, it is
// one row. The shapes below describe the data of version 5 and must not change.

const readingSchema = z.looseObject({ since: z.number(), of: z.string().optional() });
const begunSchema = z.object({ id: z.string(), store: z.number(), state: readingSchema }).optional();
const startedSchema = z.object({ since: z.number() }).optional();
const waitingSchema = z
  .array(
    z.object({
      orders: z.array(z.tuple([z.string(), z.string()])),
      baseline: readingSchema.optional(),
      /** The name of `baseline` until version 2 of the table. */
      backlog: readingSchema.optional(),
    }),
  )
  .catch([]);
const guildSchema = z.looseObject({
  alerts: z
    .looseObject({ since: z.number(), statuses: z.array(z.string()), isUnread: z.literal(true).optional() })
    .optional(),
  routes: z.array(z.looseObject({ status: z.string().optional() })).optional(),
});

const names = ["backlog", "begun", "started", "waiting"] as const;

/** The row of a server whose state is malformed. Reading this row is an error until alerts are turned off. */
const malformed = null;

function rowOf(record: unknown, kept: Readonly<Record<(typeof names)[number], unknown>>): unknown {
  const guild = guildSchema.safeParse(record);
  if (!guild.success) return record === undefined ? undefined : malformed;
  const { alerts, routes = [] } = guild.data;
  if (alerts === undefined) return undefined;
  const { since, statuses, isUnread } = alerts;
  const reading = readingSchema.optional().safeParse(kept.backlog);
  const begun = begunSchema.safeParse(kept.begun);
  const started = startedSchema.safeParse(isUnread && kept.started);
  if (!reading.success || !begun.success || !started.success) return malformed;
  const own = waitingSchema
    .parse(kept.waiting ?? [])
    .map(({ orders, baseline, backlog }) => ({ orders, state: baseline ?? backlog }))
    .find(({ state }) => state?.since === since);
  const unread: z.infer<typeof readingSchema> = {
    statuses,
    since,
    page: 1,
    pass: 1,
    clean: true,
    done: false,
    counted: 0,
  };
  const ofStore = isUnread && { id: String(since), state: own?.state ?? unread };
  const begins = begun.data?.store === since ? begun.data : ofStore;
  const isOtherStore = isUnread && started.data?.since !== since;
  // If the process ended between two writes, the table `backlog` is older than the others, and the state is in the others.
  const isLate = begins && (isOtherStore || reading.data?.of !== begins.id);
  const state = isLate ? begins.state : reading.data;
  if (state === undefined) return undefined;
  const { of: _, ...now } = state;
  if (!isOtherStore) return { reading: now };
  const awaited = routes.flatMap(({ status }) => status ?? []);
  const found = [{ orders: own?.orders ?? [], alerting: statuses, awaited, all: false }];
  return { reading: now, pending: { found, isOtherStore } };
}

function withoutFlag(record: unknown): unknown {
  const { success, data } = guildSchema.safeParse(record);
  if (!success || !data.alerts?.isUnread) return record;
  const { isUnread: _, ...alerts } = data.alerts;
  return { ...data, alerts };
}

/** Each server is migrated in one commit, so this can run again after an interruption. */
export async function toOneBaseline(storage: Storage): Promise<void> {
  const guilds = storage.table(anyTable("guilds"));
  const target = storage.table(anyTable("baseline"));
  const tables = names.map((name) => storage.table(anyTable(name, 2)));
  const ids = new Set((await Promise.all(tables.map(keysOf))).flat());
  for await (const { key: id, value: record } of guilds.rows()) if (withoutFlag(record) !== record) ids.add(id);
  for (const id of ids) {
    const [guild = absent(id)] = await guilds.read([id]);
    const rows = await Promise.all(tables.map(async (table) => (await table.read([id]))[0] ?? absent(id)));
    const [backlog, begun, started, waiting] = rows.map(({ value }) => value);
    const row = rowOf(guild.value, { backlog, begun, started, waiting });
    const record = withoutFlag(guild.value);
    const steps: Step[] = rows.flatMap((old, index) => tables[index]?.remove(old) ?? []);
    if (row !== undefined) steps.push(target.put(absent(id), row));
    if (record !== guild.value) steps.push(guilds.put(guild, record));
    await commitAlone(storage, steps);
  }
}
