import { createHash } from "node:crypto";
import type { NewProduct } from "../store-api/schemas.ts";

/**
 * Call the returned function for the rows of a file, in their sequence. It returns the key of a row: a hash of the row's
 * content, and of the count of equal rows up to this row. So a file has the same keys each time, and equal rows become separate
 * products.
 */
export function createImportKeys(): (product: NewProduct) => string {
  const counts = new Map<string, number>();
  return ({ categoryId, info, pricing }) => {
    const { title, description = "", images = [] } = info;
    const content = [categoryId.toLowerCase(), title, description, images, pricing.price, pricing.comparation ?? ""];
    const same = JSON.stringify(content);
    const count = (counts.get(same) ?? 0) + 1;
    counts.set(same, count);
    return createHash("sha256").update(`${count} ${same}`).digest("base64url").slice(0, 22);
  };
}
