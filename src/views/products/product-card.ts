import { titleMax } from "../../basics/limits/limits-in-texts.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { Product } from "../../store-api/schemas.ts";
import { accent, container, gallery, message, separator, textBudget, textDisplay } from "../parts/components.ts";
import type { ViewContext } from "../parts/context.ts";
import { andMore, fitLines } from "../parts/fit-lines.ts";
import { money } from "../parts/money.ts";
import type { ActionRow, MessagePayload } from "../parts/payload.ts";
import { code, plain } from "../parts/text.ts";
import { when } from "../parts/time.ts";

/** Discord's limit on a gallery. */
export const picturesMax = 10;
/** Discord's limit, in characters. */
export const linkMax = 2_048;
/** UTF-16 units. */
const detailsMax = 1_000;

/** A product that is not created yet has no id, slug and date. */
export type CardProduct = Pick<Product, "categoryId" | "pricing"> & {
  readonly id?: string;
  /** Epoch ms. */
  readonly createdAt?: number;
  readonly info: Pick<Product["info"], "title" | "description" | "images"> & { readonly slug?: string };
};

/** The length is checked twice, because one typed character can become several in a URL. */
export function webLink(text: string): URL | undefined {
  if (text.length > linkMax) return undefined;
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain && url.href.length <= linkMax ? url : undefined;
}

/** Undefined if Discord would refuse a message with this URL, for example because the host name has no dot. */
export function pictureUrl(text: string): string | undefined {
  const link = webLink(text.trim());
  return link && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(link.hostname) ? link.href : undefined;
}

/** "10.00" or "10.00 ~~15.00~~" */
export function priceLine(pricing: Product["pricing"], ctx: ViewContext): string {
  const { price, comparation } = pricing;
  const compared = comparation !== undefined && comparation > 0 && comparation !== price;
  return `**${money(price, ctx)}**${compared ? ` ~~${money(comparation, ctx)}~~` : ""}`;
}

/** Three titles of 40 characters take up to four lines on a phone. */
const titlesMax = 3;
const shortTitleMax = 40;

/** The API has no names of categories. If no title is known, the text is the id. */
export function categoryText(categoryId: string, inCategory: readonly string[], locale: Locale): string {
  const { products: say, common } = texts(locale);
  const titles = inCategory.filter((title) => title.trim() !== "");
  if (titles.length === 0) return `${common.id} ${code(categoryId, 110)}`;
  const more = titles.length > titlesMax ? `, ${andMore(titles.length - titlesMax, locale)}` : "";
  const shown = titles.slice(0, titlesMax).map((title) => plain(title, shortTitleMax));
  return say.categoryWith(shown.join(", ") + more);
}

/** `details` are lines of finished markdown. If lines do not fit into 1,000 units, the card shows only their number. */
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
  const head = `### ${plain(title, titleMax, say.untitled)}\n${priceLine(product.pricing, ctx)}`;
  const details = fitLines(options.details ?? [], (line) => line, detailsMax, ctx.locale);
  const facts = [
    `${say.category}: ${categoryText(product.categoryId, options.inCategory ?? [], ctx.locale)}`,
    ...(slug === undefined ? [] : [`${say.slug}: ${code(slug, 200)}`]),
    ...(product.id === undefined
      ? []
      : [`${common.id}: ${code(product.id, 110)}`, `${common.created}: ${when(product.createdAt)}`]),
    ...(details === "" ? [] : [details]),
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
