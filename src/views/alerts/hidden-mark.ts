import { hash } from "node:crypto";

/** Characters that take no room and join nothing, each two bits. What others wrote is shown without them (`plain`). */
const symbols = ["\u200b", "\u200c", "\u200d", "\u2060"];
const symbolsInMark = 30;
const marks = new RegExp(`[${symbols.join("")}]{${symbolsInMark}}`, "g");
const bytes = 8;

/**
 * The same 30 invisible characters for the same things, told apart by 60 bits. They belong between words, because what
 * stands at the end of a message may be cut off. It is found again by {@link hiddenMarksIn}.
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

/** Whether a message with these marks was sent by a rule, and is no alert. An order's id in a custom id may look like one. */
export const isRouteMessage = (of: readonly string[]): boolean => of.some((mark) => hiddenMarksIn(mark)[0] === mark);

/** All marks of a text, in its order. */
export const hiddenMarksIn = (content: string): string[] => content.match(marks) ?? [];
