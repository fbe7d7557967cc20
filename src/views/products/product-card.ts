import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { Product } from "../../store-api/schemas.ts";
import { accent, container, gallery, message, separator, textBudget, textDisplay } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { money, quantity } from "../parts/money.ts";
import type { ActionRow, MessagePayload } from "../parts/payload.ts";
import { code, fitLines, plain } from "../parts/text.ts";
import { when } from "../parts/time.ts";

/** Discord's limits on a gallery and on a picture's address, and what the card has room for. */
const picturesMax = 10;
const urlMax = 2_048;
const detailsMax = 1_000;

/** A product as a card needs it: a listed one as it is, or one that is yet to be created (no id, slug, date). */
export type CardProduct = Pick<Product, "categoryId" | "pricing"> & {
  readonly id?: string;
  /** Epoch ms. */
  readonly createdAt?: number;
  readonly info: Pick<Product["info"], "title" | "description" | "images"> & { readonly slug?: string };
};

/**
 * The address as Discord takes it, or nothing: http(s), a host name with a dot, no user name in it. Discord refuses the
 * whole message for one address that it cannot use, so all that is odd is left out.
 */
export function pictureUrl(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(url.hostname) || url.href.length > urlMax) return undefined;
  return url.href;
}

/** "10.00" or "10.00 ~~15.00~~" */
export function priceLine(pricing: Product["pricing"], ctx: ViewContext): string {
  const { price, comparation } = pricing;
  const compared = comparation !== undefined && comparation > 0 && comparation !== price;
  return `**${money(price, ctx)}**${compared ? ` ~~${money(comparation, ctx)}~~` : ""}`;
}

/** Titles that stand for a category, and units of each: enough to tell it by, on two lines of a phone. */
const titlesMax = 3;
const titleMax = 40;

/**
 * A category as people know it: the API names none, so by what is in it, and by its id where that is not known.
 *
 * @param inCategory titles of products in it; may be anybody's text
 */
export function categoryText(categoryId: string, inCategory: readonly string[], locale: Locale): string {
  const { products: say, common } = texts(locale);
  const titles = inCategory.filter((title) => title.trim() !== "");
  if (titles.length === 0) return `${common.id} ${code(categoryId, 110)}`;
  const more = titles.length > titlesMax ? `, ${common.more(quantity(titles.length - titlesMax, locale))}` : "";
  const shown = titles.slice(0, titlesMax).map((title) => plain(title, titleMax));
  return say.categoryWith(shown.join(", ") + more);
}

/**
 * One product with all that the API says about it. `details` are further lines (finished markdown; those beyond 1,000 units are counted),
 * `heading` stands above the card; rows (buttons) stand below;
 * `inCategory` are titles of other products in its category, as far as they are known.
 */
export function productCard(
  product: CardProduct,
  ctx: ViewContext,
  options: {
    readonly rows?: readonly ActionRow[];
    readonly heading?: string;
    readonly details?: readonly string[];
    readonly inCategory?: readonly string[];
  } = {},
): MessagePayload {
  const { products: say, common } = texts(ctx.locale);
  const { title, description, images, slug } = product.info;
  const head = `### ${plain(title, 256, say.untitled)}\n${priceLine(product.pricing, ctx)}`;
  const facts = [
    `${say.category}: ${categoryText(product.categoryId, options.inCategory ?? [], ctx.locale)}`,
    ...(slug === undefined ? [] : [`${say.slug}: ${code(slug, 200)}`]),
    ...(product.id === undefined
      ? []
      : [`${common.id}: ${code(product.id, 110)}`, `${common.created}: ${when(product.createdAt)}`]),
    ...(options.details === undefined || options.details.length === 0
      ? []
      : [
          fitLines(
            options.details,
            (line) => line,
            detailsMax,
            (left) => common.more(String(left)),
          ),
        ]),
  ].join("\n");
  const heading = options.heading ?? "";
  const room = textBudget - head.length - facts.length - heading.length;
  const pictures = [...new Set(images.map(pictureUrl).filter((url) => url !== undefined))].slice(0, picturesMax);
  return message([
    container(accent, [
      ...(heading === "" ? [] : [textDisplay(heading)]),
      textDisplay(head),
      textDisplay(plain(description, Math.max(room, 20), say.noDescription)),
      ...(pictures.length === 0 ? [] : [gallery(pictures)]),
      separator(),
      textDisplay(facts),
    ]),
    ...(options.rows ?? []),
  ]);
}
