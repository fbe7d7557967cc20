import { PermissionFlagsBits } from "@discordjs/core";
import type { ChosenAlerts, TurnedOn } from "../../../src/baseline/turn-on.ts";
import { createCache } from "../../../src/basics/limits/cache.ts";
import type { Caller } from "../../../src/discord/commands/caller.ts";
import type { Command } from "../../../src/discord/commands/define-command.ts";
import type { ChannelInspection, InspectionTarget } from "../../../src/discord/commands/inspect-channel.ts";
import { createAttempts } from "../../../src/discord/commands/refused-attempts.ts";
import type { Services } from "../../../src/discord/commands/services.ts";
import type { Guild } from "../../../src/guilds/guild.ts";
import type { Rule } from "../../../src/guilds/rule.ts";
import { MessengerError, type MessengerFailure } from "../../../src/outbox/messenger.ts";
import { callerView } from "../../../src/views/parts/context.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { ProblemError } from "../../../src/views/parts/problem.ts";
import { messageOf, pressJob, typedJob } from "../command-jobs.ts";
import { buttonOf } from "../views-support.ts";

export const guildId = "100000000000000001";
export const channelId = "100000000000000002";
export const roleId = "100000000000000003";

type Look = ChannelInspection | MessengerFailure | MessengerError;

/** A member whom the integration settings allow the commands. `look` decides what the member may do in a channel. */
export const staff: Caller = {
  guildId,
  channelId,
  userId: "100000000000000004",
  roleIds: [],
  permissions: PermissionFlagsBits.ViewChannel | PermissionFlagsBits.MentionEveryone,
  locale: "en",
};
export const manager: Caller = { ...staff, permissions: PermissionFlagsBits.ManageGuild };

/** A channel that only some members can read, in which the bot and the caller may do everything. */
export const fineChannel: ChannelInspection = {
  isOwn: true,
  isText: true,
  missing: [],
  isPublic: false,
  canWrite: true,
};

/** Keeps only the last session. */
export function lastSession<Session>(first?: Session) {
  const sessions = {
    kept: first,
    async keep(_: unknown, session: Session) {
      sessions.kept = session;
      return "AbCdEfGhIjKl";
    },
    async find(): Promise<Session> {
      if (sessions.kept === undefined) throw new ProblemError({ code: "expired" });
      return sessions.kept;
    },
    use: async <T>(
      _: string,
      __: unknown,
      work: (before: Session, keep: (next: Session) => Promise<void>) => Promise<T>,
    ) =>
      work(await sessions.find(), async (next) => {
        sessions.kept = next;
      }),
    async take() {
      const session = await sessions.find();
      sessions.kept = undefined;
      return session;
    },
  };
  return sessions;
}

export type AlertDesk = ReturnType<typeof createAlertDesk>;

/** Of the process. */
const settings = { pollIntervalMs: 15_000, storeHost: "store.example" };

/** Runs commands about alerts in one server. `more`: further services, or others in place of the fakes. */
export function createAlertDesk(more: object = {}) {
  const desk = {
    guild: {
      id: guildId,
      settings: { language: "en", privacy: "masked" },
      token: { sealed: "sealed", last4: "Wx9Z", since: 0 },
    } as Guild,
    look: (): Look | Promise<Look> => fineChannel,
    announcement: undefined as MessengerFailure | undefined,
    /** Runs while alerts are turned on or reminders are set, as a change by another person. */
    meanwhile: (): void => undefined,
    /** Epoch ms. */
    clock: 0,
    looks: 0,
    sent: 0,
    turnedOn: [] as ChosenAlerts[],
    reminders: [] as Guild["remind"][],
    /** For each sample, whether it mentions the role. */
    samples: [] as boolean[],
  };
  const now = () => desk.clock;
  const post = () => {
    desk.sent += 1;
    if (desk.announcement !== undefined) throw new MessengerError(desk.announcement);
  };
  const update = async (_: string, change: (before: Guild) => Guild) => {
    desk.guild = change(desk.guild);
    return desk.guild;
  };
  const fake = {
    guilds: { get: async () => desk.guild, update },
    connected: async () => ({
      guildId,
      guild: desk.guild,
      store: { capabilities: { of: () => undefined } },
      cache: { recentOrders: async () => [] },
      view: callerView(desk.guild.settings, "en"),
    }),
    alerts: {
      connect: async () => ({ guild: desk.guild, isOther: false }),
      changeSettings: (id: string, change: (settings: Guild["settings"]) => Guild["settings"]) =>
        update(id, (before) => ({ ...before, settings: change(before.settings) })),
      async turnOn(_: string, __: unknown, chosen: ChosenAlerts) {
        post();
        desk.turnedOn.push(chosen);
        const { alerts } = desk.guild;
        const { channelId, roleId = alerts?.roleId, statuses = alerts?.statuses ?? ["PENDING"] } = chosen;
        const rings = roleId === guildId ? undefined : roleId;
        desk.guild = { ...desk.guild, alerts: { channelId, roleId: rings, statuses: [...statuses], since: 0 } };
        desk.meanwhile();
        return { pending: 0, complete: true, isNew: true };
      },
      /** Number of alerts that waited. */
      turnOff: async () => 3,
      async changeRules(_: string, __: unknown, change: (routes: readonly Rule[]) => readonly Rule[]) {
        desk.guild = { ...desk.guild, routes: [...change(desk.guild.routes ?? [])] };
      },
      status: async () => ({ planned: 0, followed: 0, lastGoodAt: now(), blockedElsewhere: new Map() }),
      async remind(_: string, change: (before: Guild["remind"]) => Guild["remind"]) {
        desk.meanwhile();
        desk.reminders.push(change(desk.guild.remind));
        return desk.reminders.at(-1);
      },
      async test(_: Guild, { mentions }: { mentions: boolean }) {
        post();
        desk.samples.push(mentions);
      },
    },
    now,
    ...settings,
    async inspectChannel({ roleId }: InspectionTarget) {
      desk.looks += 1;
      const seen = await desk.look();
      if (typeof seen === "string") throw new MessengerError(seen);
      if (seen instanceof MessengerError) throw seen;
      return roleId === undefined ? { ...seen, role: undefined } : seen;
    },
    unconfirmed: lastSession<ChosenAlerts>(),
    auditLog: { note: async () => undefined },
    attempts: createAttempts(now),
    samples: createCache<TurnedOn>({ keptMs: 60_000, most: 10 }, now),
    ...more,
  };
  const services = fake as unknown as Services;

  return Object.assign(desk, {
    services,
    turnOnAlerts(more: Partial<NonNullable<Guild["alerts"]>> = {}) {
      desk.guild = { ...desk.guild, alerts: { channelId, statuses: ["PENDING"], since: 0, ...more } };
    },
    run: (command: Command, subcommand: string, who: Caller, options: object = {}) =>
      messageOf(typedJob(command, subcommand, who, options), services),
    press: (command: Command, shown: MessagePayload, label: string, who: Caller) =>
      messageOf(pressJob(command, buttonOf(shown, label)?.custom_id ?? "", who), services),
  });
}
