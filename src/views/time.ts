import { DASH } from "./text.ts";

/** Epoch seconds of an ISO 8601 date-time; one without a zone is UTC, so that every machine reads the same. */
function seconds(iso: string): number | undefined {
  const text = iso.trim();
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const ms = Date.parse(/[T ][^Z+-]*$/i.test(text) ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** Date and time in the reader's own zone and language, by Discord; a dash for what is no date. */
export function dateTime(iso: string): string {
  const at = seconds(iso);
  return at === undefined ? DASH : `<t:${at}:f>`;
}

/** "3 hours ago", kept current by Discord; a dash for what is no date. */
export function relativeTime(iso: string): string {
  const at = seconds(iso);
  return at === undefined ? DASH : `<t:${at}:R>`;
}

/** Both of {@link dateTime} and {@link relativeTime}. */
export function when(iso: string): string {
  const at = seconds(iso);
  return at === undefined ? DASH : `<t:${at}:f> (<t:${at}:R>)`;
}

/** {@link relativeTime} of epoch milliseconds. */
export function relativeTimeOf(epochMs: number): string {
  return Number.isFinite(epochMs) && Math.abs(epochMs) <= 8.64e15 ? `<t:${Math.floor(epochMs / 1000)}:R>` : DASH;
}
