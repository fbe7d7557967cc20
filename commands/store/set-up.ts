import type { Choice } from "../../src/basics/choices.ts";
import { zoneMenu } from "../../src/basics/zone-choices.ts";
import {
  type AlertTarget,
  assertMayTarget,
  channelProblemsOf,
  requireInspection,
  showsCustomersIn,
  tryInspect,
} from "../../src/discord/commands/alert-target.ts";
import { type Caller, isManager } from "../../src/discord/commands/caller.ts";
import type { Press } from "../../src/discord/commands/define-command.ts";
import type { ChannelInspection } from "../../src/discord/commands/inspect-channel.ts";
import { type Guild, zoneNameOf } from "../../src/guilds/guild.ts";
import { alertsDeed } from "../../src/handling/audit-log.ts";
import { texts } from "../../src/locales/texts.ts";
import type { Services } from "../../src/services.ts";
import type { SetUp } from "../../src/sessions/session-kinds.ts";
import { statusesFor } from "../../src/store-queries/statuses.ts";
import { earlierOrders } from "../../src/views/alerts/server-notice.ts";
import { button, row } from "../../src/views/parts/components.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import { notice } from "../../src/views/parts/notice.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { channelProblemLines, isChannelClosed, setUpPanel } from "../../src/views/settings/set-up.ts";
import { alertFacts } from "../../src/views/settings/status-notices.ts";
import { currencyMenu } from "./currencies.ts";

const placeOf = ({ channelId, roleId }: SetUp): AlertTarget | undefined =>
  channelId === undefined ? undefined : { channelId, roleId };

function assertAllTheirs(caller: Caller, look: ChannelInspection, { channelId, roleId }: SetUp, guild: Guild) {
  assertMayTarget(caller, look, {
    role: roleId === undefined ? undefined : "named",
    showsCustomers: showsCustomersIn(guild),
    isMoved: channelId !== guild.alerts?.channelId,
  });
}

/**
 * Where the command was typed, unless alerts cannot be posted there, everybody would read customers, or it is not for this
 * person to choose.
 */
async function firstChannel(caller: Caller, services: Services, guild: Guild): Promise<string | undefined> {
  const { channelId } = caller;
  // Not worth a refusal of the whole: the channel can be chosen.
  const look = await tryInspect(caller, services, { channelId }).catch(() => undefined);
  if (!look?.isOwn || !look.isText || (look.isPublic && showsCustomersIn(guild))) return undefined;
  return look.canWrite || isManager(caller) ? channelId : undefined;
}

interface Shown {
  readonly session: string;
  readonly chosen: SetUp;
  /** Of the chosen channel; undefined where it cannot be looked at now, and the button finds out. */
  readonly look?: ChannelInspection | undefined;
}

/** The panel as it is now, with what a look at the chosen channel shows. */
async function panel(caller: Caller, services: Services, { session, chosen, look }: Shown): Promise<MessagePayload> {
  const { guildId, locale } = caller;
  const { channelId, roleId, rings } = chosen;
  const guild = await services.guilds.get(guildId);
  const { currency, language } = guild.settings;
  const timezone = zoneNameOf(guild);
  const options = (choices: readonly Choice[]) => choices.map(({ name, value }) => ({ label: name, value }));
  return setUpPanel(
    {
      session,
      last4: guild.token?.last4 ?? "",
      ...(channelId === undefined ? {} : { channelId }),
      ...(roleId === undefined ? {} : { roleId }),
      rings,
      language,
      ...(currency === undefined ? {} : { currency }),
      currencies: options(currencyMenu(locale, currency)),
      timezone,
      timezones: options(zoneMenu(locale, services.now(), timezone)),
      ...(channelId === undefined ? {} : { channelProblems: channelProblemsOf(look, guild) }),
    },
    locale,
  );
}

/** As it is now, unless Discord does not say. */
async function lookAtChosen(caller: Caller, services: Services, chosen: SetUp): Promise<ChannelInspection | undefined> {
  const place = placeOf(chosen);
  return place && (await tryInspect(caller, services, place).catch(() => undefined));
}

/** The answer to a token that was accepted: everything that the first alert takes, with what makes sense chosen already. */
export async function beginSetUp(caller: Caller, services: Services, guild: Guild): Promise<MessagePayload> {
  const chosen: SetUp = { channelId: await firstChannel(caller, services, guild), rings: "both" };
  const session = await services.setUps.keep(caller, chosen);
  return panel(caller, services, { session, chosen, look: await lookAtChosen(caller, services, chosen) });
}

/** The set-up that a press is about. */
export interface OfSetUp {
  readonly session: string;
}

type Change = (chosen: SetUp) => SetUp;

/** A menu was used: what it changes is kept, and the panel shows it. */
export async function changeSetUp(
  press: Press<OfSetUp>,
  services: Services,
  change: Change = (chosen) => chosen,
): Promise<MessagePayload> {
  const { session } = press.args;
  const chosen = await services.setUps.change(session, press, change);
  return panel(press, services, { session, chosen, look: await lookAtChosen(press, services, chosen) });
}

/**
 * As {@link changeSetUp}, for where alerts are to go. Throws a `ProblemError` for what is not this person's to choose. It is
 * kept all the same, because it stands in their menu, and the button refuses it as well.
 */
export async function chooseInSetUp(
  press: Press<OfSetUp>,
  services: Services,
  change: Change,
): Promise<MessagePayload> {
  const { session } = press.args;
  const chosen = await services.setUps.change(session, press, change);
  const look = await lookAtChosen(press, services, chosen);
  if (look) assertAllTheirs(press, look, chosen, await services.guilds.get(press.guildId));
  return panel(press, services, { session, chosen, look });
}

/**
 * Turns alerts on as chosen, and posts a sample. Where something is in the way, nothing is changed, and the panel says
 * what. That customers are shown where everybody reads takes a press that confirms it, for the channel that is chosen now.
 */
export async function sendSample(
  press: Press<OfSetUp & { readonly confirmedChannel?: string | undefined }>,
  services: Services,
): Promise<MessagePayload> {
  const { guildId, locale } = press;
  const { session, confirmedChannel } = press.args;
  const chosen = await services.setUps.find(session, press);
  const { channelId, roleId, rings } = chosen;
  const { guild, store, cache } = await services.connected(guildId);
  if (channelId === undefined) return panel(press, services, { session, chosen });
  const place = { channelId, roleId };
  const look = await requireInspection(press, services, place);
  if (look) assertAllTheirs(press, look, chosen, guild);
  const problems = channelProblemsOf(look, guild);
  const isToConfirm = confirmedChannel === undefined ? problems.showsCustomers : confirmedChannel !== channelId;
  if (isChannelClosed(problems) || isToConfirm) return panel(press, services, { session, chosen, look });
  const statuses = statusesFor(rings, await cache.recentOrders(guildId, store));
  const turnedOn = await services.attempts(press, async () => {
    // The server's own id takes away a role that was chosen before.
    const done = await services.alerts.turnOn(guildId, store, { channelId, roleId: roleId ?? guildId, statuses });
    const now = await services.guilds.get(guildId);
    // Alerts stay on where the sample cannot be posted.
    await services.auditLog.note(press, alertsDeed(guild.alerts, now.alerts));
    // What was looked at is what is mentioned, also where others choose another role meanwhile.
    await services.alerts.test(now, { mentions: now.alerts?.roleId === roleId });
    return done;
  });
  const { common, setUp: say } = texts(locale);
  const notes = channelProblemLines(problems, place, locale);
  const lines = [
    say.done(`<#${channelId}>`),
    alertFacts({ roleId, statuses }, locale),
    ...earlierOrders(turnedOn, locale),
    ...notes.map((line) => `⚠️ ${line}`),
  ];
  const change = button(customIds.store.buttons.change.make({ session }), say.change);
  const again = button(customIds.store.buttons.sample.make(press.args), common.tryAgain, { style: "primary" });
  return notice({ title: say.doneTitle, body: lines.join("\n"), tone: notes.length > 0 ? "warn" : "ok" }, [
    row(...(notes.length > 0 ? [again, change] : [change])),
  ]);
}
