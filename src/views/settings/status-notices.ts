import { type Locale, languageNames } from "../../basics/locale.ts";
import type { Guild } from "../../guilds/guild.ts";
import { texts } from "../../locales/texts.ts";
import type { Feature } from "../../store-api/capabilities.ts";
import { tellsRefunds } from "../../store-api/order-status.ts";
import type { Store } from "../../store-api/store.ts";
import { statusView } from "../orders/status.ts";
import { button } from "../parts/components.ts";
import { type Failure, failureText } from "../parts/failure.ts";
import { facts, notice } from "../parts/notice.ts";
import { formatNumber } from "../parts/numbers.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { type Problem, problemText } from "../parts/problem.ts";
import { plain } from "../parts/text.ts";
import { relativeTime } from "../parts/time.ts";
import { type ChannelProblems, channelProblemLines } from "./set-up.ts";

function settingFacts(settings: Guild["settings"], locale: Locale) {
  const say = texts(locale).settings;
  const privacy = { none: say.privacyNone, masked: say.privacyMasked, full: say.privacyFull }[settings.privacy];
  return [
    [say.currency, settings.currency ? plain(settings.currency, 10) : say.plainNumbers],
    [say.language, languageNames[settings.language]],
    [say.timezone, settings.timezone ? plain(settings.timezone, 60) : say.noZone],
    [say.privacy, privacy],
    [say.staff, settings.staffRoleId ? `<@&${settings.staffRoleId}>` : say.nobody],
  ] as const;
}

/** `warning` says that everybody can, or perhaps can, read the alert channel. */
export function settingsNotice(settings: Guild["settings"], locale: Locale, warning?: string): MessagePayload {
  const body = facts(settingFacts(settings, locale));
  return notice({
    title: texts(locale).settings.settingsTitle,
    body: warning === undefined ? body : `${body}\n⚠️ ${warning}`,
    tone: warning === undefined ? "ok" : "warn",
  });
}

/** Times are epoch ms. */
export interface PollStatus {
  readonly lastPollAt?: number;
  /** By how many milliseconds the next successful poll is late; 0 if polls are on time. */
  readonly lagMs: number;
  readonly lastError?: { readonly code: Failure; readonly at: number } | undefined;
  /** The last error is later than the last good poll. */
  readonly isFailing: boolean;
}

/** In this time the default schedule has four polls of each server. */
const lateMs = 60_000;

const lastErrorText = ({ code, at }: NonNullable<PollStatus["lastError"]>, locale: Locale) =>
  `${relativeTime(at)} · ${failureText(code, locale)} ${texts(locale).settings.triesAgain}`;

function progressFacts({ lastPollAt, lagMs, lastError }: PollStatus, locale: Locale) {
  const say = texts(locale).settings;
  return [
    [say.lastPoll, lastPollAt === undefined ? say.never : relativeTime(lastPollAt)],
    [say.lag, say.seconds(formatNumber(Math.round(lagMs / 1000), locale))],
    [say.lastError, lastError ? lastErrorText(lastError, locale) : say.noError],
  ] as const;
}

/** `statuses` are in the store's spelling. */
type AlertSettings = NonNullable<Guild["alerts"]>;

function channelText({ channelId }: AlertSettings, blockedSince: number | undefined, locale: Locale) {
  const channel = `<#${channelId}>`;
  if (blockedSince === undefined) return channel;
  return `${channel} · ${texts(locale).settings.blockedSince(relativeTime(blockedSince))}`;
}

export interface StoreStatusView extends PollStatus {
  readonly host: string;
  readonly guild: Pick<Guild, "token" | "settings" | "alerts">;
  readonly refusedSince?: number | undefined;
  readonly blockedSince?: number | undefined;
  /** Keys are ids of channels of rules or digests. Values say when posting there began to fail (epoch ms). */
  readonly blockedElsewhere: ReadonlyMap<string, number>;
  /** The problem of the request that this command just made. Undefined if the store answered. */
  readonly now: Problem | undefined;
  /** Problems of the alert channel and its role. Undefined if alerts are off, or if Discord does not answer in time. */
  readonly channelProblems?: ChannelProblems | undefined;
  readonly capabilities: Pick<Store["capabilities"], "of">;
}

function problemLines(status: StoreStatusView, locale: Locale): string[] {
  const say = texts(locale).setUp;
  const { now, refusedSince, blockedSince, lagMs, lastError, isFailing, channelProblems } = status;
  const { alerts } = status.guild;
  const lines: string[] = [];
  if (refusedSince !== undefined) lines.push(say.tokenRefused(relativeTime(refusedSince)));
  else if (now) lines.push(problemText(now, locale));
  if (alerts && blockedSince !== undefined) {
    lines.push(say.cannotPost(`<#${alerts.channelId}>`, relativeTime(blockedSince)));
  }
  if (alerts && channelProblems) lines.push(...channelProblemLines(channelProblems, alerts, locale));
  for (const [channelId, since] of status.blockedElsewhere) {
    lines.push(say.notPosted(`<#${channelId}>`, relativeTime(since)));
  }
  if (alerts && lines.length === 0) {
    const { seconds, lastError: label } = texts(locale).settings;
    if (lagMs > lateMs) lines.push(say.late(seconds(formatNumber(Math.round(lagMs / 1000), locale))));
    if (lastError && isFailing) lines.push(`${label}: ${lastErrorText(lastError, locale)}`);
  }
  if (status.capabilities.of("page") === false) lines.push(say.onlyPageOne);
  return lines;
}

export function storeStatusLine(status: StoreStatusView, details: string, locale: Locale): MessagePayload {
  const say = texts(locale).setUp;
  const host = plain(status.host, 200);
  const more = button(details, say.details);
  const problems = problemLines(status, locale);
  if (problems.length > 0) return notice({ title: say.notWell, body: problems.join("\n"), tone: "warn" }, more);
  if (!status.guild.alerts) return notice({ body: say.answersOnly(host), tone: "info" }, more);
  const looked = status.lastPollAt === undefined ? texts(locale).settings.never : relativeTime(status.lastPollAt);
  return notice({ body: say.allWell(host, looked), tone: "ok" }, more);
}

export function storeStatusNotice(status: StoreStatusView, locale: Locale): MessagePayload {
  const say = texts(locale).settings;
  const { guild, refusedSince, blockedSince, capabilities } = status;
  function honoured(feature: Feature) {
    const isObeyed = capabilities.of(feature);
    return isObeyed === undefined ? say.notSeenYet : isObeyed ? say.yes : say.filteredHere;
  }
  const token = say.tokenEnding(plain(guild.token?.last4 ?? "", 20));
  const refused = refusedSince === undefined ? "" : ` · ${say.tokenRefusedSince(relativeTime(refusedSince))}`;
  const body = facts([
    [say.store, plain(status.host, 200)],
    [say.token, token + refused],
    [say.answers, status.now ? problemText(status.now, locale) : say.yes],
    [`${say.accepts} · ${say.statusFilter}`, honoured("statuses")],
    [`${say.accepts} · ${say.emailFilter}`, honoured("email")],
    [`${say.accepts} · ${say.pageSize}`, honoured("limit")],
    [`${say.accepts} · ${say.pageNumber}`, capabilities.of("page") === false ? say.onlyPageOne : honoured("page")],
    [say.channel, guild.alerts && channelText(guild.alerts, blockedSince, locale)],
    ...progressFacts(status, locale),
    ...settingFacts(guild.settings, locale),
  ]);
  return notice({ title: say.statusTitle, body, tone: problemLines(status, locale).length > 0 ? "warn" : "ok" });
}

export function alertFacts({ roleId, statuses }: Pick<AlertSettings, "roleId" | "statuses">, locale: Locale): string {
  const say = texts(locale).settings;
  const words = new Set(statuses.map((status) => statusView(status, locale, 40).text));
  return facts([
    [say.role, roleId ? `<@&${roleId}>` : say.nobody],
    [say.statuses, [...words].join(", ")],
    [say.refunds, tellsRefunds(statuses) ? say.refundsAnswered : undefined],
  ]);
}

export interface AlertsStatusView extends PollStatus, AlertSettings {
  readonly blockedSince?: number | undefined;
  /** Undefined if Discord does not answer in time. */
  readonly channelProblems?: ChannelProblems | undefined;
  readonly planned: number;
  readonly followed: number;
  /** Orders of the baseline that were counted so far. Undefined if no baseline is being read. */
  readonly baselineCounted?: number | undefined;
}

export function alertsStatusNotice(status: AlertsStatusView, locale: Locale): MessagePayload {
  const say = texts(locale).settings;
  const { baselineCounted, channelProblems, blockedSince, isFailing, lagMs } = status;
  const warnings = channelProblems ? channelProblemLines(channelProblems, status, locale) : [];
  const channel = facts([[say.channel, channelText(status, blockedSince, locale)]]);
  const work = facts([
    [say.pending, formatNumber(status.planned, locale)],
    [say.followed, formatNumber(status.followed, locale)],
    [
      say.baseline,
      baselineCounted === undefined ? undefined : say.baselineReading(formatNumber(baselineCounted, locale)),
    ],
    ...progressFacts(status, locale),
  ]);
  const isWell = !blockedSince && !isFailing && lagMs <= lateMs && warnings.length === 0;
  return notice({
    title: say.alertsTitle,
    body: [channel, alertFacts(status, locale), work, ...warnings].join("\n"),
    tone: isWell ? "ok" : "warn",
  });
}
