import type { Aside } from "../../src/sessions/drafts.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import { type PriceHabits, typedPrice } from "../../src/store-queries/price.ts";
import { picturesIn, priceIn, quantityIn, titleIn, videoIn } from "../../src/store-queries/product-fields.ts";
import { typedMax } from "../../src/views/parts/modals.ts";
import { type ProductWindow, productFields, windowFields } from "../../src/views/products/add-product-modal.ts";
import { utilsOf } from "./options.ts";

type Fields = Readonly<Record<string, string>>;
/** A product, and those of its typed prices that can be read in two ways. */
interface Edited {
  readonly product: NewProduct;
  readonly doubtful?: Aside["doubtful"];
}

/** Makes the texts with which the fields of the short windows open, if no rejected texts are stored. */
export function fieldsOf({ info, pricing, categoryId, utils, chat }: NewProduct, habits: PriceHabits): Fields {
  const choice = (value: boolean | undefined) => (value === undefined ? "unset" : value ? "yes" : "no");
  return productFields({
    title: info.title,
    price: typedPrice(pricing.price, habits),
    "compare-at": pricing.comparation === undefined ? "" : typedPrice(pricing.comparation, habits),
    category: categoryId,
    "category-id": "",
    image: (info.images ?? []).join("\n"),
    youtube: info.youtubeLink ?? "",
    "min-quantity": utils?.minQuantity === undefined ? "" : String(utils.minQuantity),
    "hide-sales": choice(utils?.hideSales),
    "hide-product": choice(utils?.hideProduct),
    chat: choice(chat?.enabled),
  });
}

/** Returns the submitted fields of a window, cut to the lengths that Discord's clients allow. */
export const typedInto = (window: ProductWindow, fields: Fields): Record<string, string> =>
  Object.fromEntries(windowFields[window].map((name) => [name, (fields[name] ?? "").slice(0, typedMax)]));

/**
 * Applies the changes of a window to a product. An unchanged field changes nothing, because a field may open with less
 * than the product has, and a price may have more decimals than are accepted. Throws a `ProblemError`.
 */
export function edited(window: ProductWindow, before: Edited, fields: Fields, habits: PriceHabits): Edited {
  const opened = fieldsOf(before.product, habits);
  const changed = (name: string) => {
    const typed = fields[name]?.trim();
    return typed === opened[name]?.trim() ? undefined : typed;
  };
  return windows[window](before, changed, habits);
}

type Changed = (field: string) => string | undefined;

const windows: Record<ProductWindow, (before: Edited, changed: Changed, habits: PriceHabits) => Edited> = {
  basics({ product, doubtful }, changed, habits) {
    const title = changed("title");
    const price = changed("price");
    const compareAt = changed("compare-at");
    const category = changed("category-id") ?? changed("category");
    const read = price === undefined ? undefined : priceIn(price, habits);
    const compared = compareAt === undefined || compareAt === "" ? undefined : priceIn(compareAt, habits);
    return {
      product: {
        ...product,
        categoryId: category === undefined ? product.categoryId : categoryIn(category),
        info: { ...product.info, title: title === undefined ? product.info.title : titleIn(title) },
        pricing: {
          price: read?.amount ?? product.pricing.price,
          comparation: compareAt === undefined ? product.pricing.comparation : compared?.amount,
        },
      },
      doubtful: {
        price: read ? read.doubtful : doubtful?.price,
        comparation: compareAt === undefined ? doubtful?.comparation : compared?.doubtful,
      },
    };
  },

  media({ product, doubtful }, changed) {
    const image = changed("image");
    const youtube = changed("youtube");
    const info = {
      ...product.info,
      images: image === undefined ? product.info.images : image === "" ? undefined : picturesIn(image),
      youtubeLink: youtube === undefined ? product.info.youtubeLink : youtube === "" ? undefined : videoIn(youtube),
    };
    return { product: { ...product, info }, doubtful };
  },

  options({ product, doubtful }, changed) {
    const quantity = changed("min-quantity");
    const chosen = (field: string, before: boolean | undefined) => {
      const value = changed(field);
      return value === undefined ? before : value === "yes" ? true : value === "no" ? false : undefined;
    };
    const { utils, chat } = product;
    const enabled = chosen("chat", chat?.enabled);
    const { autoMessages } = chat ?? {};
    return {
      product: {
        ...product,
        utils: utilsOf({
          hideSales: chosen("hide-sales", utils?.hideSales),
          hideProduct: chosen("hide-product", utils?.hideProduct),
          minQuantity: quantity === undefined ? utils?.minQuantity : quantity === "" ? undefined : quantityIn(quantity),
        }),
        chat: enabled === undefined && autoMessages === undefined ? undefined : { enabled, autoMessages },
      },
      doubtful,
    };
  },
};
