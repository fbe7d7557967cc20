/** Shown where there is nothing to show. */
export const dash = "—";

const ellipsis = "…";
/** No message has room for more, and a text of megabytes would cost seconds; in UTF-16 units. */
const longestRead = 5_000;

/** No script needs more than four marks on one letter; "Zalgo" text has hundreds. */
const piledMarks = /(\p{M}{4})\p{M}+/gu;

/** The blocks of right-to-left scripts, without what is not shown. */
const rightToLeft =
  /[[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]--[\p{C}\p{Default_Ignorable_Code_Point}]]/v;

/** How many letters further on may change what a letter looks like: the longest emoji is made of six. */
const lookAhead = 10;

/** As much of a text as decides what its first `most` units look like: to clean all of it would be work for nothing. */
function beginning(text: string, most: number): string {
  const read = text.slice(0, longestRead);
  if (read.length <= most + lookAhead) return read;
  // What is certainly shown, each for itself: no mark, no blank, nothing invisible, no vowel or end of a Korean syllable.
  const letter = /[^\p{M}\s\p{C}\p{Default_Ignorable_Code_Point}\u2800\u1160-\u11ff]/gv;
  for (let letters = 0; letters < most + lookAhead; letters += 1) if (!letter.test(read)) return read;
  return read.slice(0, letter.lastIndex);
}

/**
 * Emoji are kept whole, with the joiners and tags inside them. Everything else that draws nothing goes: control and
 * format characters, bidirectional overrides, lone surrogates, fillers, variation selectors, the blank Braille pattern.
 */
function withoutInvisible(text: string): string {
  // Written in here, it is made for the first text: all of the world's emoji, which took 20 ms of every start. To go
  // through all of them for one character takes 3 µs, so that is done only where one may hold what would otherwise go.
  return text.replace(
    /((?=\p{Emoji}[\p{Emoji_Modifier}\ufe0f]?\u200d\p{Emoji})\p{RGI_Emoji_ZWJ_Sequence}|(?=\p{Emoji}\ufe0f)(?:\p{Emoji_Keycap_Sequence}|\p{Basic_Emoji})|\p{RGI_Emoji_Tag_Sequence})|[\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/gv,
    "$1",
  );
}

let segmenter: Intl.Segmenter | undefined;

/** Made for the first text that is cut: its tables take memory, and time at the start. */
function graphemesOf(line: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(line);
}

/** One visible line, or the first `most` units of it and more: NFC, no invisible characters, white space collapsed, trimmed. */
function clean(text: string, most: number): string {
  const visible = withoutInvisible(beginning(text, most).replace(/\s+/gu, " "))
    .replace(piledMarks, "$1")
    .normalize("NFC")
    .replace(/ {2,}/g, " ")
    .trim();
  return visible !== "" && text.length > longestRead ? visible + ellipsis : visible;
}

/**
 * Discord's markdown as text. The library's `escapeMarkdown` is of no use on hostile text: it leaves what stands in links
 * and custom emojis alone and knows no mentions, timestamps, bare links, quotes or subtext. Only what would act is
 * escaped, so that an ordinary title stays readable in logs and on a locked phone: an underscore between two letters is
 * not, because Discord ends no italics before a letter.
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
 * The longest prefix by whole graphemes, with an ellipsis where something is cut, that is at most `max` after `made`,
 * which makes no text shorter than a shorter one.
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
  // Halved, not tried one by one: of 4,000 characters to be escaped that took a quarter of a second.
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
 * Anybody's text, harmless inside a text display: one line on which no markdown, mention, timestamp, emoji code or link
 * acts. At most `max` UTF-16 units *after* escaping (so never more characters than that), cut by grapheme with "…".
 * Text in which nothing is visible gives `fallback`.
 */
export function plain(text: string, max: number, fallback: string = dash): string {
  const line = clean(text, max) || fallback;
  // Right-to-left letters would draw the numbers next to them in another order; isolated, they keep to themselves.
  if (max > 2 && rightToLeft.test(text.slice(0, longestRead))) return `\u2068${cut(line, max - 2, inert)}\u2069`;
  return cut(line, max, inert);
}

/** As {@link plain}, unescaped: for buttons, menu options, modal fields and autocomplete choices, which know no markdown. */
export function label(text: string, max: number, fallback: string = dash): string {
  return cut(clean(text, max) || fallback, max, (line) => line);
}

/** Anybody's text in `code`, where nothing acts and a reader can copy it; at most `max` units with the backticks. */
export function code(text: string, max: number): string {
  return `\`${label(text, max - 2).replaceAll("`", "ˋ")}\``;
}

/** The first characters of an id as lists show them: 8, which is a uuid up to its first hyphen. */
export function shortId(id: string): string {
  return code(id.slice(0, 8), 10);
}

/** Finished markdown of unknown length, cut by grapheme so that nothing is refused for its length. */
export function clip(text: string, max: number): string {
  return cut(text, max, (line) => line);
}

/**
 * One line for each item, as many as fit into `max` units; where some do not, `more(left)` says how many in the last
 * line. `more` must be shorter than `max`.
 */
export function fitLines<Item>(
  items: readonly Item[],
  line: (item: Item) => string,
  max: number,
  more: (left: number) => string,
): string {
  const rest = more(items.length).length + 1;
  const kept: string[] = [];
  let units = -1;
  // Where the rest fits only in place of the "more", that is known at the end: `fitting` lines fit with it.
  let fitting = 0;
  for (const item of items) {
    const next = line(item);
    units += next.length + 1;
    if (units > max) return [...kept.slice(0, fitting), more(items.length - fitting)].join("\n");
    kept.push(next);
    if (units + rest <= max) fitting = kept.length;
  }
  return kept.join("\n");
}
