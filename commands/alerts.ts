import { ChannelType } from "@discordjs/core";
import { progressOf } from "../src/alerts/progress.ts";
import type { ChosenAlerts } from "../src/alerts/turn-on.ts";
import type { Choice } from "../src/basics/choices.ts";
import { searchFor } from "../src/basics/choices.ts";
import { defineCommand, execute } from "../src/define.ts";
import { assertTheirs, glance, hurdlesOf, lookFor, showsCustomersIn } from "../src/discord/alert-place.ts";
import { assertMayShowCustomers, mayMention } from "../src/discord/channel-rules.ts";
import type { Caller } from "../src/discord/define-command.ts";
import { isManager } from "../src/discord/is-manager.ts";
import type { Services } from "../src/services.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { statusesFor } from "../src/store-queries/ring-statuses.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "../src/store-queries/statuses.ts";
import { setUp } from "../src/views/catalogue/set-up.ts";
import { setup } from "../src/views/catalogue/setup.ts";
import { button, row } from "../src/views/components.ts";
import { customId } from "../src/views/custom-id.ts";
import { notice } from "../src/views/notice.ts";
import type { MessagePayload } from "../src/views/payload.ts";
import { permissionNames } from "../src/views/permissions.ts";
import { ProblemError, problemText } from "../src/views/problem.ts";
import { allRings, type Hurdles, hurdleLines, isClosed } from "../src/views/set-up.ts";
import { alertFacts, alertsStatusNotice, confirmation } from "../src/views/setup.ts";

/** What is missing, and a button that tries again. `again` is its custom id. */
function lacking({ missing }: Hurdles, again: string, { locale }: Caller): MessagePayload {
  const body = problemText({ code: "forbidden", permissions: permissionNames(missing, locale) }, locale);
  return notice({ body, tone: "error" }, [row(button(again, setUp[locale].tryAgain, { style: "primary" }))]);
}

/** What is still in the way of a whole alert, though it rings. */
type Left = Pick<Hurdles, "missing" | "isRoleSilent">;
const nothingLeft: Left = { missing: [], isRoleSilent: false };

/** What is set now, said again below `lines`, with a button for what may be wanted next. */
async function restated(caller: Caller, services: Services, lines: readonly string[], left: Left) {
  const { locale } = caller;
  const say = setUp[locale];
  const { alerts } = await services.guilds.get(caller.guildId);
  const silent = alerts ? hurdleLines(left, alerts, locale) : [];
  const buttons = [
    ...(silent.length > 0 ? [button(customId("alerts", "look"), say.tryAgain, { style: "primary" })] : []),
    ...(alerts?.roleId === undefined ? [] : [button(customId("alerts", "no-role"), say.noRole)]),
  ];
  const body = [...lines, ...(alerts ? [alertFacts(alerts, locale)] : []), ...silent.map((line) => `⚠️ ${line}`)];
  return notice(
    { body: body.join("\n"), tone: silent.length > 0 ? "warn" : "ok" },
    buttons.length > 0 ? [row(...buttons)] : [],
  );
}

async function turnOn(
  caller: Caller,
  services: Services,
  settings: ChosenAlerts,
  { notes, left }: { /** Finished markdown, a line each. */ readonly notes: readonly string[]; readonly left: Left },
) {
  const { guildId, locale } = caller;
  const { store } = await services.connected(guildId);
  const { pending, complete, isNew } = await services.attempts(caller, () =>
    services.alerts.turnOn(guildId, store, settings),
  );
  const say = setup[locale];
  const channel = `<#${settings.channelId}>`;
  const count = `${pending.toLocaleString(locale)}${complete ? "" : "+"}`;
  const done = isNew ? say.alertsSet(channel, count) : say.alertsMovedTo(channel);
  return restated(caller, services, [done, ...notes], left);
}

/** @param notes finished markdown, a line each */
async function set(caller: Caller, services: Services, chosen: ChosenAlerts, notes: readonly string[] = []) {
  const { guildId, locale } = caller;
  const { guild } = await services.connected(guildId);
  const { channelId } = chosen;
  const role = chosen.roleId ?? guild.alerts?.roleId ?? guildId;
  const look = await lookFor(caller, services, { channelId, roleId: role === guildId ? undefined : role });
  // Alerts that stay where they are keep their role, whoever chose it.
  const cameAs = chosen.roleId !== undefined ? "named" : channelId !== guild.alerts?.channelId ? "carried" : undefined;
  const isMoved = channelId !== guild.alerts?.channelId;
  if (look) assertTheirs(caller, look, { role: cameAs, showsCustomers: showsCustomersIn(guild), isMoved });
  const hurdles = hurdlesOf(look, guild);
  if (isClosed(hurdles)) {
    const again = customId("alerts", "again", await services.unconfirmed.keep(caller, chosen));
    return lacking(hurdles, again, caller);
  }
  // What was looked at is what rings, whatever role others choose meanwhile.
  const settings: ChosenAlerts = { ...chosen, roleId: isManager(caller) ? chosen.roleId : role };
  const say = setup[locale];
  const channel = `<#${channelId}>`;
  if (!hurdles.showsCustomers) {
    const all = [...notes, ...(look?.isPublic ? [say.isPublic(channel)] : [])];
    return turnOn(caller, services, settings, { notes: all, left: hurdles });
  }
  const name = await services.unconfirmed.keep(caller, settings);
  return confirmation(
    { body: [say.publicChannel(channel), ...notes].join("\n") },
    { confirm: customId("alerts", "set", name), cancel: customId("alerts", "keep", name) },
    locale,
  );
}

/** New, paid or both, in words; the store's own statuses stand behind them. */
function ringChoices(typed: string, { locale }: Caller, recent: readonly Order[]): Choice[] {
  const isWanted = searchFor(typed);
  return allRings
    .filter((rings) => isWanted(setUp[locale].ring[rings]))
    .map((rings) => ({ name: setUp[locale].ring[rings], value: statusesFor(rings, recent).join(",") }))
    .filter(({ value }) => value.length <= 100);
}

/** A suggestion's name stands for what it suggests: Discord sends it where somebody types on and goes back. */
async function statusesTyped(
  typed: string,
  caller: Caller,
  services: Services,
): Promise<readonly string[] | undefined> {
  const { guildId, locale } = caller;
  const { store } = await services.connected(guildId);
  const recent = await services.catalog.recentOrders(guildId, store);
  const rings = allRings.find((one) => setUp[locale].ring[one].toLowerCase() === typed.trim().toLowerCase());
  return rings ? statusesFor(rings, recent) : statusesIn(typed, statusesSeen(recent), locale);
}

async function test(caller: Caller, services: Services): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const guild = await services.guilds.get(guildId);
  if (!guild.alerts) throw new ProblemError({ code: "alerts_off" });
  const { channelId, roleId } = guild.alerts;
  const isFree = roleId === undefined || isManager(caller);
  const look = await (isFree ? glance : lookFor)(caller, services, { channelId, roleId });
  const hurdles = hurdlesOf(look, guild);
  if (isClosed(hurdles)) return lacking(hurdles, customId("alerts", "test"), caller);
  const mentions = isFree || mayMention(caller, look?.role);
  await services.attempts(caller, () => services.alerts.test(guild, { mentions }));
  const say = setup[locale];
  const notes = mentions ? [] : [say.testUnmentioned(`<@&${roleId}>`)];
  return restated(caller, services, [say.testPosted(`<#${channelId}>`), ...notes], hurdles);
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
          async suggest(typed, caller, services) {
            const { store } = await services.connected(caller.guildId);
            const recent = await services.catalog.recentOrders(caller.guildId, store);
            const single = suggestStatuses(typed, statusesSeen(recent), caller.locale);
            return [...ringChoices(typed, caller, recent), ...single].slice(0, 25);
          },
        },
      },
      answer: "ephemeral",
      async run(caller, services) {
        const { guildId, locale, options } = caller;
        // The server's own id is the role @everyone, which the bot never mentions.
        const isEveryone = options.role === guildId;
        const settings: ChosenAlerts = {
          channelId: options.channel,
          ...(isEveryone ? {} : { roleId: options.role }),
          statuses: options.statuses ? await statusesTyped(options.statuses, caller, services) : undefined,
        };
        return set(caller, services, settings, isEveryone ? [setUp[locale].everyoneStays] : []);
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

    test: execute({ options: {}, answer: "ephemeral", run: test }),
  },

  components: {
    set: {
      answer: "update",
      async run(press, services) {
        const [name = ""] = press.args;
        const { channelId, roleId } = await services.unconfirmed.find(name, press);
        // They may have lost the permission since they were asked.
        assertMayShowCustomers(press, true);
        const { guild } = await services.connected(press.guildId);
        const place = { channelId, roleId: roleId ?? guild.alerts?.roleId };
        const left = hurdlesOf(await glance(press, services, place), guild);
        // Whoever has to wait until Discord may be asked again keeps the question.
        const settings = await services.unconfirmed.take(name, press);
        const notes = [setup[press.locale].isPublic(`<#${channelId}>`)];
        return turnOn(press, services, settings, { notes, left });
      },
    },
    keep: {
      answer: "update",
      async run(press, services) {
        await services.unconfirmed.take(press.args[0] ?? "", press);
        return notice(setup[press.locale].publicRefused);
      },
    },
    /** What was missing may be there by now. */
    again: {
      answer: "update",
      run: async (press, services) => set(press, services, await services.unconfirmed.find(press.args[0] ?? "", press)),
    },
    test: { answer: "update", run: test },
    /** The role may ring by now. */
    look: {
      answer: "update",
      async run(press, services) {
        const guild = await services.guilds.get(press.guildId);
        if (!guild.alerts) throw new ProblemError({ code: "alerts_off" });
        const left = hurdlesOf(await glance(press, services, guild.alerts), guild);
        return restated(press, services, [`<#${guild.alerts.channelId}>`], left);
      },
    },
    "no-role": {
      answer: "update",
      async run(press, services) {
        const { alerts } = await services.guilds.update(press.guildId, (guild) =>
          guild.alerts ? { ...guild, alerts: { ...guild.alerts, roleId: undefined } } : guild,
        );
        if (!alerts) throw new ProblemError({ code: "alerts_off" });
        return restated(press, services, [setUp[press.locale].roleGone], nothingLeft);
      },
    },
  },
});
