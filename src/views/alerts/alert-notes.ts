import { ruleNameMax } from "../../basics/limits/limits-in-texts.ts";
import type { Rule } from "../../guilds/rule.ts";
import { texts } from "../../locales/texts.ts";
import { noteSign } from "../orders/handling.ts";
import type { ViewContext } from "../parts/context.ts";
import { plain } from "../parts/text.ts";

/** Says that the message is not in the rule's channel. Edits keep this note. */
export const fallbackNote = (rule: Pick<Rule, "name" | "channelId">, { locale }: Pick<ViewContext, "locale">): string =>
  `${noteSign} ${texts(locale).routing.fallback(plain(rule.name, ruleNameMax), `<#${rule.channelId}>`)}`;

/** Says why an alert does not show items, payment method and customer. */
export const bareNote = ({ locale }: Pick<ViewContext, "locale">): string => `${noteSign} ${texts(locale).alerts.bare}`;

/** Says why an alert is in the alert channel: the bot does not know whether a rule with a category matches. */
export const unsureNote = ({ locale }: Pick<ViewContext, "locale">): string =>
  `${noteSign} ${texts(locale).routing.unsure}`;
