import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { OrderFilter } from "../../store-api/order-filter.ts";
import type { Order } from "../../store-api/schemas.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { listPage, type Paging } from "../parts/list-page.ts";
import { customerLine } from "../parts/masked-customer.ts";
import { money } from "../parts/money.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { plain, shortId } from "../parts/text.ts";
import { relativeTime } from "../parts/time.ts";
import { type Takes, takeLine } from "./handling.ts";
import { itemSummary } from "./order-lines.ts";
import { statusView, statusWord } from "./status.ts";

/** Makes an order's entry for a list, and its option for the menu below the list. */
export function orderEntry(order: Order, ctx: ViewContext) {
  const status = statusView(order.status, ctx.locale, 30);
  const customer = customerLine(order.customer, ctx.privacy, 60);
  const total = money(order.pricing.total, ctx);
  const titles = order.items.map((item) => ({ title: item.productTitle, quantity: item.quantity }));
  const items = itemSummary(titles, ctx.locale, 120);
  return {
    text: [
      `${status.emoji} ${shortId(order.id)} · ${status.text} · **${total}** · ${relativeTime(order.createdAt)}`,
      `-# ${items}${customer === undefined ? "" : ` · ${customer}`}`,
    ].join("\n"),
    option: {
      value: order.id,
      name: `${order.id.slice(0, 8)} · ${order.items[0]?.productTitle || texts(ctx.locale).orders.noItems}`,
      description: `${statusWord(order.status, ctx.locale)} · ${total}`,
    },
  };
}

/** The filter of a list of orders. */
export interface ListedOrders extends OrderFilter {
  readonly handling?: "mine" | "free" | "someones" | undefined;
}

function filterFacts({ statuses = [], email, handling }: ListedOrders, { locale }: ViewContext): string[] {
  const say = texts(locale).orders;
  const facts: Readonly<Record<keyof ListedOrders, string | undefined>> = {
    statuses: statuses.length === 0 ? undefined : `${say.status}: ${plain(statusesInWords(statuses, locale), 150)}`,
    email: email === undefined ? undefined : `${say.email}: ${plain(email, 100)}`,
    handling: handling && `${say.handling}: ${say[handling]}`,
  };
  return Object.values(facts).filter((fact) => fact !== undefined);
}

const statusesInWords = (statuses: readonly string[], locale: Locale) =>
  [...new Set(statuses.map((status) => statusWord(status, locale)))].join(", ");

/** A page of at most `pageSize` orders. */
export function orderPage(
  list: Paging & { readonly items: readonly Order[]; readonly filter?: ListedOrders; readonly takes?: Takes },
  ctx: ViewContext,
): MessagePayload {
  return listPage(
    {
      ...list,
      ids: customIds.orders,
      say: texts(ctx.locale).orders,
      filter: filterFacts(list.filter ?? {}, ctx),
      entry(order) {
        const { text, option } = orderEntry(order, ctx);
        const takes = takeLine(list.takes?.get(order.id), ctx.locale).map((line) => `-# ${line}`);
        return { text: [text, ...takes].join("\n"), option };
      },
    },
    ctx.locale,
  );
}
