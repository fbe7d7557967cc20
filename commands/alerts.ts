import { ChannelType } from "discord.js";
import { ProblemError } from "../src/discord/problem-error.ts";
import { setup } from "../src/views/catalogue/setup.ts";
import { notice } from "../src/views/notice.ts";
import { alertsStatusNotice } from "../src/views/setup.ts";
import { defineCommand, execute } from "./define.ts";
import { progressOf } from "./progress.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "./statuses.ts";

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
      async run({ guildId, locale, options }, services) {
        const { guild, store } = await services.connected(guildId);
        const statuses = statusesIn(options.statuses) ?? statusesSeen([]);
        const settings = {
          channelId: options.channel,
          statuses,
          ...(options.role === undefined ? {} : { roleId: options.role }),
        };
        const { pending, complete, isNew } = await services.alerts.turnOn(guild, store, settings);
        const say = setup[locale];
        const channel = `<#${options.channel}>`;
        const count = `${pending.toLocaleString(locale)}${complete ? "" : "+"}`;
        return notice({ body: isNew ? say.alertsSet(channel, count) : say.alertsMovedTo(channel), tone: "ok" });
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
            blockedSince: trouble?.blocked?.since,
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
});
