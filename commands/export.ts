import type { CalendarDay } from "../src/basics/zones.ts";
import { type Caller, customersFor } from "../src/discord/commands/caller.ts";
import { defineCommand, execute, type Press } from "../src/discord/commands/define-command.ts";
import type { Reply } from "../src/discord/commands/reply.ts";
import type { Services } from "../src/discord/commands/services.ts";
import type { Privacy } from "../src/guilds/guild.ts";
import { orderExport, productExport } from "../src/reports/export-formats.ts";
import type { TaskRead } from "../src/reports/long-task.ts";
import { type ExportFormat, runExport } from "../src/reports/run-export.ts";
import { cancellable } from "../src/sessions/session-kinds.ts";
import { StoreError } from "../src/store-api/store-error.ts";
import type { MessagePayload, PayloadFile } from "../src/views/parts/payload.ts";
import {
  type Exportable,
  type ExportProgress,
  exportCancelled,
  exportDone,
  exportPart,
  exportProgress,
} from "../src/views/reports/export.ts";
import { dayOption, serverZone, statusesOption, statusesTyped } from "./options.ts";
import { daysIn } from "./typed-days.ts";

/** What is known only after the server's settings and the store were read. */
interface Asked<Row extends { readonly id: string }> {
  /** Today, for the name of the file. */
  readonly day: CalendarDay;
  readonly plan: ExportFormat<Row>;
  readonly privacy?: Privacy;
  /** The time zone of the days that the caller typed. Undefined if the caller typed no days. */
  readonly zone?: string | undefined;
  readonly read: TaskRead<Row>;
}

async function exported<Row extends { readonly id: string }>(
  what: Exportable,
  { caller, services, reply }: { readonly caller: Caller; readonly services: Services; readonly reply: Reply },
  ask: () => Promise<Asked<Row>>,
): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  using _place = services.exportLimit.acquire(caller);
  const { day, plan, privacy, zone, read } = await ask();
  await using task = await cancellable(services.exports, caller, what);
  const fileOf = (data: Buffer, part?: number): PayloadFile => ({
    name: `${what}-${day}${part === undefined ? "" : `-part-${part}`}.csv`,
    contentType: "text/csv; charset=utf-8",
    data,
  });
  let isShown = false;
  function show(progress: ExportProgress): Promise<void> {
    isShown = true;
    return reply.show(exportProgress(what, task.session, progress, locale));
  }
  let noted: Promise<void> | undefined;
  /** Recorded before any file is sent, because even the first part can contain customers. */
  const note = () => (noted ??= services.auditLog.note(caller, { did: "exported", what }));
  async function sendPart(data: Buffer, part: number): Promise<void> {
    await note();
    await reply.send(exportPart(part, fileOf(data, part), locale));
  }
  const { end, sent, rest, ...counts } = await runExport(plan, read, {
    ...reply,
    watcher: {
      isCancelled: task.isCancelled,
      show,
      async send(part, number, progress) {
        if (!isShown) await show(progress);
        await sendPart(part, number);
      },
    },
    waitMs: () => services.exportLimit.waitMs(guildId),
  });
  // The person may have pressed Cancel after everything was read.
  if ((await task.end()) || end === "cancelled") return exportCancelled(what, locale);
  if (end instanceof StoreError && counts.read === 0) throw end;
  if (counts.written > 0) await note();
  if (sent > 0 && rest) await sendPart(rest, sent + 1);
  const file = sent === 0 && rest ? fileOf(rest) : undefined;
  const why = end instanceof StoreError ? { failed: end.code } : end;
  return exportDone({ ...counts, what, end: why, files: sent + (rest ? 1 : 0), privacy, zone }, file, locale);
}

/** A running export or reading stops about a second later. */
export async function cancelTask(press: Press<{ readonly session: string }>, services: Services) {
  const { what } = await services.exports.take(press.args.session, press);
  return exportCancelled(what, press.locale);
}

export const exportCommand = defineCommand("export", {
  subcommands: {
    orders: execute({
      options: {
        status: statusesOption,
        from: dayOption,
        to: dayOption,
      },
      async run(caller, services, reply) {
        const { options } = caller;
        return exported("orders", { caller, services, reply }, async () => {
          const { guild, store } = await services.connected();
          const now = services.now();
          const zone = serverZone(guild);
          const days = daysIn(options, now, zone);
          const statuses = await statusesTyped(options.status, caller, services);
          // An API may accept only one status at a time. So for several statuses the whole list is read.
          const isAsked = statuses?.length === 1;
          const privacy = customersFor(caller, guild.settings.privacy);
          return {
            day: zone.dayOf(now),
            plan: orderExport({ statuses, days, privacy }),
            privacy,
            zone: Object.keys(days).length > 0 ? zone.name : undefined,
            read: (page, limit, signal) =>
              store.listOrders({ page, limit, isWhole: true, ...(isAsked ? { statuses } : {}) }, signal),
          };
        });
      },
    }),

    products: execute({
      run: (caller, services, reply) =>
        exported("products", { caller, services, reply }, async () => {
          const { guild, store } = await services.connected();
          return {
            day: serverZone(guild).dayOf(services.now()),
            plan: productExport,
            read: (page, limit, signal) => store.listProducts({ page, limit, isWhole: true }, signal),
          };
        }),
    }),
  },

  handlers: {
    buttons: { cancel: cancelTask },
  },
});
