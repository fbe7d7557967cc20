import { hash } from "node:crypto";

/**
 * Characters without width. Each stands for two bits of an invisible mark, by which the bot finds its message again. `plain`
 * removes these characters from the texts of stores and people, except joiners inside an emoji.
 */
const symbols = ["\u200b", "\u200c", "\u200d", "\u2060"];
const symbolsInMark = 30;
const marks = new RegExp(`[${symbols.join("")}]{${symbolsInMark}}`, "g");
const bytes = 8;

/** An invisible mark: 60 bits of a hash of `what`. Put it between words, because the end of a message may be cut off. */
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
 * `of`: custom ids and hidden marks of a message. Only messages of rules have a hidden mark. A custom id that contains the
 * characters of a mark does not count: the order's id in it comes from the store.
 */
export const isRuleMessage = (of: readonly string[]): boolean => of.some((mark) => hiddenMarksIn(mark)[0] === mark);

export const hiddenMarksIn = (content: string): string[] => content.match(marks) ?? [];
