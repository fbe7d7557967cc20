import type { Span, Stats } from "../src/basics/stats.ts";
import { type Zone, zoneName, zoneOf } from "../src/basics/zones.ts";
import type { Caller } from "../src/discord/commands/caller.ts";
import { defineCommand, execute, type Press } from "../src/discord/commands/define-command.ts";
import type { Reply } from "../src/discord/commands/reply.ts";
import type { Services } from "../src/discord/commands/services.ts";
import { digestZoneNameOf, type Guild, zoneNameOf } from "../src/guilds/guild.ts";
import { type Period, periods, spanNamed, spanOf } from "../src/reports/days.ts";
import { runTask, TaskStopped } from "../src/reports/long-task.ts";
import { pictureOf } from "../src/reports/picture.ts";
import { statsOf } from "../src/reports/stats-of.ts";
import { cancellable } from "../src/sessions/session-kinds.ts";
import type { ViewContext } from "../src/views/parts/context.ts";
import type { MessagePayload } from "../src/views/parts/payload.ts";
import { ProblemError } from "../src/views/parts/problem.ts";
import { exportCancelled } from "../src/views/reports/export.ts";
import { statsCard, statsDetails, statsProgress } from "../src/views/reports/stats-card.ts";
import { cancelTask } from "./export.ts";

const lateProblems = { late: "stats_late", ending: "ending" } as const;

async function figures(
  caller: Caller,
  services: Services,
  reply: Reply,
  daysOf: (guild: Guild) => { readonly zone: Zone; readonly span: Span },
  show: (stats: Stats, ctx: ViewContext) => Promise<MessagePayload>,
): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { storedSums, exports, exportLimit, statsLimit, now } = services;
  const { guild, store, view } = await services.connected();
  const { zone, span } = daysOf(guild);

  let progress = { read: 0, about: 0 };

  async function run<T>(reading: (signal: AbortSignal) => Promise<T>): Promise<T> {
    using _place = statsLimit.acquire(caller);
    await using task = await cancellable(exports, caller, "stats");
    const show = (at: typeof progress) => reply.show(statsProgress(task.session, at, locale));
    return await runTask(reply, { ...task, show }, () => progress, reading);
  }

  try {
    const of = { guildId, store: String(guild.token?.since), zone };
    const stats = await statsOf(of, span, {
      storedSums,
      now,
      run,
      read: (page, limit, signal) => store.listOrders({ page, limit }, signal),
      waitMs: () => exportLimit.waitMs(guildId),
      note(at) {
        progress = at;
      },
    });
    return await show(stats, view);
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    if (error.end === "cancelled") return exportCancelled("stats", locale);
    throw new ProblemError({ code: lateProblems[error.end] });
  }
}

/** Earlier versions had a time zone only for digests. */
const statsZoneNameOf = (guild: Guild) => (guild.settings.timezone ? zoneNameOf(guild) : digestZoneNameOf(guild));

function statsAnswer(
  caller: Caller,
  services: Services,
  reply: Reply,
  period: Period,
  zoneNameIn: (guild: Guild) => string,
): Promise<MessagePayload> {
  const daysOf = (guild: Guild) => {
    const zone = zoneOf(zoneNameIn(guild));
    return { zone, span: spanOf(period, zone.dayOf(services.now())) };
  };
  return figures(caller, services, reply, daysOf, async (stats, ctx) => {
    const picture = stats.sums.orders > 0 ? await pictureOf(stats, ctx.locale, services.log) : undefined;
    return statsCard(stats, ctx, picture);
  });
}

function detailsAnswer(press: Press<Span & { readonly zone: string }>, services: Services, reply: Reply) {
  const daysOf = () => {
    const name = zoneName(press.args.zone);
    const zone = name === undefined ? undefined : zoneOf(name);
    const span = zone && spanNamed(press.args, zone.dayOf(services.now()));
    if (zone === undefined || span === undefined) throw new ProblemError({ code: "unknown_action" });
    return { zone, span };
  };
  return figures(press, services, reply, daysOf, async (stats, ctx) => statsDetails(stats, ctx));
}

export const stats = defineCommand("stats", {
  execute: execute({
    options: { period: { kind: "string", required: true, choices: periods } },
    run: (caller, services, reply) => statsAnswer(caller, services, reply, caller.options.period, statsZoneNameOf),
  }),

  handlers: {
    buttons: {
      /** This button is below a digest. */
      today: {
        answer: "ephemeral",
        run: (press, services, reply) => statsAnswer(press, services, reply, "today", digestZoneNameOf),
      },
      details: { answer: "ephemeral", run: detailsAnswer },
      cancel: cancelTask,
    },
  },
});
