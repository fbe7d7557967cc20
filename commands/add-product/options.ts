import { z } from "zod";
import type { Options, OptionValues, Suggest } from "../../src/discord/define-command.ts";
import type { Services } from "../../src/services.ts";
import type { Aside } from "../../src/sessions/drafts.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { categoryIn, suggestCategories } from "../../src/store-queries/categories.ts";
import { ProblemError } from "../../src/views/problem.ts";
import { label } from "../../src/views/text.ts";
import { type PriceHabits, priceTextMax, readPrice } from "./price.ts";

/** What a card shows of a title, in characters. */
const titleMax = 256;
const linkMax = 2_048;
const picturesMax = 10;
/** What a field of a window takes, where the pictures can be edited. */
const linksMax = 4_000;

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

// The bounds of an option are kept by people's own Discord clients: what arrives need not keep them.
const quantity = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(1));

const suggestKnown: Suggest<Services> = async (typed, { guildId }, services) =>
  suggestCategories(typed, await services.connected(guildId));

/** The short fields of a product; the long ones are asked for in the modal. */
export const addProductOptions = {
  title: { kind: "string", required: true, max: titleMax },
  price: { kind: "string", required: true, max: priceTextMax },
  category: { kind: "string", required: true, max: 100, suggest: suggestKnown },
  "compare-at": { kind: "string", max: priceTextMax },
  image: { kind: "string", max: linksMax },
  youtube: { kind: "string", max: linkMax },
  "min-quantity": { kind: "integer", min: 1 },
  "hide-sales": { kind: "boolean" },
  "hide-product": { kind: "boolean" },
  chat: { kind: "boolean" },
} as const satisfies Options<Services>;

/** Throws a `ProblemError` ("bad_title") where nothing is visible. */
export function titleIn(typed: string): string {
  const title = typed.trim();
  if (label(title, titleMax, "") === "") throw new ProblemError({ code: "bad_title" });
  return title;
}

function webLink(text: string): URL | undefined {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain && url.href.length <= linkMax ? url : undefined;
}

/** A comma inside an address is part of it: some picture hosts put their settings there. */
const betweenLinks = /\s+,*|,+(?=\s|$|https?:)/i;

/** The links in a text, with white space or commas between them. Throws a `ProblemError` ("bad_picture"). */
export function picturesIn(text: string): string[] {
  const links = text.split(betweenLinks).filter(Boolean).map(webLink);
  const found = links.filter((link) => link !== undefined);
  if (found.length === 0 || found.length < links.length || found.length > picturesMax) {
    throw new ProblemError({ code: "bad_picture" });
  }
  return found.map(({ href }) => href);
}

/** Throws a `ProblemError` ("bad_video") for anything but a link to YouTube. */
export function videoIn(text: string): string {
  const link = webLink(text.trim());
  if (link === undefined || !videoHosts.has(link.host)) throw new ProblemError({ code: "bad_video" });
  return link.href;
}

/** Throws a `ProblemError` ("bad_quantity") for anything but a whole number from 1. */
export function quantityIn(typed: string | number): number {
  const { data } = quantity.safeParse(typed);
  if (data === undefined) throw new ProblemError({ code: "bad_quantity" });
  return data;
}

/** A price, and the text itself where it can be read in two ways. Throws a `ProblemError` ("bad_price"). */
export function priceIn(typed: string | number, habits: PriceHabits): { amount: number; doubtful?: string } {
  const read = readPrice(typed, habits);
  if (read === undefined) throw new ProblemError({ code: "bad_price" });
  return { amount: read.amount, doubtful: read.isDoubtful ? String(typed).trim() : undefined };
}

/** Nothing where nobody chose anything. */
export const utilsOf = (utils: NonNullable<NewProduct["utils"]>): NewProduct["utils"] =>
  Object.values(utils).every((value) => value === undefined) ? undefined : utils;

/**
 * The product as far as the options tell it: no texts and no stock yet. `image` may hold several links with white space
 * or commas between them, for the API takes a list. Throws a `ProblemError` for what the API should not be asked.
 */
export function productFrom(
  options: OptionValues<typeof addProductOptions>,
  habits: PriceHabits,
): { product: NewProduct; aside: Aside } {
  const { image, youtube, chat, "compare-at": compareAt, "min-quantity": minQuantity } = options;
  const title = titleIn(options.title);
  const price = priceIn(options.price, habits);
  const comparation = compareAt === undefined ? undefined : priceIn(compareAt, habits);
  const utils = {
    hideSales: options["hide-sales"],
    hideProduct: options["hide-product"],
    minQuantity: minQuantity === undefined ? undefined : quantityIn(minQuantity),
  };
  const product: NewProduct = {
    type: "DEFAULT",
    categoryId: categoryIn(options.category),
    info: {
      title,
      images: image === undefined ? undefined : picturesIn(image),
      youtubeLink: youtube === undefined ? undefined : videoIn(youtube),
    },
    pricing: { price: price.amount, comparation: comparation?.amount },
    inventory: { type: "SERIAL" },
    utils: utilsOf(utils),
    chat: chat === undefined ? undefined : { enabled: chat },
  };
  return { product, aside: { doubtful: { price: price.doubtful, comparation: comparation?.doubtful } } };
}
