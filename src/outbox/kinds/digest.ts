import type { Stats } from "../../basics/stats.ts";
import type { Guild } from "../../guilds/guild.ts";
import { channelContext } from "../../orders/channel-context.ts";
import { ConflictError } from "../../orders/guild-lease.ts";
import { keyOf, type RowOf } from "../../orders/outbox-row.ts";
import { pictureOf } from "../../reports/picture.ts";
import { anyVersion } from "../../storage/table.ts";
import { StoreError } from "../../store-api/store-api.ts";
import { customIds } from "../../views/parts/custom-ids.ts";
import { digestPost } from "../../views/reports/stats-card.ts";
import type { ServerContext } from "../context.ts";
import { digestStatesTable, digestZone } from "../digest-due.ts";
import type { MessageKind } from "../kind.ts";

/** A digest that is posted more than this (ms) after its hour says that it is late. */
const lateMs = 10 * 60_000;

const nameOf = ({ every, day }: RowOf<"digest">) => `${every}.${day}`;

/** The time at which the present settings want the digest (epoch ms). */
const dueAt = ({ day, foundAt }: RowOf<"digest">, guild: Guild) =>
  guild.digest?.plan ? digestZone(guild).atHour(day, guild.digest.plan.hour) : foundAt;

export function digestKind(server: ServerContext): MessageKind<"digest"> {
  /** The last sums. They are used again if Discord does not take the digest at once. */
  let made: { readonly of: string; readonly stats: Stats } | undefined;
  return {
    lane: "digest",
    logText: "digest posted",
    orderIds: () => [],
    target({ every }, { token, digest }) {
      const plan = digest?.plan;
      if (token === undefined || plan?.every !== every) return undefined;
      return { channelId: plan.channelId, showsCustomers: false, digest: plan };
    },
    dueInMs: (row, { guild, now }) => dueAt(row, guild) - now,
    marks: (row) => [customIds.stats.buttons.today.make({ of: nameOf(row) })],
    marksOf: ({ marks }) => marks,
    async wanted(row, { guild, stop, store: storeNow }) {
      const of = [keyOf(row), guild.token?.since, digestZone(guild).name].join(" ");
      if (made?.of === of) return row;
      const store = storeNow();
      if (store === undefined) throw new StoreError("unavailable", "GET orders");
      const signal = AbortSignal.any([server.lease.untilOver(), stop]);
      made = { of, stats: await server.digestSums(guild, row, { store, throttle: server.throttle, signal }) };
      return row;
    },
    /** The bare form has no chart, because a file needs one more permission. */
    async render([row], { guild }, isBare) {
      if (row === undefined || made === undefined) throw new ConflictError();
      const { stats } = made;
      const ctx = channelContext(guild);
      const picture = !isBare && stats.sums.orders > 0 ? await pictureOf(stats, ctx.locale, server.log) : undefined;
      const due = dueAt(row, guild);
      const lateFrom = server.now() - due > lateMs ? due : undefined;
      return digestPost(stats, { name: nameOf(row), lateFrom, missed: row.missed }, ctx, picture);
    },
    afterPosted({ every, day }, _, __, { now }) {
      made = undefined;
      const states = server.storage.table(digestStatesTable);
      return { other: states.put(anyVersion(server.guildId), { done: { every, day, at: now } }) };
    },
  };
}
