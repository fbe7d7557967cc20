import { hash } from "node:crypto";

/** Characters of no width that join nothing. Each carries two bits. `plain` removes them from other people's texts. */
const symbols = ["\u200b", "\u200c", "\u200d", "\u2060"];
const symbolsInMark = 30;
const marks = new RegExp(`[${symbols.join("")}]{${symbolsInMark}}`, "g");
const bytes = 8;

/**
 * 30 invisible characters with 60 bits of a digest of `what`: the same input has the same mark. Put the mark between
 * words, because the end of a message may be cut off. {@link hiddenMarksIn} finds it again.
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

/** Whether the message was sent by a rule, and is no alert. An order's id in a custom id may look like a mark. */
export const isRouteMessage = (of: readonly string[]): boolean => of.some((mark) => hiddenMarksIn(mark)[0] === mark);

/** All marks of a text, in their sequence. */
export const hiddenMarksIn = (content: string): string[] => content.match(marks) ?? [];
