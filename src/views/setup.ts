import { texts } from "./catalogue/catalogue.ts";
import { setup } from "./catalogue/setup.ts";
import { button, row } from "./components.ts";
import type { Locale, Privacy } from "./context.ts";
import { notice } from "./notice.ts";
import type { MessagePayload } from "./payload.ts";
import { type Problem, problemText } from "./problem.ts";
import { plain } from "./text.ts";
import { relativeTime } from "./time.ts";

const languageNames: Readonly<Record<Locale, string>> = { en: "English", "pt-BR": "Português (Brasil)", es: "Español" };

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

/** What `/store status` shows. */
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
}

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
    [say.statuses, status.statuses.map((name) => plain(name, 40)).join(", ")],
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
