import { type Caller, isManager } from "../../src/discord/commands/caller.ts";
import type { Press } from "../../src/discord/commands/define-command.ts";
import type { ChannelInspection } from "../../src/discord/commands/inspect-channel.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import { alertsDeed } from "../../src/handling/audit-log.ts";
import { texts } from "../../src/locales/texts.ts";
import type { SetUp } from "../../src/sessions/session-kinds.ts";
import { earlierOrders } from "../../src/views/alerts/server-notice.ts";
import { button } from "../../src/views/parts/components.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import { notice } from "../../src/views/parts/notice.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { channelProblemLines, isChannelClosed, setUpPanel } from "../../src/views/settings/set-up.ts";
import { alertFacts } from "../../src/views/settings/status-notices.ts";
import { assertMayTarget, channelProblemsOf, inspectFor, showsCustomersIn, tryInspect } from "../alert-target.ts";
import { statusesFor } from "../typed-statuses.ts";

const useOf = (place: { readonly channelId: string; readonly roleId?: string | undefined }) =>
  ({ ...place, role: place.roleId === undefined ? undefined : "named", showsCustomers: true }) as const;

interface Shown {
  readonly session: string;
  readonly chosen: SetUp;
  /** Undefined if Discord does not answer, or refuses. */
  readonly look?: ChannelInspection | undefined;
}

async function panel(caller: Caller, services: Services, { session, chosen, look }: Shown): Promise<MessagePayload> {
  const guild = await services.guilds.get(caller.guildId);
  const channelProblems = chosen.channelId === undefined ? undefined : channelProblemsOf(look, guild, chosen.roleId);
  return setUpPanel({ session, ...chosen, guild, now: services.now(), channelProblems }, caller.locale);
}

async function lookAt(caller: Caller, services: Services, { channelId, roleId }: Pick<SetUp, "channelId" | "roleId">) {
  if (channelId === undefined) return undefined;
  // The person can still choose another channel.
  return tryInspect(caller, services, { channelId, roleId }).catch(() => undefined);
}

/**
 * The answer to an accepted token: settings for the first alert, with likely values. The command's channel is filled in if it
 * is a text channel that the person may choose. But if everybody could read customers' data there, no channel is filled in.
 */
export async function beginSetUp(caller: Caller, services: Services, guild: Guild): Promise<MessagePayload> {
  const { channelId } = caller;
  const look = await lookAt(caller, services, { channelId });
  const isFit = look?.isOwn && look.isText && !(look.isPublic && showsCustomersIn(guild));
  const isTheirs = look?.canWrite || isManager(caller);
  const chosen: SetUp = { channelId: isFit && isTheirs ? channelId : undefined, rings: "both" };
  const session = await services.setUps.keep(caller, chosen);
  return panel(caller, services, { session, chosen, look });
}

export interface OfSetUp {
  readonly session: string;
}

/**
 * `isTarget`: the person chose a channel or a role. Throws a `ProblemError` if the person may not choose it. Discord's menu
 * still shows the refused choice, so the choice is stored, and `sendSample` refuses it, too.
 */
export async function changeSetUp(
  press: Press<OfSetUp>,
  services: Services,
  change: (chosen: SetUp) => SetUp = (chosen) => chosen,
  isTarget = false,
): Promise<MessagePayload> {
  const { session } = press.args;
  const chosen = await services.setUps.use(session, press, async (before, keep) => {
    const changed = change(before);
    await keep(changed);
    return changed;
  });
  const look = await lookAt(press, services, chosen);
  const { channelId, roleId } = chosen;
  if (isTarget && look && channelId !== undefined) {
    assertMayTarget(press, look, await services.guilds.get(press.guildId), useOf({ channelId, roleId }));
  }
  return panel(press, services, { session, chosen, look });
}

/**
 * Turns alerts on as chosen, and posts a sample. If the bot cannot post in the channel, nothing changes, and the panel shows
 * why. If everybody could read customers' data in the channel, a second press must confirm the channel.
 */
export async function sendSample(
  press: Press<OfSetUp & { readonly confirmedChannel: string | undefined }>,
  services: Services,
): Promise<MessagePayload> {
  const { guildId, locale } = press;
  const { session, confirmedChannel } = press.args;
  const chosen = await services.setUps.find(session, press);
  const { channelId, roleId, rings } = chosen;
  const { guild, cache } = await services.connected();
  if (channelId === undefined) return panel(press, services, { session, chosen });
  const place = { channelId, roleId };
  const { look, problems } = await inspectFor(press, services, guild, useOf(place));
  const isToConfirm = confirmedChannel === undefined ? problems.showsCustomers : confirmedChannel !== channelId;
  if (isChannelClosed(problems) || isToConfirm) return panel(press, services, { session, chosen, look });
  const statuses = statusesFor(rings, await cache.recentOrders());
  const post = async () => {
    // The server's own id removes the role of an earlier choice.
    const done = await services.alerts.turnOn(guildId, services.connected, {
      channelId,
      roleId: roleId ?? guildId,
      statuses,
    });
    const now = await services.guilds.get(guildId);
    // Alerts stay on even if the sample cannot be posted.
    await services.auditLog.note(press, alertsDeed(guild.alerts, now.alerts));
    // Mention only the role that was checked, because somebody else may have chosen another role since.
    await services.alerts.test(now, { mentions: now.alerts?.roleId === roleId });
    return done;
  };
  // Presses at the same time share one sample. After a problem was solved the key differs, so the person gets a new sample.
  const same = JSON.stringify([session, chosen, problems]);
  const posting = services.samples.get(same, () => services.attempts(press, post));
  const turnedOn = await posting.finally(() => services.samples.forget(same));
  const { common, settings, setUp: say } = texts(locale);
  const notes = channelProblemLines(problems, place, locale);
  const lines = [
    say.done(`<#${channelId}>`),
    alertFacts({ roleId, statuses }, locale),
    ...earlierOrders(turnedOn, locale),
    ...(look?.isPublic ? [settings.isPublic(`<#${channelId}>`)] : []),
    ...notes,
  ];
  const change = button(customIds.store.buttons.change.make({ session }), say.change);
  const again = button(customIds.store.buttons.sample.make(press.args), common.tryAgain, { style: "Primary" });
  return notice(
    { title: say.doneTitle, body: lines.join("\n"), tone: notes.length > 0 ? "warn" : "ok" },
    ...(notes.length > 0 ? [again, change] : [change]),
  );
}
