import type { Log } from "../../basics/log.ts";
import type { Span, Stats } from "../../basics/stats.ts";
import { type Zone, zoneName, zoneOf } from "../../basics/zones.ts";
import { digestZoneNameOf, type Guild, zoneNameOf } from "../../guilds/guild.ts";
import type { DailySums } from "../../reports/daily-sums.ts";
import { type Period, spanNamed, spanOf } from "../../reports/days.ts";
import { runTask, TaskStopped } from "../../reports/long-task.ts";
import { pictureOf } from "../../reports/picture.ts";
import { type StatsProgress, type StatsReading, statsOf } from "../../reports/stats-of.ts";
import type { PacedWorkLimit, WorkLimit } from "../../reports/work-limits.ts";
import { type ExportSession, isCancelled } from "../../sessions/session-kinds.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import type { Store } from "../../store-api/store-api.ts";
import { callerView, type ViewContext } from "../../views/parts/context.ts";
import type { MessagePayload } from "../../views/parts/payload.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import { exportCancelled } from "../../views/reports/export.ts";
import { statsCard, statsDetails, statsProgress } from "../../views/reports/stats-card.ts";
import type { Caller } from "./caller.ts";
import type { Press } from "./define-command.ts";
import type { Reply } from "./reply.ts";

/** The services that make the figures: the sums and charts of `/stats`. */
interface StatsDesk {
  connected(guildId: string): Promise<{ readonly guild: Guild; readonly store: Store }>;
  readonly dailySums: DailySums;
  /** Limits requests to the store, for exports and figures of a server together. */
  readonly exportLimit: Pick<PacedWorkLimit, "waitMs">;
  readonly statsLimit: WorkLimit;
  readonly exports: Pick<Sessions<ExportSession>, "keep" | "find" | "take">;
  readonly log: Pick<Log, "warn">;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Reads the store's orders for one person's figures. `statsLimit` allows only some readings at a time. The reading
 * stops when the person presses Cancel or the time for the answer is over.
 */
async function withReading<T>(
  caller: Caller,
  desk: StatsDesk,
  reply: Reply,
  store: Store,
  work: (reading: StatsReading) => Promise<T>,
): Promise<T> {
  const { exports, exportLimit, statsLimit } = desk;
  const { guildId, locale } = caller;
  const leave = statsLimit.acquire(caller);
  try {
    const session = await exports.keep(caller, { what: "stats" });
    let progress: StatsProgress = { read: 0, about: 0 };
    const observer = {
      isCancelled: () => isCancelled(exports, session, caller),
      show: (at: StatsProgress) => reply.show(statsProgress(session, at, locale)),
    };
    try {
      return await runTask(
        reply,
        observer,
        () => progress,
        (signal) =>
          work({
            read: (page, limit) => store.listOrders({ page, limit }, signal),
            waitMs: () => exportLimit.waitMs(guildId),
            signal,
            note(at) {
              progress = at;
            },
          }),
      );
    } finally {
      await exports.take(session, caller).catch(() => undefined);
    }
  } finally {
    leave();
  }
}

const lateProblems = { late: "stats_late", ending: "stats_ending" } as const;

/** The days asked for, and the view that shows their figures. */
interface Wanted {
  days(guild: Guild): Promise<{ readonly zone: Zone; readonly span: Span }>;
  show(stats: Stats, ctx: ViewContext): Promise<MessagePayload>;
}

async function figures(caller: Caller, desk: StatsDesk, reply: Reply, wanted: Wanted): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { dailySums, now } = desk;
  const { guild, store } = await desk.connected(guildId);
  const { zone, span } = await wanted.days(guild);
  try {
    const of = { guildId, store: String(guild.token?.since), zone };
    const stats = await statsOf(of, span, {
      dailySums,
      now,
      reading: (work) => withReading(caller, desk, reply, store, work),
    });
    return await wanted.show(stats, callerView(guild.settings, locale));
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    if (error.end === "cancelled") return exportCancelled("stats", locale);
    throw new ProblemError({ code: lateProblems[error.end] });
  }
}

/**
 * Answers with the figures of a period, in days of the server's time zone. Throws a `ProblemError`, `StoreError` or
 * `StorageError`.
 */
export function statsAnswer(caller: Caller, desk: StatsDesk, reply: Reply, period: Period): Promise<MessagePayload> {
  return figures(caller, desk, reply, {
    async days(guild) {
      // A server without a zone of its own uses the one of its digests, because digests had zones before servers did.
      const zone = zoneOf(guild.settings.timezone ? zoneNameOf(guild) : digestZoneNameOf(guild));
      return { zone, span: spanOf(period, zone.dayOf(desk.now())) };
    },
    async show(stats, ctx) {
      const picture = stats.sums.orders > 0 ? await pictureOf(stats, ctx.locale, desk.log) : undefined;
      return statsCard(stats, ctx, picture);
    },
  });
}

/**
 * Answers **Details** with what the figures are made of, for the days and the zone in the button. Throws as {@link
 * statsAnswer}.
 */
export function statsDetailsAnswer(
  press: Press<Span & { readonly zone: string }>,
  desk: StatsDesk,
  reply: Reply,
): Promise<MessagePayload> {
  return figures(press, desk, reply, {
    async days() {
      const name = zoneName(press.args.zone);
      const zone = name === undefined ? undefined : zoneOf(name);
      const span = zone && spanNamed(press.args, zone.dayOf(desk.now()));
      if (zone === undefined || span === undefined) throw new ProblemError({ code: "unknown_action" });
      return { zone, span };
    },
    show: async (stats, ctx) => statsDetails(stats, ctx),
  });
}
