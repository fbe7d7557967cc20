/** In characters. `String(new Date())` has up to 70. */
const longestTime = 100;
/** Smaller numbers are seconds. 10^11 ms after 1970 is in 1973, and 10^11 s after 1970 is in 5138. */
const earliestEpochMs = 1e11;
/** The latest time of a JavaScript Date (ECMAScript, time values). */
const latestEpochMs = 8.64e15;

const isoTime =
  /^([1-9]\d{3})-(\d{2})-(\d{2})(?:(?:T| +)(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:Z|UTC|GMT|([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
/** The date names its month and zone, so `Date.parse` cannot take the day for the month. */
const namedTime =
  /^[a-z, ]*\d{0,2}[ -]*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ ,\d:-]+(?:\b(?:GMT|UTC)\b|Z\b|[+-]\d{4}\b)/i;

/**
 * Reads a time in the text of a store. Returns epoch ms. Accepts ISO 8601: a date, or date and time with `T` or a space (UTC if
 * the text names no zone). Also accepts dates that name month and zone (RFC 1123), and epoch seconds or milliseconds in digits.
 * Returns undefined for other texts, because they may have two meanings: in `05/11/2025`, either number may be the month.
 */
export function parseTime(text: string): number | undefined {
  const written = text.trim();
  if (written.length > longestTime) return undefined;
  if (/^\d{9,}$/.test(written)) return fromEpoch(Number(written));
  const iso = isoTime.exec(written);
  if (iso !== null) return fromParts(iso);
  return namedTime.test(written) ? sensible(Date.parse(written)) : undefined;
}

/** Epoch seconds or milliseconds -> epoch ms; undefined for an impossible time. */
export function fromEpoch(epoch: number): number | undefined {
  return sensible(epoch < earliestEpochMs ? epoch * 1_000 : epoch);
}

/** Epoch 0 and earlier times count as impossible, because programs write them for "no date". */
function sensible(ms: number): number | undefined {
  return ms > 0 && ms <= latestEpochMs ? Math.trunc(ms) : undefined;
}

function fromParts([, ...parts]: RegExpExecArray): number | undefined {
  const number = (index: number) => Number(parts[index] ?? 0);
  const [month, day, hours, minutes, seconds] = [number(1), number(2), number(3), number(4), number(5)];
  const midnight = Date.UTC(number(0), month - 1, day);
  // `Date.UTC` reads the 31st of February as the 3rd of March.
  const isDate = new Date(midnight).getUTCMonth() === month - 1 && day > 0;
  if (!isDate || hours * 60 + minutes > 24 * 60 || minutes > 59 || seconds > 60) return undefined;
  const fraction = Number((parts[6] ?? "").slice(0, 3).padEnd(3, "0"));
  const zone = (number(8) * 60 + number(9)) * (parts[7] === "-" ? -1 : 1);
  return sensible(midnight + ((hours * 60 + minutes - zone) * 60 + seconds) * 1_000 + fraction);
}
