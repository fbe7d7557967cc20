import { customerPage, theirOrders } from "../../src/views/orders/customer-page.ts";
import { orderEntry } from "../../src/views/orders/order-page.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import { dateTime, isoTime, relativeTime, when } from "../../src/views/parts/time.ts";
import { auditActs, auditPage } from "../../src/views/settings/audit-log.ts";
import { type Filler, LONG_NUMBER, largestOrder, MOST_ROWS } from "./hostile-support.ts";

const name = "AbCdEfGhIjKl";
const paging = { page: 999_999, lastPage: 1_000_000, session: name };
const rows = <Row>(make: (index: number) => Row) => Array.from({ length: MOST_ROWS }, (_, index) => make(index));

const often = (by: string) => ({ at: 8.64e15, firstAt: 8.64e15, times: LONG_NUMBER, by });

/** A part of `largestViews`: what shows a customer's orders, and who did what. */
export const largestOwnerViews: Readonly<Record<string, (fill: Filler, ctx: ViewContext) => () => unknown>> = {
  customerPage: (fill, ctx) => {
    const order = largestOrder(fill, 100);
    const orders = rows((index) => ({ ...order, id: `${index}${fill(60)}` }));
    const { customer } = order;
    const sums = { count: 99_999, total: LONG_NUMBER, firstAt: 8.64e15, lastAt: 8.64e15, isAll: false };
    return () => customerPage({ ...paging, orders, customer, sums, notes: [fill(6_000)] }, ctx);
  },
  theirOrders: (fill, ctx) => {
    const { customer } = largestOrder(fill);
    return () => theirOrders({ id: fill(64), customer }, "full", ctx);
  },
  orderEntry: (fill, ctx) => {
    const order = largestOrder(fill, 100);
    return () => orderEntry(order, ctx);
  },
  dateTime: () => () => dateTime(8.64e15),
  auditPage: (fill, { locale }) => {
    const what = fill(6_000);
    const entries = [...auditActs, what, ...rows(() => "product_created")].map((did) => ({
      ...often(what),
      did,
      what,
    }));
    return () => auditPage({ entries, page: 999_999, hasMore: true }, locale);
  },
  "auditPage (of several things each)": (_, { locale }) => {
    const entries = rows(() => ({ ...often("9".repeat(20)), did: "alerts_changed", what: null }));
    return () => auditPage({ entries, page: 999_999, hasMore: true }, locale);
  },
  isoTime: () => () => isoTime(8.64e15),
  relativeTime: () => () => relativeTime(8.64e15),
  when: () => () => when(8.64e15),
};
