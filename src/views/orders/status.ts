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

export interface StatusView {
  readonly color: number;
  readonly emoji: string;
  readonly text: string;
}

/** An unknown status keeps the store's text. The result is never blank. It is not escaped, so it is not for markdown. */
export function statusWord(status: string, locale: Locale): string {
  const words = texts(locale).statuses;
  const { word } = meaningOf(status);
  if (word !== undefined) return words[word];
  return status.trim() === "" ? words.none : status;
}

/** `text` is safe in a text display, and at most `max` units long. */
export function statusView(status: string, locale: Locale, max = 60): StatusView {
  const { stage } = meaningOf(status);
  return { ...looks[stage], text: plain(statusWord(status, locale), max, texts(locale).statuses.none) };
}
