import { titleMax } from "../basics/limits/limits-in-texts.ts";
import { priceTextMax } from "../views/parts/numbers.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { label } from "../views/parts/text.ts";
import { picturesMax, webLink } from "../views/products/product-card.ts";
import { type PriceHabits, readPrice } from "./price.ts";

const videoHosts: ReadonlySet<string> = new Set([
  "youtube.com",
  "www.youtube.com",
  "m.youtube.com",
  "music.youtube.com",
  "youtube-nocookie.com",
  "www.youtube-nocookie.com",
  "youtu.be",
  "www.youtu.be",
]);

/** Throws a `ProblemError` ("bad_title") if the title has no visible character. */
export function titleIn(typed: string): string {
  const title = typed.trim();
  if (label(title, titleMax, "") === "") throw new ProblemError({ code: "bad_title" });
  return title;
}

/** A comma inside a link is a part of the link. */
const betweenLinks = /\s+,*|(?<!,),+(?=\s|$|https?:)/i;

/**
 * The links are separated by white space or commas. Throws a `ProblemError` ("bad_picture") if one of them is invalid, or if
 * there are none or too many.
 */
export function picturesIn(text: string): string[] {
  const pieces = text.split(betweenLinks).filter(Boolean);
  const links = pieces.slice(0, picturesMax).flatMap((piece) => webLink(piece) ?? []);
  if (links.length === 0 || links.length < pieces.length) throw new ProblemError({ code: "bad_picture" });
  return links.map(({ href }) => href);
}

/** Throws a `ProblemError` ("bad_video") if the text is no link to YouTube. */
export function videoIn(text: string): string {
  const link = webLink(text.trim());
  if (link === undefined || !videoHosts.has(link.host)) throw new ProblemError({ code: "bad_video" });
  return link.href;
}

/** A whole number from 1, with at most 15 digits. Throws a `ProblemError` ("bad_quantity") for any other text. */
export function quantityIn(typed: string): number {
  const quantity = /^\d{1,15}$/.test(typed) ? Number(typed) : 0;
  if (quantity === 0) throw new ProblemError({ code: "bad_quantity" });
  return quantity;
}

/**
 * If the text can be read in two ways, `doubtful` is the text. Throws a `ProblemError`: "bad_decimals" for more decimals than
 * the server's currency has, "bad_price" for anything else that is no price.
 */
export function priceIn(typed: string, habits: PriceHabits): { amount: number; doubtful?: string } {
  const read = readPrice(typed, habits);
  if (read === undefined) {
    const isPrice = readPrice(typed, { ...habits, decimals: priceTextMax }) !== undefined;
    throw new ProblemError({ code: isPrice ? "bad_decimals" : "bad_price" });
  }
  return { amount: read.amount, doubtful: read.isDoubtful ? typed.trim() : undefined };
}
