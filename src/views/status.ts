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
  /** The status as it came, after the reader's own word for it where that is another and fits: "Pendente (PENDING)". */
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
  const came = plain(status, max, words.none);
  const localized = word === undefined ? came : words[word];
  if (localized.toUpperCase() === came.toUpperCase()) return { ...looks[look], text: came };
  const both = `${localized} (${came})`;
  return { ...looks[look], text: both.length <= max ? both : localized };
}
