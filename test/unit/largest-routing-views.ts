import { laterMessage } from "../../src/views/alerts/alert-message.ts";
import { hiddenMark, hiddenMarksIn, isRouteMessage } from "../../src/views/alerts/hidden-mark.ts";
import { type RouteView, routeLines, routeList, routeTest } from "../../src/views/alerts/route-list.ts";
import {
  fallbackNote,
  feedBatchSize,
  feedMessage,
  routeMessage,
  unsureNote,
} from "../../src/views/alerts/route-messages.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import { type Filler, LONG_NUMBER, largestBatch } from "./hostile-support.ts";

const snowflake = "9".repeat(20);

/** A rule with as much in it as there may be. */
const largestRoute = (fill: Filler): RouteView => ({
  name: fill(40),
  channelId: snowflake,
  roleId: snowflake,
  style: "feed",
  status: fill(100),
  product: { title: fill(500) },
  category: { id: fill(36), name: fill(100) },
  method: fill(100),
  from: LONG_NUMBER,
  to: LONG_NUMBER,
  items: 1_000_000,
  showsAmount: true,
});

/** All rules that there may be. */
export const largestRoutes = (fill: Filler): RouteView[] => Array(25).fill(largestRoute(fill));

const marked = (fill: Filler, count?: number) =>
  largestBatch(fill, count).map((order) => ({ order, mark: hiddenMark([order.id]), showsAmount: true }));

/** A part of `largestViews`: rules about where orders go, and what is posted by them. */
export const largestRoutingViews: Readonly<Record<string, (fill: Filler, ctx: ViewContext) => () => unknown>> = {
  laterMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => laterMessage(orders, ctx, { one: "1", many: "2", roleId: "1", embed: true });
  },
  hiddenMark: (fill) => {
    const what = [fill(6_000), fill(6_000)];
    return () => hiddenMark(what);
  },
  isRouteMessage: (fill) => {
    const marks = Array.from({ length: 25 }, () => fill(100));
    return () => isRouteMessage(marks);
  },
  hiddenMarksIn: (fill) => {
    const content = fill(2_000);
    return () => hiddenMarksIn(content);
  },
  feedMessage: (fill, ctx) => {
    const lines = marked(fill, feedBatchSize);
    return () => feedMessage(lines, ctx, "1");
  },
  routeMessage: (fill, ctx) => {
    const orders = marked(fill);
    const name = fill(40);
    return () => routeMessage(orders, { name, roleId: "1" }, ctx);
  },
  "routeMessage (one order)": (fill, ctx) => {
    const orders = marked(fill, 1);
    const name = fill(40);
    return () => routeMessage(orders, { name, roleId: "1" }, ctx);
  },
  unsureNote: (_, ctx) => () => unsureNote(ctx),
  fallbackNote: (fill, ctx) => {
    const rule = { name: fill(40), channelId: snowflake };
    return () => fallbackNote(rule, ctx);
  },
  routeLines: (fill, ctx) => {
    const route = largestRoute(fill);
    return () => routeLines(route, ctx);
  },
  routeList: (fill, ctx) => {
    const routes = largestRoutes(fill);
    return () => routeList({ routes, channelId: snowflake }, ctx);
  },
  routeTest: (fill, ctx) => {
    const routes = largestRoutes(fill);
    const [staff] = routes;
    const looks = routes.map((route) => ({ route, lack: "product" as const }));
    const order = { id: fill(64), status: fill(100) };
    return () => routeTest({ order, looks, staff, feeds: routes, channelId: snowflake }, ctx);
  },
};
