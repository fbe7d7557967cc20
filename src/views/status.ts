import type { Catalogue } from "./catalogue/catalogue.ts";
import { texts } from "./catalogue/catalogue.ts";
import type { Locale } from "./context.ts";
import { plain } from "./text.ts";

type StatusWord = Exclude<keyof Catalogue["statuses"], "none">;

const looks = {
  waiting: { color: 0xf0b232, emoji: "🟡" },
  working: { color: 0x3b82f6, emoji: "🔵" },
  good: { color: 0x23a55a, emoji: "🟢" },
  ended: { color: 0xda373c, emoji: "🔴" },
  reversed: { color: 0x9b59b6, emoji: "🟣" },
  unknown: { color: 0x80848e, emoji: "⚪" },
} as const;

const known: ReadonlyMap<string, readonly [keyof typeof looks, StatusWord]> = new Map([
  ["PENDING", ["waiting", "pending"]],
  ["WAITING", ["waiting", "pending"]],
  ["WAITING_PAYMENT", ["waiting", "pending"]],
  ["AWAITING_PAYMENT", ["waiting", "pending"]],
  ["PENDING_PAYMENT", ["waiting", "pending"]],
  ["PROCESSING", ["working", "processing"]],
  ["IN_PROGRESS", ["working", "processing"]],
  ["PAID", ["good", "paid"]],
  ["APPROVED", ["good", "approved"]],
  ["COMPLETED", ["good", "completed"]],
  ["COMPLETE", ["good", "completed"]],
  ["FINISHED", ["good", "completed"]],
  ["DELIVERED", ["good", "delivered"]],
  ["SHIPPED", ["good", "shipped"]],
  ["CANCELLED", ["ended", "cancelled"]],
  ["CANCELED", ["ended", "cancelled"]],
  ["EXPIRED", ["ended", "expired"]],
  ["FAILED", ["ended", "failed"]],
  ["REJECTED", ["ended", "rejected"]],
  ["REFUSED", ["ended", "rejected"]],
  ["DECLINED", ["ended", "rejected"]],
  ["REFUNDED", ["reversed", "refunded"]],
  ["CHARGEBACK", ["reversed", "disputed"]],
  ["CHARGED_BACK", ["reversed", "disputed"]],
  ["DISPUTED", ["reversed", "disputed"]],
]);

/** How an order's status looks. */
export interface StatusView {
  /** 0xRRGGBB, the accent of the card. */
  readonly color: number;
  readonly emoji: string;
  /** In the reader's word where there is one, else as it came. */
  readonly text: string;
}

/** The look of any status; `text` is safe in a text display and at most `max` units. */
export function statusView(status: string, locale: Locale, max = 60): StatusView {
  const words = texts(locale).statuses;
  const [look, word] = known.get(
    status
      .trim()
      .toUpperCase()
      .replaceAll(/[\s-]+/g, "_"),
  ) ?? ["unknown", undefined];
  return { ...looks[look], text: word === undefined ? plain(status, max, words.none) : words[word] };
}
