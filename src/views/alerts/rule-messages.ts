import type { Rule } from "../../guilds/rule.ts";
import { texts } from "../../locales/texts.ts";
import { noteSign } from "../orders/handling.ts";
import { itemSummary } from "../orders/order-lines.ts";
import { statusView } from "../orders/status.ts";
import type { ViewContext } from "../parts/context.ts";
import { money } from "../parts/money.ts";
import type { PostPayload } from "../parts/payload.ts";
import { plain } from "../parts/text.ts";
import { type AlertOrder, mentioning, ordersMessage } from "./alert-message.ts";

/** A feed is a rule with short public lines. Ten lines of at most 196 units fit into the 2,000 units of a message. */
export const feedBatchSize = 10;
const feedItems = 90;
const ruleName = 40;

interface Marked {
  readonly order: AlertOrder;
  readonly mark: string;
}

/** The lines are public, so they have no customer, id or buttons. Mentions `roleId` and nothing else. */
export function feedMessage(
  lines: readonly (Marked & { readonly showsAmount: boolean })[],
  ctx: ViewContext,
  roleId?: string,
): PostPayload {
  if (lines.length === 0 || lines.length > feedBatchSize) {
    throw new RangeError(`a feed's message holds 1 to ${feedBatchSize} orders, not ${lines.length}`);
  }
  const { routing: say } = texts(ctx.locale);
  const shown = lines.map(({ order, mark, showsAmount }) => {
    const what = order.items.length === 0 ? say.boughtSomething : say.bought(itemSummary(order, ctx.locale, feedItems));
    const amount = showsAmount ? ` · ${money(order.total, ctx)}` : "";
    return `🛍️ ${what}${amount}${mark} 🎉`;
  });
  return mentioning(roleId, shown.join("\n"));
}

/**
 * `orders` are 1 to `alertBatchSize` orders. They got the rule's status after the bot first saw them. `notes` say why the
 * message is in this channel.
 */
export function ruleMessage(
  orders: readonly Marked[],
  { name, roleId }: Pick<Rule, "name" | "roleId">,
  ctx: ViewContext,
  notes: readonly string[] = [],
): PostPayload {
  const { routing: say } = texts(ctx.locale);
  const looks = orders.map(({ order }) => {
    const { emoji, text } = statusView(order.status, ctx.locale, 40);
    return `${emoji} ${text}`;
  });
  const [look = ""] = looks;
  const isSame = looks.every((other) => other === look);
  return ordersMessage(
    orders.map(({ order }) => order),
    ctx,
    {
      one: look,
      many: say.orders(isSame ? look : `🔔 ${plain(name, ruleName)}`, orders.length),
      roleId,
      after: `${orders.map(({ mark }) => mark).join("")} · 📌 ${plain(name, ruleName)}`,
      below: notes,
      embed: "without buttons",
    },
  );
}

/** Says that the message is not in the rule's channel. Edits keep this note. */
export const fallbackNote = (rule: Pick<Rule, "name" | "channelId">, { locale }: Pick<ViewContext, "locale">): string =>
  `${noteSign} ${texts(locale).routing.fallback(plain(rule.name, ruleName), `<#${rule.channelId}>`)}`;

/** Says why an alert does not show items, payment method and customer. */
export const bareNote = ({ locale }: Pick<ViewContext, "locale">): string => `${noteSign} ${texts(locale).alerts.bare}`;

/** Says why an alert is in the alert channel: the bot does not know whether a rule with a category matches. */
export const unsureNote = ({ locale }: Pick<ViewContext, "locale">): string =>
  `${noteSign} ${texts(locale).routing.unsure}`;
