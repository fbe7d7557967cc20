import { ruleNameMax } from "../../basics/limits/limits-in-texts.ts";
import type { Rule } from "../../guilds/rule.ts";
import { texts } from "../../locales/texts.ts";
import { itemSummary } from "../orders/order-lines.ts";
import { statusView } from "../orders/status.ts";
import type { ViewContext } from "../parts/context.ts";
import { money } from "../parts/money.ts";
import { classicMessage } from "../parts/notice.ts";
import type { PostPayload } from "../parts/payload.ts";
import { plain } from "../parts/text.ts";
import { type AlertOrder, ordersMessage } from "./alert-message.ts";

/** A feed is a rule with short public lines. Ten lines of at most 196 units fit into the 2,000 units of a message. */
export const feedBatchSize = 10;
const feedItems = 90;

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
  return classicMessage(shown.join("\n"), roleId);
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
      many: say.orders(isSame ? look : `🔔 ${plain(name, ruleNameMax)}`, orders.length),
      roleId,
      after: `${orders.map(({ mark }) => mark).join("")} · 📌 ${plain(name, ruleNameMax)}`,
      below: notes,
      embed: "without buttons",
    },
  );
}
