import type { Privacy } from "../../guilds/guild.ts";
import { texts } from "../../locales/texts.ts";
import type { Order } from "../../store-api/schemas.ts";
import { type Button, button } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { customIds } from "../parts/custom-ids.ts";
import { listPage, type SessionPage } from "../parts/list-page.ts";
import { type Customer, customerLine } from "../parts/masked-customer.ts";
import { money } from "../parts/money.ts";
import { formatNumber } from "../parts/numbers.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { dateTime } from "../parts/time.ts";
import { orderEntry } from "./order-page.ts";

/** If `isAll` is false, the customer may have more orders. Times are epoch ms. */
export interface CustomerSums {
  readonly count: number;
  readonly total: number;
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  readonly isAll: boolean;
}

function head(customer: Customer, { count, total, firstAt, lastAt, isAll }: CustomerSums, ctx: ViewContext): string[] {
  const say = texts(ctx.locale).customers;
  const who = customerLine(customer, ctx.privacy, 120);
  const sums = [formatNumber(count, ctx.locale), money(total, ctx)] as const;
  const span = [dateTime(firstAt), dateTime(lastAt)] as const;
  const isNothing = count === 0;
  return [
    ...(who === undefined ? [] : [`**${who}**`]),
    ...(isNothing ? [] : [isAll ? say.sums(...sums) : say.sumsAtLeast(...sums)]),
    ...(isNothing ? [] : [isAll ? say.span(...span) : say.spanOfSome(...span)]),
  ];
}

export function customerPage(
  list: SessionPage<Order> & { readonly customer: Customer; readonly sums: CustomerSums },
  ctx: ViewContext,
): MessagePayload {
  const { customers: say, orders } = texts(ctx.locale);
  return listPage(
    {
      ...list,
      ids: customIds.customer,
      say: { ...orders, list: say.title, empty: say.none },
      head: head(list.customer, list.sums, ctx),
      filter: [],
      // The heading names the customer, so the entries do not.
      entry: (order) => orderEntry(order, { ...ctx, privacy: "none" }),
      notes: [...(list.sums.count === 0 ? [] : [say.everyStatus]), ...list.notes],
    },
    ctx.locale,
  );
}

/** No button if the caller's `privacy` is "none", the order has no e-mail address, or its id is too long. */
export function theirOrders(
  { id, customer }: Pick<Order, "id" | "customer">,
  privacy: Privacy,
  { locale }: Pick<ViewContext, "locale">,
): Button[] {
  const pressed = customIds.customer.buttons.orders.makeIfFits({ id });
  if (privacy === "none" || customer.email === "" || pressed === undefined) return [];
  return [button(pressed, texts(locale).customers.theirOrders)];
}
