import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { tellsRefunds } from "../../store-api/order-status.ts";
import { statusView } from "../orders/status.ts";
import { facts } from "../parts/facts.ts";
import { notice } from "../parts/notice.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { relativeTime } from "../parts/time.ts";
import { type ProgressView, progressFacts } from "./progress.ts";

/** What alerts are set to; `statuses` are the store's own. */
export interface AlertSettingsView {
  readonly roleId?: string | undefined;
  readonly statuses: readonly string[];
}

const statusWords = (statuses: readonly string[], locale: Locale) =>
  [...new Set(statuses.map((status) => statusView(status, locale, 40).text))].join(", ");

/** Role and statuses as lines of markdown, for answers that say again what is set. */
export function alertFacts({ roleId, statuses }: AlertSettingsView, locale: Locale): string {
  const say = texts(locale).settings;
  return facts([
    [say.role, roleId ? `<@&${roleId}>` : say.nobody],
    [say.statuses, statusWords(statuses, locale)],
    ...(tellsRefunds(statuses) ? [[say.refunds, say.refundsAnswered] as const] : []),
  ]);
}

/** What `/alerts status` shows. */
export interface AlertsStatusView extends ProgressView {
  readonly channelId: string;
  readonly roleId?: string;
  readonly statuses: readonly string[];
  readonly planned: number;
  readonly followed: number;
  /** Of both, those whose ids have no room in Discord's buttons. */
  readonly withoutButtons: number;
  /** Orders taken as seen so far; undefined once all are. */
  readonly baselineCounted?: number;
  readonly blockedSince?: number;
}

export function alertsStatusNotice(status: AlertsStatusView, locale: Locale): MessagePayload {
  const say = texts(locale).settings;
  const channel =
    status.blockedSince === undefined
      ? `<#${status.channelId}>`
      : `<#${status.channelId}> · ${say.blockedSince(relativeTime(status.blockedSince))}`;
  const body = facts([
    [say.channel, channel],
    [say.role, status.roleId ? `<@&${status.roleId}>` : say.nobody],
    [say.statuses, statusWords(status.statuses, locale)],
    [say.owed, status.planned.toLocaleString(locale)],
    [say.followed, status.followed.toLocaleString(locale)],
    ...(status.withoutButtons === 0
      ? []
      : [[say.withoutButtons, say.idsTooLong(status.withoutButtons.toLocaleString(locale))] as const]),
    ...(status.baselineCounted === undefined
      ? []
      : [[say.baseline, say.baselineReading(status.baselineCounted.toLocaleString(locale))] as const]),
    ...progressFacts(status, locale),
  ]);
  return notice({ title: say.alertsTitle, body, tone: status.blockedSince || status.lastError ? "warn" : "ok" });
}
