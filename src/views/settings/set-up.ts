import {
  type APIChannelSelectComponent,
  type APIComponentInContainer,
  type APIRoleSelectComponent,
  ChannelType,
  ComponentType,
  SelectMenuDefaultValueType,
} from "@discordjs/core";
import { type Locale, languageNames } from "../../basics/locale.ts";
import { zoneMenu } from "../../basics/zone-choices.ts";
import { type Guild, zoneNameOf } from "../../guilds/guild.ts";
import { texts } from "../../locales/texts.ts";
import { button, buttonRow, container, menuRow, message, textDisplay } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import { tones } from "../parts/notice.ts";
import type { ActionRow, MessagePayload } from "../parts/payload.ts";
import { type NeededPermission, type Problem, permissionNames, problemText } from "../parts/problem.ts";
import { code, plain, warning } from "../parts/text.ts";
import { currencyMenu } from "./currencies.ts";

export const alertTriggers = ["new", "paid", "both"] as const;
export type AlertTrigger = (typeof alertTriggers)[number];

export interface ChannelProblems {
  /** The permissions that the bot lacks in the channel. It needs them to post alerts, and to find posted alerts. */
  readonly missing: readonly NeededPermission[];
  /** Why the channel could not be inspected. */
  readonly failure?: Problem;
  /** `silent`: the bot may not mention the role. `gone`: the role was deleted. */
  readonly roleProblem?: "silent" | "gone" | undefined;
  /** Only the answers of `/store status` and `/alerts status` say so. */
  readonly lacksStaffRole?: true | undefined;
  /** A person must confirm the channel, because everybody could read customers' data there. */
  readonly showsCustomers: boolean;
}

export interface SetUpView {
  readonly session: string;
  readonly channelId?: string | undefined;
  readonly roleId?: string | undefined;
  readonly rings: AlertTrigger;
  readonly guild: Pick<Guild, "token" | "settings" | "alerts">;
  /** Epoch ms. */
  readonly now: number;
  readonly channelProblems?: ChannelProblems | undefined;
}

/** The bot needs both permissions to post. Without any other permission it still posts alerts. */
export const isChannelClosed = ({ missing }: Pick<ChannelProblems, "missing">): boolean =>
  missing.includes("ViewChannel") || missing.includes("SendMessages");

/** Finished markdown, each line with a warning sign. */
export function channelProblemLines(
  { missing, failure, roleProblem, lacksStaffRole }: Omit<ChannelProblems, "showsCustomers">,
  at: { readonly channelId: string; readonly roleId?: string | undefined },
  locale: Locale,
): string[] {
  const say = texts(locale).setUp;
  const names = permissionNames(missing, locale).map((name) => `**${name}**`);
  return [
    ...(names.length > 0 ? [say.missing(`<#${at.channelId}>`, names.join(", "))] : []),
    ...(failure ? [problemText(failure, locale)] : []),
    ...(roleProblem === "gone" ? [say.goneRole] : []),
    ...(roleProblem === "silent" && at.roleId !== undefined
      ? [say.silentRole(`<@&${at.roleId}>`, texts(locale).permissions.MentionEveryone)]
      : []),
    ...(lacksStaffRole ? [say.goneStaffRole] : []),
  ].map(warning);
}

/** Statuses for which an alert may never come. Finished markdown. */
export function unknownStatusLines(unknown: readonly string[], locale: Locale): string[] {
  const names = unknown.map((status) => code(status, 40)).join(", ");
  return unknown.length > 0 ? [warning(texts(locale).setUp.unknownStatuses(unknown.length, names))] : [];
}

const channelMenu = (id: string, placeholder: string, chosen: string | undefined): APIChannelSelectComponent => ({
  type: ComponentType.ChannelSelect,
  custom_id: id,
  placeholder,
  channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
  default_values: chosen === undefined ? undefined : [{ id: chosen, type: SelectMenuDefaultValueType.Channel }],
});

const roleMenu = (id: string, placeholder: string, chosen: string | undefined): APIRoleSelectComponent => ({
  type: ComponentType.RoleSelect,
  custom_id: id,
  placeholder,
  min_values: 0,
  default_values: chosen === undefined ? undefined : [{ id: chosen, type: SelectMenuDefaultValueType.Role }],
});

function menus(view: SetUpView, locale: Locale): APIComponentInContainer[] {
  const { setUp: say, settings } = texts(locale);
  const ids = customIds.store.menus;
  const { session, guild, now } = view;
  const { language, currency } = guild.settings;
  const timezone = zoneNameOf(guild);
  const heading = (text: string) => textDisplay(`**${text}**`);
  const single = (menu: APIChannelSelectComponent | APIRoleSelectComponent): ActionRow => ({
    type: ComponentType.ActionRow,
    components: [menu],
  });
  const triggers = alertTriggers.map((value) => ({
    value,
    name: say.trigger[value],
    description: say.triggerHint[value],
  }));
  const languages = Object.entries(languageNames).map(([value, name]) => ({ value, name }));
  return [
    heading(say.channel),
    single(channelMenu(ids.channel.make({ session }), say.chooseChannel, view.channelId)),
    heading(say.role),
    single(roleMenu(ids.role.make({ session }), say.noRoleChosen, view.roleId)),
    heading(say.triggers),
    ...menuRow(ids.rings.make({ session }), say.triggers, triggers, view.rings),
    heading(settings.language),
    ...menuRow(ids.language.make({ session }), settings.language, languages, language),
    heading(settings.currency),
    ...menuRow(ids.currency.make({ session }), settings.currency, currencyMenu(locale, currency), currency ?? "none"),
    heading(settings.timezone),
    textDisplay(`-# ${say.zoneHint}`),
    ...menuRow(ids.timezone.make({ session }), settings.timezone, zoneMenu(locale, now, timezone), timezone),
  ];
}

/**
 * If everybody could read customers' data in the chosen channel, the button is **Confirm**, and its custom id has the channel's
 * id. If the bot cannot post in the channel, the button is **Try again**.
 */
export function setUpPanel(view: SetUpView, locale: Locale): MessagePayload {
  const { common, setUp: say } = texts(locale);
  const { sample } = customIds.store.buttons;
  const { channelId, roleId, channelProblems: problems } = view;
  const last4 = plain(view.guild.token?.last4 ?? "", 20);
  const intro = view.guild.alerts === undefined ? say.intro(last4) : say.introOn(last4);
  const lines = channelId !== undefined && problems ? channelProblemLines(problems, { channelId, roleId }, locale) : [];
  const isBlocked = problems !== undefined && isChannelClosed(problems);
  const asked = !isBlocked && problems?.showsCustomers === true ? channelId : undefined;
  if (asked !== undefined) lines.push(warning(say.customersShown(`<#${asked}>`)));
  const send = button(
    sample.make({ session: view.session, confirmedChannel: asked }),
    asked !== undefined ? common.confirm : isBlocked ? common.tryAgain : say.sendSample,
    { style: asked !== undefined ? "Danger" : "Success", disabled: channelId === undefined },
  );
  return message([
    container(tones[lines.length > 0 ? "warn" : "ok"].color, [
      textDisplay(`### ✅ ${say.title}\n${intro}`),
      ...menus(view, locale),
      ...(lines.length > 0 ? [textDisplay(lines.join("\n"))] : []),
    ]),
    ...buttonRow(send),
  ]);
}
