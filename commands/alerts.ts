import { ChannelType } from "@discordjs/core";
import { MessengerError } from "../src/alerts/messenger.ts";
import { isBlockage } from "../src/alerts/troubles.ts";
import type { ChosenAlerts } from "../src/alerts/turn-on.ts";
import type { ChannelLook } from "../src/discord/channel-look.ts";
import type { Caller } from "../src/discord/define-command.ts";
import { ProblemError } from "../src/discord/problem-error.ts";
import { setup } from "../src/views/catalogue/setup.ts";
import { customId } from "../src/views/custom-id.ts";
import { notice } from "../src/views/notice.ts";
import type { MessagePayload } from "../src/views/payload.ts";
import { alertsStatusNotice, confirmation } from "../src/views/setup.ts";
import { assertMayShowCustomers, mayMention } from "./channel-rules.ts";
import { defineCommand, execute } from "./define.ts";
import { isManager } from "./is-manager.ts";
import { progressOf } from "./progress.ts";
import type { Services } from "./services.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "./statuses.ts";

/** Undefined where Discord does not say, which keeps only those from going on who may not decide it anyway. */
async function lookFor(caller: Caller, services: Services, channelId: string, roleId: string | undefined) {
  const { guildId, userId, roleIds } = caller;
  try {
    return await services.lookAt({ guildId, channelId, roleId, userId, roleIds });
  } catch (error) {
    // The bot cannot see the channel: a message there would be refused as well.
    if (!(error instanceof MessengerError) || isBlockage(error.code)) throw error;
    if (!isManager(caller)) throw new ProblemError({ code: "discord_silent" });
    return undefined;
  }
}

/**
 * Nobody makes the bot ring, mention or show customers where the server would not let them do so themselves.
 *
 * @param ask.namesRole the role was named now; one that is kept from before may be gone, and is then nobody's concern
 */
function assertTheirs(
  caller: Caller,
  { isOwn, isTheirs, isPublic, role }: ChannelLook,
  ask: { readonly namesRole: boolean; readonly showsCustomers: boolean },
) {
  if (!isOwn) throw new ProblemError({ code: "foreign_channel" });
  if (!isTheirs && !isManager(caller)) throw new ProblemError({ code: "channel_not_theirs" });
  if (ask.namesRole && !role) throw new ProblemError({ code: "foreign_role" });
  if (role && !mayMention(caller, role)) throw new ProblemError({ code: "role_not_theirs" });
  if (ask.showsCustomers) assertMayShowCustomers(caller, isPublic);
}

/** @param notes finished markdown, a line each */
async function turnOn(caller: Caller, services: Services, settings: ChosenAlerts, notes: readonly string[]) {
  const { store } = await services.connected(caller.guildId);
  const { pending, complete, isNew } = await services.alerts.turnOn(caller.guildId, store, settings);
  const say = setup[caller.locale];
  const channel = `<#${settings.channelId}>`;
  const count = `${pending.toLocaleString(caller.locale)}${complete ? "" : "+"}`;
  const done = isNew ? say.alertsSet(channel, count) : say.alertsMovedTo(channel);
  return notice({ body: [done, ...notes].join("\n"), tone: "ok" });
}

interface SetOptions {
  readonly channel: string;
  readonly role?: string;
  readonly statuses?: string;
}

async function set(caller: Caller, services: Services, options: SetOptions): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { guild, store } = await services.connected(guildId);
  const showsCustomers = guild.settings.privacy !== "none";
  const role = options.role ?? guild.alerts?.roleId ?? guildId;
  // Alerts that stay where they are keep their role, whoever chose it. @everyone, whose id is the server's, is none.
  const isKept = options.role === undefined && options.channel === guild.alerts?.channelId;
  const roleId = isKept || role === guildId ? undefined : role;
  const namesRole = roleId !== undefined && roleId === options.role;
  const look = await lookFor(caller, services, options.channel, roleId);
  if (look) assertTheirs(caller, look, { namesRole, showsCustomers });
  const seen = options.statuses ? await services.catalog.recentOrders(guildId, store) : [];
  const settings: ChosenAlerts = {
    channelId: options.channel,
    // What was looked at is what rings, whatever role others choose meanwhile.
    roleId: isManager(caller) ? options.role : role,
    statuses: statusesIn(options.statuses, statusesSeen(seen)),
  };
  const say = setup[locale];
  const channel = `<#${options.channel}>`;
  const notes = look?.role?.isMentionable === false ? [say.roleNotMentionable(`<@&${roleId}>`)] : [];
  // Who can read the channel may not be known: then nothing is said, and customers are shown only when confirmed.
  const isPublic = look ? look.isPublic : showsCustomers;
  if (!isPublic) return turnOn(caller, services, settings, notes);
  if (!showsCustomers) return turnOn(caller, services, settings, [say.isPublic(channel), ...notes]);
  const name = await services.unconfirmed.keep(caller, settings);
  return confirmation(
    { body: [say.publicChannel(channel), ...notes].join("\n") },
    { confirm: customId("alerts", "set", name), cancel: customId("alerts", "keep", name) },
    locale,
  );
}

export const alerts = defineCommand({
  name: "alerts",
  subcommands: {
    set: execute({
      options: {
        channel: {
          kind: "channel",
          required: true,
          channelTypes: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
        },
        role: { kind: "role" },
        statuses: {
          kind: "string",
          max: 500,
          async suggest(typed, { guildId }, services) {
            const { store } = await services.connected(guildId);
            return suggestStatuses(typed, statusesSeen(await services.catalog.recentOrders(guildId, store)));
          },
        },
      },
      answer: "ephemeral",
      run: (caller, services) => services.attempts(caller, () => set(caller, services, caller.options)),
    }),

    off: execute({
      options: {},
      answer: "ephemeral",
      async run({ guildId, locale }, services) {
        const { alerts } = await services.guilds.get(guildId);
        if (!alerts) throw new ProblemError({ code: "alerts_off" });
        await services.alerts.turnOff(guildId);
        return notice({ body: setup[locale].alertsOff, tone: "ok" });
      },
    }),

    status: execute({
      options: {},
      answer: "ephemeral",
      async run({ guildId, locale }, services) {
        const guild = await services.guilds.get(guildId);
        if (!guild.alerts) throw new ProblemError({ code: "alerts_off" });
        const status = await services.alerts.status(guildId);
        const { backlog, trouble, owed, followed } = status;
        return alertsStatusNotice(
          {
            ...guild.alerts,
            owed,
            followed,
            backlogCounted: backlog && !backlog.done ? backlog.counted : undefined,
            blockedSince: trouble.blocked?.since,
            ...progressOf(guild, status, services),
          },
          locale,
        );
      },
    }),

    test: execute({
      options: {},
      answer: "ephemeral",
      async run(caller, services) {
        const guild = await services.guilds.get(caller.guildId);
        if (!guild.alerts) throw new ProblemError({ code: "alerts_off" });
        const { channelId, roleId } = guild.alerts;
        const mentions = await services.attempts(caller, async () => {
          const isFree = roleId === undefined || isManager(caller);
          const may = isFree || mayMention(caller, (await lookFor(caller, services, channelId, roleId))?.role);
          await services.alerts.test(guild, { mentions: may });
          return may;
        });
        const say = setup[caller.locale];
        const notes = mentions ? [] : [say.testUnmentioned(`<@&${roleId}>`)];
        return notice({ body: [say.testPosted(`<#${channelId}>`), ...notes].join("\n"), tone: "ok" });
      },
    }),
  },

  components: {
    set: {
      answer: "update",
      run: (press, services) =>
        services.attempts(press, async () => {
          const settings = await services.unconfirmed.take(press.args[0] ?? "", press);
          // They may have lost the permission since they were asked.
          assertMayShowCustomers(press, true);
          return turnOn(press, services, settings, [setup[press.locale].isPublic(`<#${settings.channelId}>`)]);
        }),
    },
    keep: {
      answer: "update",
      async run(press, services) {
        await services.unconfirmed.take(press.args[0] ?? "", press);
        return notice(setup[press.locale].publicRefused);
      },
    },
  },
});
