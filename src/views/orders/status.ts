import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { meaningOf } from "../../store-api/order-status.ts";
import { plain } from "../parts/text.ts";

const looks = {
  waiting: { color: 0xf0b232, emoji: "🟡" },
  working: { color: 0x3b82f6, emoji: "🔵" },
  good: { color: 0x23a55a, emoji: "🟢" },
  ended: { color: 0xda373c, emoji: "🔴" },
  reversed: { color: 0x9b59b6, emoji: "🟣" },
  unknown: { color: 0x80848e, emoji: "⚪" },
} as const;

/** How an order's status looks. */
export interface StatusView {
  /** 0xRRGGBB, the accent of the card. */
  readonly color: number;
  readonly emoji: string;
  /** In the reader's word where there is one, else as it came. */
  readonly text: string;
}

/** A status in the reader's word where there is one, else as it came, never blank: for labels, where no markdown acts. */
export function statusWord(status: string, locale: Locale): string {
  const words = texts(locale).statuses;
  const { word } = meaningOf(status);
  if (word !== undefined) return words[word];
  return status.trim() === "" ? words.none : status;
}

/** The look of any status; `text` is safe in a text display and at most `max` units. */
export function statusView(status: string, locale: Locale, max = 60): StatusView {
  const { stage } = meaningOf(status);
  return { ...looks[stage], text: plain(statusWord(status, locale), max, texts(locale).statuses.none) };
}
