import { laterMessage } from "../../src/views/alert.ts";
import type { ViewContext } from "../../src/views/context.ts";
import { hiddenMark, hiddenMarksIn, isRouted } from "../../src/views/hidden-mark.ts";
import { feedBatchSize, feedMessage, routedMessage, strandedNote, unsureNote } from "../../src/views/routed.ts";
import { type RouteView, routeLines, routeList, routeTest } from "../../src/views/routes.ts";
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
  "alert.laterMessage": (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => laterMessage(orders, ctx, { one: "1", many: "2", roleId: "1", embed: true });
  },
  "hidden-mark.hiddenMark": (fill) => {
    const what = [fill(6_000), fill(6_000)];
    return () => hiddenMark(what);
  },
  "hidden-mark.isRouted": (fill) => {
    const marks = Array.from({ length: 25 }, () => fill(100));
    return () => isRouted(marks);
  },
  "hidden-mark.hiddenMarksIn": (fill) => {
    const content = fill(2_000);
    return () => hiddenMarksIn(content);
  },
  "routed.feedMessage": (fill, ctx) => {
    const lines = marked(fill, feedBatchSize);
    return () => feedMessage(lines, ctx, "1");
  },
  "routed.routedMessage": (fill, ctx) => {
    const orders = marked(fill);
    const name = fill(40);
    return () => routedMessage(orders, { name, roleId: "1" }, ctx);
  },
  "routed.routedMessage (one order)": (fill, ctx) => {
    const orders = marked(fill, 1);
    const name = fill(40);
    return () => routedMessage(orders, { name, roleId: "1" }, ctx);
  },
  "routed.unsureNote": (_, ctx) => () => unsureNote(ctx),
  "routed.strandedNote": (fill, ctx) => {
    const rule = { name: fill(40), channelId: snowflake };
    return () => strandedNote(rule, ctx);
  },
  "routes.routeLines": (fill, ctx) => {
    const route = largestRoute(fill);
    return () => routeLines(route, ctx);
  },
  "routes.routeList": (fill, ctx) => {
    const routes = largestRoutes(fill);
    return () => routeList({ routes, channelId: snowflake }, ctx);
  },
  "routes.routeTest": (fill, ctx) => {
    const routes = largestRoutes(fill);
    const [staff] = routes;
    const looks = routes.map((route) => ({ route, lack: "product" as const }));
    const order = { id: fill(64), status: fill(100) };
    return () => routeTest({ order, looks, staff, feeds: routes, channelId: snowflake }, ctx);
  },
};
