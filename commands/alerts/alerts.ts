import { pollStatusOf } from "../../src/alerts/poll-status.ts";
import type { ChosenAlerts } from "../../src/baseline/turn-on.ts";
import { type Choice, mostChoices } from "../../src/basics/choices.ts";
import { type Caller, isManager } from "../../src/discord/commands/caller.ts";
import { defineCommand, execute, type Press } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import { alertsDeed } from "../../src/handling/audit-log.ts";
import { texts } from "../../src/locales/texts.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { earlierOrders } from "../../src/views/alerts/server-notice.ts";
import { button } from "../../src/views/parts/components.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import { confirmation, notice } from "../../src/views/parts/notice.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { problemText } from "../../src/views/parts/problem.ts";
import { suggest } from "../../src/views/parts/suggest.ts";
import {
  alertTriggers,
  type ChannelProblems,
  channelProblemLines,
  isChannelClosed,
  unknownStatusLines,
} from "../../src/views/settings/set-up.ts";
import { alertFacts, alertsStatusNotice } from "../../src/views/settings/status-notices.ts";
import {
  alertProblemsOf,
  alertsOf,
  channelProblemsOf,
  inspectFor,
  mayMention,
  requireInspection,
  tryInspect,
} from "../alert-target.ts";
import { channelOption, recentOrders } from "../options.ts";
import { statusesFor, statusesIn, statusesSeen, suggestStatuses, unknownStatuses } from "../typed-statuses.ts";
import { remind } from "./remind.ts";
import { route } from "./route.ts";

const ids = customIds.alerts.buttons;

function lacking({ missing }: ChannelProblems, again: string, { locale }: Caller): MessagePayload {
  const body = problemText({ code: "forbidden", missing }, locale);
  return notice({ body, tone: "error" }, button(again, texts(locale).common.tryAgain, { style: "Primary" }));
}

/** Shows `lines`, then the settings of alerts. `left`: problems that do not keep the bot from posting. `warnings`: markdown. */
async function restated(
  caller: Caller,
  services: Services,
  lines: readonly string[],
  { left, warnings = [] }: { readonly left?: ChannelProblems; readonly warnings?: readonly string[] } = {},
) {
  const { locale } = caller;
  const { common, setUp } = texts(locale);
  const { alerts } = await services.guilds.get(caller.guildId);
  const silent = alerts && left ? channelProblemLines(left, alerts, locale) : [];
  const buttons = [
    ...(silent.length > 0 ? [button(ids.look.make({}), common.tryAgain, { style: "Primary" })] : []),
    ...(alerts?.roleId === undefined ? [] : [button(ids["no-role"].make({}), setUp.noRole)]),
  ];
  const body = [...lines, ...(alerts ? [alertFacts(alerts, locale)] : []), ...warnings, ...silent];
  return notice({ body: body.join("\n"), tone: warnings.length + silent.length > 0 ? "warn" : "ok" }, ...buttons);
}

/** `notes` are lines of markdown. */
async function set(
  caller: Caller,
  services: Services,
  chosen: ChosenAlerts,
  { notes = [], isConfirmed = false }: { readonly notes?: readonly string[]; readonly isConfirmed?: boolean } = {},
) {
  const { guildId, locale } = caller;
  const { guild } = await services.connected();
  const { channelId } = chosen;
  const role = chosen.roleId ?? guild.alerts?.roleId ?? guildId;
  const isMoved = channelId !== guild.alerts?.channelId;
  const { look, problems } = await inspectFor(caller, services, guild, {
    channelId,
    roleId: role === guildId ? undefined : role,
    role: chosen.roleId !== undefined ? "named" : isMoved ? "carried" : undefined,
    showsCustomers: true,
  });
  if (isChannelClosed(problems)) {
    const again = ids.again.make({ session: await services.unconfirmed.keep(caller, chosen) });
    return lacking(problems, again, caller);
  }
  // Somebody else may have set another role since. So for a caller without Manage Server, the role inspected above is stored.
  const settings: ChosenAlerts = { ...chosen, roleId: isManager(caller) ? chosen.roleId : role };
  const say = texts(locale).settings;
  const channel = `<#${channelId}>`;
  const unknown = chosen.statuses && unknownStatuses(chosen.statuses, statusesSeen(await recentOrders(services)));
  const warnings = unknownStatusLines(unknown ?? [], locale);
  if (problems.showsCustomers && !isConfirmed) {
    const session = await services.unconfirmed.keep(caller, settings);
    return confirmation(
      { body: [say.publicChannel(channel), ...notes, ...warnings].join("\n") },
      { confirm: ids.set.make({ session }), cancel: ids.keep.make({ session }) },
      locale,
    );
  }
  const { isNew, ...turnedOn } = await services.attempts(caller, () =>
    services.alerts.turnOn(guildId, services.connected, settings),
  );
  const { alerts: now } = await services.guilds.get(guildId);
  await services.auditLog.note(caller, alertsDeed(guild.alerts, now));
  const lines = [
    say.alertsSet(channel),
    ...(isNew ? earlierOrders(turnedOn, locale) : []),
    ...notes,
    ...(look?.isPublic ? [say.isPublic(channel)] : []),
  ];
  return restated(caller, services, lines, { left: problems, warnings });
}

/** If `work` fails, the person can press again. */
const answerOnce = (
  press: Press<{ readonly session: string }>,
  { unconfirmed }: Services,
  work: (chosen: ChosenAlerts) => Promise<MessagePayload>,
): Promise<MessagePayload> =>
  unconfirmed.use(press.args.session, press, async (chosen) => {
    const answer = await work(chosen);
    // If the session cannot be deleted, it expires after a day.
    await unconfirmed.take(press.args.session, press).catch(() => undefined);
    return answer;
  });

function ringChoices(typed: string, { locale }: Caller, recent: readonly Order[]): Choice[] {
  const { trigger: names } = texts(locale).setUp;
  return suggest(typed, alertTriggers, (trigger) => ({
    name: names[trigger],
    value: statusesFor(trigger, recent).join(","),
  }));
}

/** If a person changes the text of a suggestion, Discord sends the text, and not the suggestion's value. */
async function triggersTyped(
  typed: string,
  caller: Caller,
  services: Services,
): Promise<readonly string[] | undefined> {
  const { locale } = caller;
  const recent = await recentOrders(services);
  const typedOne = typed.trim().toLowerCase();
  const trigger = alertTriggers.find((one) => texts(locale).setUp.trigger[one].toLowerCase() === typedOne);
  return trigger ? statusesFor(trigger, recent) : statusesIn(typed, statusesSeen(recent), locale);
}

async function test(caller: Caller, services: Services): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const guild = await services.guilds.get(guildId);
  const { channelId, roleId } = alertsOf(guild);
  const isFree = roleId === undefined || isManager(caller);
  const look = await (isFree ? tryInspect : requireInspection)(caller, services, { channelId, roleId });
  const problems = channelProblemsOf(look, guild, roleId);
  if (isChannelClosed(problems)) return lacking(problems, ids.test.make({}), caller);
  const mentions = isFree || mayMention(caller, look?.role);
  await services.attempts(caller, () => services.alerts.test(guild, { mentions }));
  const say = texts(locale).settings;
  const notes = mentions ? [] : [say.testUnmentioned(`<@&${roleId}>`)];
  return restated(caller, services, [say.testPosted(`<#${channelId}>`), ...notes], { left: problems });
}

export const alerts = defineCommand("alerts", {
  subcommands: {
    set: execute({
      options: {
        channel: channelOption,
        role: { kind: "role" },
        statuses: {
          kind: "string",
          max: 500,
          async suggest(typed, caller, services) {
            const recent = await recentOrders(services);
            const single = suggestStatuses(typed, statusesSeen(recent), caller.locale);
            return [...ringChoices(typed, caller, recent), ...single].slice(0, mostChoices);
          },
        },
      },
      async run(caller, services) {
        const { guildId, locale, options } = caller;
        // The server's own id stands for @everyone, which the bot never mentions.
        const isEveryone = options.role === guildId;
        const settings: ChosenAlerts = {
          channelId: options.channel,
          ...(isEveryone ? {} : { roleId: options.role }),
          statuses: options.statuses ? await triggersTyped(options.statuses, caller, services) : undefined,
        };
        return set(caller, services, settings, isEveryone ? { notes: [texts(locale).setUp.everyoneStays] } : {});
      },
    }),

    off: execute({
      async run(caller, services) {
        const { guildId, locale } = caller;
        const guild = await services.guilds.get(guildId);
        // Runs even if alerts are off, because an earlier `/alerts off` may have been interrupted.
        const dropped = await services.alerts.turnOff(guildId);
        const before = alertsOf(guild);
        await services.auditLog.note(caller, { did: "alerts_off" });
        const say = texts(locale).settings;
        const lines = [
          say.alertsOff,
          ...(dropped > 0 ? [say.alertsDropped(dropped)] : []),
          "",
          say.alertsForgotten,
          alertFacts(before, locale),
          say.alertsKept,
        ];
        return notice({ body: lines.join("\n"), tone: "ok" });
      },
    }),

    status: execute({
      async run(caller, services) {
        const { guildId, locale } = caller;
        const guild = await services.guilds.get(guildId);
        const alerts = alertsOf(guild);
        const [status, channelProblems] = await Promise.all([
          services.alerts.status(guildId),
          alertProblemsOf(caller, services, guild),
        ]);
        const polls = pollStatusOf(guild, status, services);
        return alertsStatusNotice({ ...alerts, ...status, ...polls, channelProblems }, locale);
      },
    }),

    test: execute({ run: test }),

    remind,
  },

  groups: { route },

  handlers: {
    buttons: {
      set: (press, services) =>
        answerOnce(press, services, (chosen) => set(press, services, chosen, { isConfirmed: true })),
      keep: (press, services) =>
        answerOnce(press, services, async () => notice(texts(press.locale).settings.publicRefused)),
      /** Somebody may have granted the missing permissions. */
      again: async (press, services) =>
        set(press, services, await services.unconfirmed.find(press.args.session, press)),
      test,
      /** Somebody may have made the role mentionable. */
      async look(press, services) {
        const guild = await services.guilds.get(press.guildId);
        const alerts = alertsOf(guild);
        const left = channelProblemsOf(await tryInspect(press, services, alerts), guild, alerts.roleId);
        return restated(press, services, [`<#${alerts.channelId}>`], { left });
      },
      async "no-role"(press, services) {
        const before = alertsOf(await services.guilds.get(press.guildId));
        const guild = await services.guilds.update(press.guildId, (guild) =>
          guild.alerts ? { ...guild, alerts: { ...guild.alerts, roleId: undefined } } : guild,
        );
        await services.auditLog.note(press, alertsDeed(before, alertsOf(guild)));
        return restated(press, services, [texts(press.locale).setUp.roleGone]);
      },
    },
  },
});
