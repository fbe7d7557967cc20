import type { Log } from "../basics/log.ts";
import { zoneOf } from "../basics/zones.ts";
import type { Guild } from "../guilds/guild.ts";
import type { DailySums } from "../reports/daily-sums.ts";
import type { Places } from "../reports/export-places.ts";
import { type Period, spanOf } from "../reports/periods.ts";
import { pictureOf } from "../reports/picture.ts";
import { type StatsProgress, statsOf } from "../reports/stats.ts";
import type { Store } from "../store-api/store-api.ts";
import { callerView } from "../views/context.ts";
import type { MessagePayload } from "../views/payload.ts";
import { ProblemError } from "../views/problem.ts";
import { statsCard, statsProgress } from "../views/stats.ts";
import type { Caller } from "./caller.ts";
import type { Reply } from "./reply.ts";

/** Discord takes 5 edits in 2 s of one answer; a person reads one in 3 s. */
const showEveryMs = 3_000;
/** What is read sooner is shown as it is. */
const firstShownMs = 1_500;

/** What the figures are made of. */
interface StatsDesk {
  connected(guildId: string): Promise<{ readonly guild: Guild; readonly store: Store }>;
  readonly alerts: { digest(guildId: string): Promise<{ readonly timezone: string }> };
  readonly dailySums: DailySums;
  /** A server's exports and figures share one pace. */
  readonly exportPlaces: Pick<Places, "lateMs">;
  readonly statsPlaces: Pick<Places, "enter">;
  readonly log: Pick<Log, "warn">;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Shows how far the reading is, no more often than somebody reads it. */
function shower(reply: Reply, locale: Caller["locale"]) {
  let shownAt = performance.now() + firstShownMs - showEveryMs;
  return async (progress: StatsProgress) => {
    if (performance.now() < shownAt + showEveryMs) return;
    shownAt = performance.now();
    await reply.show(statsProgress(progress, locale)).catch(() => undefined);
  };
}

/**
 * The figures of a period, by the days of the zone in which the server's digests come. Throws a `ProblemError`, `StoreError`
 * or `StorageError`.
 */
export async function statsAnswer(
  caller: Caller,
  desk: StatsDesk,
  reply: Reply,
  period: Period,
): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { dailySums, exportPlaces, statsPlaces, log, now } = desk;
  const { guild, store } = await desk.connected(guildId);
  const zone = zoneOf((await desk.alerts.digest(guildId)).timezone);
  const late = AbortSignal.timeout(Math.max(Math.round(reply.until - performance.now()), 0));
  const signal = AbortSignal.any([late, reply.ending]);
  let leave = () => {};
  try {
    const stats = await statsOf(
      { guildId, store: String(guild.token?.since), zone },
      spanOf(period, zone.dayOf(now())),
      {
        dailySums,
        now,
        reading() {
          leave = statsPlaces.enter(caller);
          return {
            read: (page, limit) => store.listOrders({ page, limit }, signal),
            lateMs: () => exportPlaces.lateMs(guildId),
            signal,
            show: shower(reply, locale),
          };
        },
      },
    );
    const picture = stats.sums.orders > 0 ? await pictureOf(stats, locale, log) : undefined;
    return statsCard(stats, callerView(guild.settings, locale), picture);
  } catch (error) {
    if (late.aborted) throw new ProblemError({ code: "stats_late" });
    if (reply.ending.aborted) throw new ProblemError({ code: "stats_ending" });
    throw error;
  } finally {
    leave();
  }
}
