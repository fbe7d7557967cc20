import type { Product } from "../store-api/schemas.ts";
import { longestCell } from "./csv.ts";
import { isoMoment } from "./order-plan.ts";
import type { ExportPlan } from "./run-export.ts";

/** What would divide a link is written as addresses have it. */
const asOne = (link: string) => link.trim().replace(/\s|(?<!,),+(?=$|https?:)/gi, encodeURIComponent);

/** As many whole links as a cell takes, for half of one is none; and a sign where there are more. */
function links(images: readonly string[]): string {
  let text = "";
  for (const image of images) {
    const longer = `${text} ${asOne(image)}`.trimStart();
    if (longer.length > longestCell - 2) return `${text} …`.trimStart();
    text = longer;
  }
  return text;
}

/** Products as rows of a file, with all that the store lists of them. Columns are called as the store calls its fields. */
export const productPlan: ExportPlan<Product> = {
  columns: ["id", "type", "categoryId", "title", "description", "images", "slug", "price", "comparation", "createdAt"],
  cells: ({ id, type, categoryId, info, pricing, createdAt }) => [
    id,
    type,
    categoryId,
    info.title,
    info.description,
    links(info.images),
    info.slug,
    pricing.price,
    pricing.comparation,
    isoMoment(createdAt),
  ],
  sort: () => "wanted",
  isPast: () => false,
};
