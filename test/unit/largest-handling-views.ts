import { type AlertOrder, refundMessage, reminderMessage, replyOf } from "../../src/views/alert.ts";
import type { ViewContext } from "../../src/views/context.ts";
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
} from "../../src/views/handling.ts";
import { type Filler, largestBatch } from "./hostile-support.ts";

const take: Take = { by: "9".repeat(20), at: 8.64e15, done: { by: "9".repeat(20), at: 8.64e15 } };

export const mostPast: readonly OrderPress[] = Array.from({ length: 10 }, () => ({ press: "back", ...take }));

/** All of them taken. */
export const takesOf = (orders: readonly Pick<AlertOrder, "id">[]) => new Map(orders.map(({ id }) => [id, take]));

/** A part of `largestViews`: who deals with an order. */
export const largestHandlingViews: Readonly<Record<string, (fill: Filler, ctx: ViewContext) => () => unknown>> = {
  "alert.reminderMessage": (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => reminderMessage(orders, ctx, { takes: takesOf(orders), roleId: "1" });
  },
  "alert.reminderMessage (one order)": (fill, ctx) => {
    const orders = largestBatch(fill, 1);
    return () => reminderMessage(orders, ctx, { takes: takesOf(orders), roleId: "1" });
  },
  "alert.refundMessage": (fill, ctx) => {
    const orders = largestBatch(fill);
    return () => refundMessage(orders, ctx);
  },
  "alert.replyOf": (fill) => {
    const marks = largestBatch(fill).map(({ id }) => id);
    return () => replyOf(marks);
  },
  "handling.takeLine": (_, { locale }) => {
    return () => takeLine(take, locale);
  },
  "handling.pressesOf": () => () => pressesOf(take),
  "handling.historyLines": (_, { locale }) => {
    return () => historyLines({ take, past: mostPast }, locale);
  },
  "handling.handlingLines": (fill, { locale }) => {
    const orders = largestBatch(fill);
    const ids = orders.map(({ id }) => id);
    return () => handlingLines(ids, takesOf(orders), locale);
  },
  "handling.handlingButtons": (fill, { locale }) => {
    const id = fill(100);
    return () => handlingButtons(take, locale, () => id);
  },
  "handling.hasButtons": (fill) => {
    const id = fill(150);
    return () => hasButtons(id);
  },
  "handling.alertRow": (fill, { locale }) => {
    const id = fill(80);
    return () => alertRow(id, take, locale);
  },
  "handling.handledAlert": (fill, { locale }) => {
    const orders = largestBatch(fill);
    const ids = orders.map(({ id }) => id);
    const content = fill(2_000);
    return () => handledAlert(content, ids, takesOf(orders), locale);
  },
  "handling.handlingRefused": (fill, { locale }) => {
    const userId = fill(20);
    return () => handlingRefused("done", take, userId, locale);
  },
};
