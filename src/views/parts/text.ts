export const dash = "—";

const ellipsis = "…";
/** In UTF-16 units. No message can show more, and a text of megabytes would take seconds. */
const longestRead = 5_000;
/** More units are read than shown, because some are invisible, blanks or parts of a letter (up to three in Korean). */
const readPerShown = 8;
const readFor = (max: number) => Math.min(max * readPerShown, longestRead);

/** No script needs more than four marks on a letter; "Zalgo" text has hundreds. */
const piledMarks = /(\p{M}{4})\p{M}+/gu;

const rightToLeft =
  /[[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]--[\p{C}\p{Default_Ignorable_Code_Point}]]/v;

/** Emoji stay whole, with the joiners and tags inside them. */
function withoutInvisible(text: string): string {
  // The expression is inside the function, so that it is compiled when first needed. It contains all emoji, and compiling it
  // would add 20 ms to every start. Trying all emoji at one character takes 3 µs. So lookaheads first check whether an emoji
  // with a joiner or a variation selector can begin there.
  return text.replace(
    /((?=\p{Emoji}[\p{Emoji_Modifier}\ufe0f]?\u200d\p{Emoji})\p{RGI_Emoji_ZWJ_Sequence}|(?=\p{Emoji}\ufe0f)(?:\p{Emoji_Keycap_Sequence}|\p{Basic_Emoji})|\p{RGI_Emoji_Tag_Sequence})|[\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/gv,
    "$1",
  );
}

let segmenter: Intl.Segmenter | undefined;

/** The segmenter's tables take memory and time, so it is made when needed. */
function graphemesOf(line: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(line);
}

/** One visible line. The caller shows at most `max` units of it. */
function clean(text: string, max: number): string {
  const visible = withoutInvisible(text.slice(0, readFor(max)).replace(/\s+/gu, " "))
    .replace(piledMarks, "$1")
    .normalize("NFC")
    .replace(/ {2,}/g, " ")
    .trim();
  return visible !== "" && text.length > readFor(max) ? visible + ellipsis : visible;
}

/**
 * The library's `escapeMarkdown` ignores links, custom emojis, mentions, timestamps, quotes and subtext. A character is escaped
 * only where Discord would act on it, so that an ordinary title stays readable on a locked phone.
 */
function inert(line: string): string {
  return line
    .replace(/[\\`*<]|(?<![0-9a-z])_|_(?![0-9a-z])/gi, "\\$&")
    .replace(/~(?=~)|(?<=~)~|\|(?=\|)|(?<=\|)\|/g, "\\$&") // strike-through, spoiler
    .replace(/\](?=\()/g, "]\\") // masked link
    .replace(/:(?=\/|[\w+-]+:)/g, "\\:") // bare link, :emoji:
    .replace(/@(?=everyone|here)/gi, "\\@")
    .replace(/^(?:#{1,3}(?= |$)|>|[-+](?= |#|$))/, "\\$&") // heading, quote, list, subtext
    .replace(/^(\d+)(?=[.)])/, "$1\\");
}

/**
 * Cuts `line` at its end, between graphemes, until `made(line)` has at most `max` units, and adds an ellipsis. A longer input
 * must not make the result of `made` shorter.
 */
function cut(line: string, max: number, made: (text: string) => string): string {
  const whole = line.length <= max ? made(line) : undefined;
  if (whole !== undefined && whole.length <= max) return whole;
  const ends: number[] = [];
  for (const { index, segment } of graphemesOf(line)) {
    const end = index + segment.length;
    if (end + ellipsis.length > max) break;
    ends.push(end);
  }
  // Binary search, because trying each prefix took a quarter of a second for 4,000 characters that are escaped.
  let longest = "";
  for (let least = 0, most = ends.length; least < most; ) {
    const middle = (least + most) >> 1;
    const text = made(line.slice(0, ends[middle]).trimEnd());
    if (text.length + ellipsis.length > max) most = middle;
    else [longest, least] = [text, middle + 1];
  }
  return longest + ellipsis;
}

/**
 * Makes any text harmless: one line in which no markdown, mention, timestamp, emoji code or link works. It has at most `max`
 * UTF-16 units *after* escaping. A longer line is cut between graphemes. `fallback` replaces a text without visible characters.
 */
export function plain(text: string, max: number, fallback: string = dash): string {
  const line = clean(text, max) || fallback;
  // Right-to-left letters would change the order of the numbers next to them, so the text is isolated.
  if (max > 2 && rightToLeft.test(text.slice(0, readFor(max)))) return `\u2068${cut(line, max - 2, inert)}\u2069`;
  return cut(line, max, inert);
}

/** As {@link plain}, without escapes and isolation: for buttons, menus, windows and choices, which have no markdown. */
export function label(text: string, max: number, fallback: string = dash): string {
  return cut(clean(text, max) || fallback, max, (line) => line);
}

/** Inline code: nothing in the text works as markdown, and a reader can copy it. At most `max` units with the backticks. */
export function code(text: string, max: number): string {
  return `\`${label(text, max - 2).replaceAll("`", "ˋ")}\``;
}

export const warning = (line: string) => `⚠️ ${line}`;

/** For a uuid, this is the part before the first hyphen. */
export function shortId(id: string): string {
  return code(id.slice(0, 8), 10);
}

/** Cuts finished markdown between graphemes, so that Discord does not refuse it for its length. */
export function clip(text: string, max: number): string {
  return cut(text, max, (line) => line);
}
