import { hash } from "node:crypto";

/**
 * Four characters without width. Each carries two bits of the hidden mark. People do not see the mark. By the mark, the bot
 * finds its own message again. `plain` removes these characters from the texts of stores and people.
 */
const symbols = ["\u200b", "\u200c", "\u200d", "\u2060"];
const symbolsInMark = 30;
const marks = new RegExp(`[${symbols.join("")}]{${symbolsInMark}}`, "g");
const bytes = 8;

/**
 * Returns 30 invisible characters with 60 bits of a hash of `what`. The same input has the same mark. Put the mark between
 * words, because the end of a message may be cut off. {@link hiddenMarksIn} finds the mark again.
 */
export function hiddenMark(what: readonly string[]): string {
  let bits = hash("sha256", JSON.stringify(what), "buffer").readBigUInt64BE() >> BigInt(bytes * 8 - symbolsInMark * 2);
  let mark = "";
  for (let index = 0; index < symbolsInMark; index++) {
    mark += symbols[Number(bits & 3n)];
    bits >>= 2n;
  }
  return mark;
}

/**
 * Whether one of these marks (custom ids and hidden marks of a message) is a hidden mark. Only messages of rules have one. A
 * custom id that contains a hidden mark does not count, because the store chooses the order's id in it.
 */
export const isRuleMessage = (of: readonly string[]): boolean => of.some((mark) => hiddenMarksIn(mark)[0] === mark);

/** Returns all hidden marks of a text, in their sequence. */
export const hiddenMarksIn = (content: string): string[] => content.match(marks) ?? [];
