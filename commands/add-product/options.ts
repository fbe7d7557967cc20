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

const videoHosts: ReadonlySet<string> = new Set(["youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be"]);

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

function pictures(text: string): string[] {
  const links = text.split(/\s+/).filter(Boolean).map(webLink);
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

/**
 * The product as far as the options tell it: no texts and no stock yet. `image` may hold several links with white space
 * between them, for the API takes a list. Throws a `ProblemError` for what the API should not be asked.
 */
export function productFrom(options: OptionValues<typeof addProductOptions>): NewProduct {
  const title = options.title.trim();
  if (label(title, TITLE_MAX, "") === "") throw new ProblemError({ code: "bad_title" });
  const utils = {
    hideSales: options["hide-sales"],
    hideProduct: options["hide-product"],
    minQuantity: options["min-quantity"],
  };
  return {
    type: "DEFAULT",
    categoryId: categoryIn(options.category),
    info: {
      title,
      images: options.image === undefined ? undefined : pictures(options.image),
      youtubeLink: options.youtube === undefined ? undefined : video(options.youtube),
    },
    pricing: { price: options.price, comparation: options["compare-at"] },
    inventory: { type: "SERIAL" },
    utils: Object.values(utils).every((value) => value === undefined) ? undefined : utils,
    chat: options.chat === undefined ? undefined : { enabled: options.chat },
  };
}
