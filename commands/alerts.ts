import { ChannelType } from "@discordjs/core";
import type { ChosenAlerts } from "../src/alerts/turn-on.ts";
import type { Caller } from "../src/discord/define-command.ts";
import { ProblemError } from "../src/discord/problem-error.ts";
import { setup } from "../src/views/catalogue/setup.ts";
import { customId } from "../src/views/custom-id.ts";
import { notice } from "../src/views/notice.ts";
import { alertsStatusNotice, confirmation } from "../src/views/setup.ts";
import { defineCommand, execute } from "./define.ts";
import { progressOf } from "./progress.ts";
import type { Services } from "./services.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "./statuses.ts";

async function turnOn(caller: Caller, services: Services, settings: ChosenAlerts, isPublic: boolean) {
  const { store } = await services.connected(caller.guildId);
  const { pending, complete, isNew } = await services.alerts.turnOn(caller.guildId, store, settings);
  const say = setup[caller.locale];
  const channel = `<#${settings.channelId}>`;
  const count = `${pending.toLocaleString(caller.locale)}${complete ? "" : "+"}`;
  const done = isNew ? say.alertsSet(channel, count) : say.alertsMovedTo(channel);
  return notice({ body: isPublic ? `${done}\n${say.isPublic(channel)}` : done, tone: "ok" });
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
      async run(caller, services) {
        const { guildId, locale, options } = caller;
        const { guild, store } = await services.connected(guildId);
        const seen = options.statuses ? await services.catalog.recentOrders(guildId, store) : [];
        const settings: ChosenAlerts = {
          channelId: options.channel,
          roleId: options.role,
          statuses: statusesIn(options.statuses, statusesSeen(seen)),
        };
        const hidesCustomers = guild.settings.privacy === "none";
        // Who can read the channel may not be known: then nothing is said, and customers are shown only when confirmed.
        const isPublic = await services.isPublic(guildId, options.channel).catch(() => !hidesCustomers);
        if (!isPublic || hidesCustomers) return turnOn(caller, services, settings, isPublic);
        const name = await services.unconfirmed.keep(caller, settings);
        return confirmation(
          { body: setup[locale].publicChannel(`<#${options.channel}>`) },
          { confirm: customId("alerts", "set", name), cancel: customId("alerts", "keep", name) },
          locale,
        );
      },
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
      async run({ guildId, locale }, services) {
        const guild = await services.guilds.get(guildId);
        if (!guild.alerts) throw new ProblemError({ code: "alerts_off" });
        await services.alerts.test(guild);
        return notice({ body: setup[locale].testPosted(`<#${guild.alerts.channelId}>`), tone: "ok" });
      },
    }),
  },

  components: {
    set: {
      answer: "update",
      async run(press, services) {
        return turnOn(press, services, await services.unconfirmed.take(press.args[0] ?? "", press), true);
      },
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
