import { z } from "zod";
import { fromEpoch, parseTime } from "./parse-time.ts";

// The API does not always follow its document. A number may be a numeric string, a text may be a number, and an optional field
// may be null. A missing field (other than an id) gets a default, and so does an invalid descriptive text, such as a title. An
// invalid total, price or status makes the row invalid: people are told of missing rows, but could not notice a wrong total.
// Most fields have only one zod transform, because each transform takes time for every row.

const anything = z.unknown().optional();
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value === undefined || value === null ? "" : undefined;
}
/** A status has at most this many characters, because menus show statuses and records store them. */
const longestStatus = 100;
/** Titles, names and payment methods are cut to this length. No view shows more than 300 characters. */
const longestText = 500;
/** A Discord message has at most 4,000 characters. */
const longestDescription = 4_000;
const longestImageUrl = 2_048;
/** More than the 10 images that Discord shows, because some links may be invalid. */
const mostImages = 50;
/** At most this many items of an order are read. A card has space for about 100, a cell of a file for about 1,000. */
const mostLines = 500;
const mostImagesInFile = 100;

const cut = (value: string, most: number) =>
  value.length <= most ? value : copied(value.slice(0, most).replace(/[\uD800-\uDBFF]$/, ""));
/** Without the copy, the part would keep the whole text in memory. */
const copied = (part: string) => Buffer.from(part, "utf16le").toString("utf16le");
const describing = (most: number) => anything.transform((value) => cut(textOf(value) ?? "", most));
const description = describing(longestText);
/** Not cut: the size of the whole answer is the only limit. */
const wholeText = anything.transform((value) => textOf(value) ?? "");
const status = anything.transform((value, context) => {
  const text = textOf(value);
  if (text !== undefined && text.length <= longestStatus) return text;
  context.addIssue("no status");
  return z.NEVER;
});
/** `more`: how many rows are left out, because they are invalid or too many. */
function rowsIn<Row>(value: unknown, row: z.ZodType<Row>, most: number): { rows: Row[]; more: number } {
  const values: readonly unknown[] = Array.isArray(value) ? value.filter((one) => one !== null) : [];
  // Only the first `most` are parsed, because there may be tens of thousands of rows.
  const rows = values.slice(0, most).flatMap((one) => row.safeParse(one).data ?? []);
  return { rows, more: values.length - rows.length };
}
const longestNumber = 1_000;
const numeric = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");
export const optionalNumber = anything.transform((value, context): number | undefined => {
  if (isBlank(value)) return undefined;
  const isNumeric = typeof value === "string" && value.length <= longestNumber && numeric.test(value.trim());
  const number = isNumeric ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  context.addIssue("no number");
  return z.NEVER;
});
const numberOr = (fallback: number) => optionalNumber.transform((value) => value ?? fallback);
/** Epoch ms. Undefined if the time is missing or impossible. */
const moment = anything.transform((value): number | undefined => {
  if (typeof value === "number") return fromEpoch(value);
  return typeof value === "string" ? parseTime(value) : undefined;
});
/** If the object is missing or null, each of its fields gets its default. */
const lenientObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.object(shape));

/**
 * The id of an order or product has at most this many characters. A key in the storage has at most 255 characters, and may
 * contain an id, the kind of a message and the id of a rule.
 */
const longestId = 150;
/** Whether the id would change the meaning of a URL, a storage key or a message. */
const isUnsafeId = (text: string) => !text.isWellFormed() || /\p{Cc}|^\.{1,2}$/u.test(text);
/** A text or a safe integer. Larger integers are refused, because several of them become the same JavaScript number. */
const id = anything.transform((value, context) => {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === "string" && text !== "" && text.length <= longestId && !isUnsafeId(text)) return text;
  context.addIssue("no id");
  return z.NEVER;
});

export const isOrderId = (text: string): boolean => id.safeParse(text).success;

/** An amount that only explains the total. */
const partOfTotal = numberOr(0).catch(0);

/** store-open-api 2.3. Parsing drops other fields, for example an item's delivered goods. Money is in the store's own unit. */
export const orderSchema = orderWith(description);
/** An order for a file, with whole texts. */
export const wholeOrderSchema = orderWith(wholeText);
export type Order = z.infer<typeof orderSchema>;
function orderWith(text: typeof wholeText) {
  // NaN is shown as a dash. If the item were left out, people would send too few pieces.
  const price = numberOr(0).catch(Number.NaN);
  const line = z.object({ productId: text, productTitle: text, quantity: numberOr(1), price });
  const order = z.object({
    id,
    status,
    customer: lenientObject({ email: text, name: text }).catch({ email: "", name: "" }),
    items: anything.transform((value) => rowsIn(value, line, mostLines)),
    pricing: lenientObject({ subtotal: partOfTotal, discount: partOfTotal, total: numberOr(0) }),
    paymentMethod: text,
    createdAt: moment,
  });
  return order.transform(({ items: { rows, more }, ...fields }) => ({
    ...fields,
    items: rows,
    ...(more > 0 && { moreItems: more }),
  }));
}

/** zod's `max` counts characters, but Discord counts UTF-16 units. */
const imageUrl = z.string().refine((url) => url.length <= longestImageUrl);

/** store-open-api 2.2 */
export const productSchema = productWith(
  description,
  describing(longestDescription),
  anything.transform((value) => rowsIn(value, imageUrl, mostImages).rows),
);
/** A product for a file, with whole texts and links. If links are left out, the last link is "…". */
export const wholeProductSchema = productWith(
  wholeText,
  wholeText,
  anything.transform((value) => {
    const { rows, more } = rowsIn(value, z.string(), mostImagesInFile);
    return more > 0 ? [...rows, "…"] : rows;
  }),
);
function productWith(text: typeof wholeText, longText: typeof wholeText, images: z.ZodType<string[]>) {
  return z.object({
    id,
    type: text,
    categoryId: text,
    info: lenientObject({ title: text, description: longText, images, slug: text }).catch({
      title: "",
      description: "",
      images: [],
      slug: "",
    }),
    pricing: lenientObject({ price: numberOr(0), comparation: optionalNumber }),
    createdAt: moment,
  });
}
export type Product = z.infer<typeof productSchema>;

/**
 * store-open-api 2.1. The document does not say which fields of `info` are required. It does not mention `TEXT` and `FILE`, but
 * other clients of the service send them.
 */
export const newProductSchema = z.object({
  type: z.literal("DEFAULT"),
  categoryId: z.guid(),
  info: z.object({
    title: z.string(),
    description: z.string().optional(),
    images: z.array(z.string()).optional(),
    youtubeLink: z.string().optional(),
    instructions: z.string().optional(),
  }),
  pricing: z.object({ price: z.number(), comparation: z.number().optional() }),
  inventory: z.object({
    type: z.enum(["SERIAL", "TEXT", "FILE"]),
    content: z.string().optional(),
    fileName: z.string().optional(),
  }),
  utils: z
    .object({
      hideSales: z.boolean().optional(),
      hideProduct: z.boolean().optional(),
      minQuantity: z.int().optional(),
    })
    .optional(),
  chat: z.object({ enabled: z.boolean().optional(), autoMessages: z.array(z.string()).optional() }).optional(),
});
export type NewProduct = z.infer<typeof newProductSchema>;

/** store-open-api 4.1 */
export const createdSchema = z.object({ id });
