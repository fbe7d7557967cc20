import { z } from "zod";
import type { Options, OptionValues } from "../../src/discord/define-command.ts";
import { ProblemError } from "../../src/discord/problem-error.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { label } from "../../src/views/text.ts";
import { categoryIn, suggestCategories } from "../categories.ts";
import type { Services } from "../services.ts";

/** What a card shows of a title, in characters. */
const TITLE_MAX = 256;
const LINK_MAX = 2_048;
const PICTURES_MAX = 10;

/** Far above any price, and far below where a number with cents loses them. */
const PRICE_MAX = 1e12;

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
const numeric = z.union([
  z.number(),
  z
    .string()
    .trim()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number),
]);
const amount = numeric.pipe(z.number().min(0).max(PRICE_MAX));
const quantity = numeric.pipe(z.int().min(1));

/** The short fields of a product; the long ones are asked for in the modal. */
export const addProductOptions = {
  title: { kind: "string", required: true, max: TITLE_MAX },
  price: { kind: "number", required: true, min: 0 },
  category: { kind: "string", required: true, max: 100, suggest: suggestCategories },
  "compare-at": { kind: "number", min: 0 },
  image: { kind: "string" },
  youtube: { kind: "string" },
  "min-quantity": { kind: "integer", min: 1 },
  "hide-sales": { kind: "boolean" },
  "hide-product": { kind: "boolean" },
  chat: { kind: "boolean" },
} as const satisfies Options<Services>;

function webLink(text: string): URL | undefined {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain && url.href.length <= LINK_MAX ? url : undefined;
}

/** A comma inside an address is part of it: some picture hosts put their settings there. */
const betweenLinks = /\s+,*|,+(?=\s|$|https?:)/i;

function pictures(text: string): string[] {
  const links = text.split(betweenLinks).filter(Boolean).map(webLink);
  const found = links.filter((link) => link !== undefined);
  if (found.length === 0 || found.length < links.length || found.length > PICTURES_MAX) {
    throw new ProblemError({ code: "bad_picture" });
  }
  return found.map(({ href }) => href);
}

function video(text: string): string {
  const link = webLink(text.trim());
  if (link === undefined || !videoHosts.has(link.host)) throw new ProblemError({ code: "bad_video" });
  return link.href;
}

function numberIn(schema: typeof amount, value: number, code: "bad_price" | "bad_quantity"): number {
  const { data } = schema.safeParse(value);
  if (data === undefined) throw new ProblemError({ code });
  return data;
}

/**
 * The product as far as the options tell it: no texts and no stock yet. `image` may hold several links with white space
 * or commas between them, for the API takes a list. Throws a `ProblemError` for what the API should not be asked.
 */
export function productFrom(options: OptionValues<typeof addProductOptions>): NewProduct {
  const title = options.title.trim();
  if (label(title, TITLE_MAX, "") === "") throw new ProblemError({ code: "bad_title" });
  const { price, "compare-at": comparation, "min-quantity": minQuantity } = options;
  const utils = {
    hideSales: options["hide-sales"],
    hideProduct: options["hide-product"],
    minQuantity: minQuantity === undefined ? undefined : numberIn(quantity, minQuantity, "bad_quantity"),
  };
  return {
    type: "DEFAULT",
    categoryId: categoryIn(options.category),
    info: {
      title,
      images: options.image === undefined ? undefined : pictures(options.image),
      youtubeLink: options.youtube === undefined ? undefined : video(options.youtube),
    },
    pricing: {
      price: numberIn(amount, price, "bad_price"),
      comparation: comparation === undefined ? undefined : numberIn(amount, comparation, "bad_price"),
    },
    inventory: { type: "SERIAL" },
    utils: Object.values(utils).every((value) => value === undefined) ? undefined : utils,
    chat: options.chat === undefined ? undefined : { enabled: options.chat },
  };
}
