import { type AlertOrder, refundMessage, reminderMessage, replyOf } from "../../src/views/alerts/alert-message.ts";
import {
  alertRow,
  handledAlert,
  handlingButtons,
  handlingLines,
  handlingRefused,
  hasButtons,
  historyLines,
  type OrderPress,
  pressesOf,
  type Take,
  takeLine,
} from "../../src/views/orders/handling.ts";
import type { ViewContext } from "../../src/views/parts/context.ts";
import { type Filler, largestBatch } from "./hostile-support.ts";

const take: Take = { by: "9".repeat(20), at: 8.64e15, done: { by: "9".repeat(20), at: 8.64e15 } };

export const mostPast: readonly OrderPress[] = Array.from({ length: 10 }, () => ({ press: "back", ...take }));

/** All of them taken. */
export const takesOf = (orders: readonly Pick<AlertOrder, "id">[]) => new Map(orders.map(({ id }) => [id, take]));

/** A part of `largestViews`: who deals with an order. */
export const largestHandlingViews: Readonly<Record<string, (fill: Filler, ctx: ViewContext) => () => unknown>> = {
  reminderMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => reminderMessage(orders, ctx, { takes: takesOf(orders), roleId: "1" });
  },
  "reminderMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => reminderMessage(orders, ctx, { takes: takesOf(orders), roleId: "1" });
  },
  refundMessage: (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => refundMessage(orders, ctx);
  },
  replyOf: (fill) => {
    const marks = largestBatch(fill).map(({ id }) => id);
    return () => replyOf(marks);
  },
  takeLine: (_, { locale }) => {
    return () => takeLine(take, locale);
  },
  pressesOf: () => () => pressesOf(take),
  historyLines: (_, { locale }) => {
    return () => historyLines({ take, past: mostPast }, locale);
  },
  handlingLines: (fill, { locale }) => {
    const orders = largestBatch(fill);
    const ids = orders.map(({ id }) => id);
    return () => handlingLines(ids, takesOf(orders), locale);
  },
  handlingButtons: (fill, { locale }) => {
    const id = fill(100);
    return () => handlingButtons(take, locale, () => id);
  },
  hasButtons: (fill) => {
    const id = fill(150);
    return () => hasButtons(id);
  },
  alertRow: (fill, { locale }) => {
    const id = fill(80);
    return () => alertRow(id, take, locale);
  },
  handledAlert: (fill, { locale }) => {
    const orders = largestBatch(fill);
    const ids = orders.map(({ id }) => id);
    const content = fill(2_000);
    return () => handledAlert(content, ids, takesOf(orders), locale);
  },
  handlingRefused: (fill, { locale }) => {
    const userId = fill(20);
    return () => handlingRefused("done", take, userId, locale);
  },
};
