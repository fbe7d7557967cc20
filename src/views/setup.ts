import type { Locale } from "../basics/locale.ts";
import type { Privacy } from "../basics/privacy.ts";
import { texts } from "./catalogue/catalogue.ts";
import { setUp } from "./catalogue/set-up.ts";
import { setup } from "./catalogue/setup.ts";
import { button, row } from "./components.ts";
import { notice } from "./notice.ts";
import type { MessagePayload } from "./payload.ts";
import { type Problem, problemText } from "./problem.ts";
import { statusView } from "./status.ts";
import { plain } from "./text.ts";
import { relativeTime } from "./time.ts";

/** Each in its own language: whoever looks for it can read that. */
export const languageNames: Readonly<Record<Locale, string>> = {
  en: "English",
  "pt-BR": "Português (Brasil)",
  es: "Español",
};

const facts = (lines: readonly (readonly [name: string, value: string])[]) =>
  lines.map(([name, value]) => `**${name}:** ${value}`).join("\n");

/** A server's settings; ids are Discord's, the currency is ISO 4217. */
export interface SettingsView {
  readonly currency?: string;
  readonly language: Locale;
  readonly privacy: Privacy;
  readonly staffRoleId?: string;
}

function settingFacts(settings: SettingsView, locale: Locale) {
  const say = setup[locale];
  const privacy = { none: say.privacyNone, masked: say.privacyMasked, full: say.privacyFull }[settings.privacy];
  return [
    [say.currency, settings.currency ? plain(settings.currency, 10) : say.plainNumbers],
    [say.language, languageNames[settings.language]],
    [say.privacy, privacy],
    [say.staff, settings.staffRoleId ? `<@&${settings.staffRoleId}>` : say.nobody],
  ] as const;
}

/** @param warning finished markdown: who can read what these settings show */
export function settingsNotice(settings: SettingsView, locale: Locale, warning?: string): MessagePayload {
  const body = facts(settingFacts(settings, locale));
  return notice({
    title: setup[locale].settingsTitle,
    body: warning === undefined ? body : `${body}\n⚠️ ${warning}`,
    tone: warning === undefined ? "ok" : "warn",
  });
}

/** How the path from store to channel goes. Times are epoch ms. */
export interface ProgressView {
  readonly lastPollAt?: number;
  /** How far behind the schedule the last good look at the store is. */
  readonly lagMs: number;
  readonly lastError?: { readonly problem: Problem; readonly at: number };
}

function progressFacts({ lastPollAt, lagMs, lastError }: ProgressView, locale: Locale) {
  const say = setup[locale];
  return [
    [say.lastPoll, lastPollAt === undefined ? say.never : relativeTime(lastPollAt)],
    [say.lag, say.seconds(Math.round(lagMs / 1000).toLocaleString(locale))],
    [
      say.lastError,
      lastError ? `${relativeTime(lastError.at)} · ${problemText(lastError.problem, locale)}` : say.noError,
    ],
  ] as const;
}

/** What `/store status` knows. */
export interface StoreStatusView extends ProgressView {
  readonly host: string;
  readonly last4: string;
  readonly refusedAt?: number;
  /** What came of asking the store just now. */
  readonly now: Problem | undefined;
  /** `undefined`: nothing has shown it yet. */
  readonly statusHonoured: boolean | undefined;
  readonly emailHonoured: boolean | undefined;
  readonly limitHonoured: boolean | undefined;
  readonly settings: SettingsView;
  /** Where alerts go, and since when they cannot be posted there. */
  readonly alerts?: { readonly channelId: string; readonly blockedSince?: number | undefined };
}

/** A store that is read this much later than planned is worth a word: four rounds of the default schedule. */
const lateMs = 60_000;

/** What is not well, and what to do, a line each. */
function troubleLines(status: StoreStatusView, locale: Locale): string[] {
  const say = setUp[locale];
  const { now, refusedAt, alerts, lagMs, lastError } = status;
  const lines: string[] = [];
  if (refusedAt !== undefined) lines.push(say.tokenRefused(relativeTime(refusedAt)));
  else if (now) lines.push(problemText(now, locale));
  if (alerts?.blockedSince !== undefined) {
    lines.push(say.cannotPost(`<#${alerts.channelId}>`, relativeTime(alerts.blockedSince)));
  }
  if (alerts && lines.length === 0 && lagMs > lateMs) {
    const delay = setup[locale].seconds(Math.round(lagMs / 1000).toLocaleString(locale));
    lines.push(say.late(delay), ...(lastError ? [problemText(lastError.problem, locale)] : []));
  }
  return lines;
}

/** `/store status` in a line: that all is well, or what is not and what to do. `details` is the button's custom id. */
export function storeStatusLine(status: StoreStatusView, details: string, locale: Locale): MessagePayload {
  const say = setUp[locale];
  const host = plain(status.host, 200);
  const rows = [row(button(details, say.details))];
  const troubles = troubleLines(status, locale);
  if (troubles.length > 0) return notice({ title: say.notWell, body: troubles.join("\n"), tone: "warn" }, rows);
  if (!status.alerts) return notice({ body: say.answersOnly(host), tone: "info" }, rows);
  const looked = status.lastPollAt === undefined ? setup[locale].never : relativeTime(status.lastPollAt);
  return notice({ body: say.allWell(host, looked), tone: "ok" }, rows);
}

/** All facts of `/store status`. */
export function storeStatusNotice(status: StoreStatusView, locale: Locale): MessagePayload {
  const say = setup[locale];
  const honoured = (yes: boolean | undefined) =>
    yes === undefined ? say.notSeenYet : yes ? say.yes : say.filteredHere;
  const token =
    status.refusedAt === undefined
      ? say.tokenEnding(plain(status.last4, 20))
      : `${say.tokenEnding(plain(status.last4, 20))} · ${say.tokenRefusedSince(relativeTime(status.refusedAt))}`;
  const body = facts([
    [say.store, plain(status.host, 200)],
    [say.token, token],
    [say.answers, status.now ? problemText(status.now, locale) : say.yes],
    [`${say.honours} · ${say.statusFilter}`, honoured(status.statusHonoured)],
    [`${say.honours} · ${say.emailFilter}`, honoured(status.emailHonoured)],
    [`${say.honours} · ${say.pageSize}`, honoured(status.limitHonoured)],
    ...progressFacts(status, locale),
    ...settingFacts(status.settings, locale),
  ]);
  return notice({ title: say.statusTitle, body, tone: status.now || status.refusedAt ? "warn" : "ok" });
}

/** What alerts are set to; `statuses` are the store's own. */
export interface AlertSettingsView {
  readonly roleId?: string | undefined;
  readonly statuses: readonly string[];
}

const statusWords = (statuses: readonly string[], locale: Locale) =>
  [...new Set(statuses.map((status) => statusView(status, locale, 40).text))].join(", ");

/** Role and statuses as lines of markdown, for answers that say again what is set. */
export function alertFacts({ roleId, statuses }: AlertSettingsView, locale: Locale): string {
  const say = setup[locale];
  return facts([
    [say.role, roleId ? `<@&${roleId}>` : say.nobody],
    [say.statuses, statusWords(statuses, locale)],
  ]);
}

/** What `/alerts status` shows. */
export interface AlertsStatusView extends ProgressView {
  readonly channelId: string;
  readonly roleId?: string;
  readonly statuses: readonly string[];
  readonly owed: number;
  readonly followed: number;
  /** Orders taken as seen so far; undefined once all are. */
  readonly backlogCounted?: number;
  readonly blockedSince?: number;
}

export function alertsStatusNotice(status: AlertsStatusView, locale: Locale): MessagePayload {
  const say = setup[locale];
  const channel =
    status.blockedSince === undefined
      ? `<#${status.channelId}>`
      : `<#${status.channelId}> · ${say.blockedSince(relativeTime(status.blockedSince))}`;
  const body = facts([
    [say.channel, channel],
    [say.role, status.roleId ? `<@&${status.roleId}>` : say.nobody],
    [say.statuses, statusWords(status.statuses, locale)],
    [say.owed, status.owed.toLocaleString(locale)],
    [say.followed, status.followed.toLocaleString(locale)],
    ...(status.backlogCounted === undefined
      ? []
      : [[say.backlog, say.backlogReading(status.backlogCounted.toLocaleString(locale))] as const]),
    ...progressFacts(status, locale),
  ]);
  return notice({ title: say.alertsTitle, body, tone: status.blockedSince || status.lastError ? "warn" : "ok" });
}

/** A question with Confirm and Cancel. */
export function confirmation(
  question: { readonly title?: string; readonly body: string },
  ids: { readonly confirm: string; readonly cancel: string },
  locale: Locale,
): MessagePayload {
  const { common } = texts(locale);
  return notice({ ...question, tone: "warn" }, [
    row(
      button(ids.confirm, common.confirm, { style: "danger" }),
      button(ids.cancel, common.cancel, { style: "secondary" }),
    ),
  ]);
}
