import type { AlertOrder } from "./alert.ts";
import type { ViewContext } from "./context.ts";
import type { PostPayload } from "./payload.ts";

export const feedBatchSize = 10;
export interface FeedLine {
  readonly order: AlertOrder;
  readonly mark: string;
  readonly showsAmount: boolean;
}
export interface RoutedOrder {
  readonly order: AlertOrder;
  readonly mark: string;
}
export const feedMessage = (lines: readonly FeedLine[], _ctx: ViewContext, _roleId?: string): PostPayload => ({
  content: lines.map(({ order, mark }) => `Someone bought ${order.items[0]?.title}${mark} 🎉`).join("\n"),
  embeds: [],
  components: [],
  allowed_mentions: { parse: [] },
});
export const routedMessage = (
  orders: readonly RoutedOrder[],
  route: { readonly name: string; readonly roleId?: string | undefined },
  _ctx: ViewContext,
): PostPayload => ({
  content: `${orders.map(({ order, mark }) => `${order.status} ${order.id}${mark}`).join(" ")} 📌 ${route.name}`,
  embeds: [],
  components: [],
  allowed_mentions: { parse: [] },
});
