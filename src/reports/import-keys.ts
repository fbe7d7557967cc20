import { createHash } from "node:crypto";
import type { NewProduct } from "../store-api/schemas.ts";

/**
 * Call the returned function for all rows of a file in their sequence. A key is a hash of what is sent for the row, and of the
 * row's number among equal rows. So a file has the same keys each time. Equal rows have different keys, and each becomes a
 * separate product.
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
