import type { Locale } from "../basics/locale.ts";
import { texts } from "../locales/texts.ts";
import type { AlertOrder } from "../views/alerts/alert-message.ts";

/** No order of a store has this id. */
export const sampleId = "00000000-0000-4000-8000-000000000000";

/** `now` is epoch ms. */
export function sampleOrder(locale: Locale, now: number): AlertOrder {
  const { sampleItem, otherSampleItem } = texts(locale).setUp;
  return {
    id: sampleId,
    status: "PENDING",
    items: [
      { title: sampleItem, quantity: 2 },
      { title: otherSampleItem, quantity: 1 },
    ],
    total: 29.9,
    paymentMethod: "PIX",
    createdAt: now,
  };
}
