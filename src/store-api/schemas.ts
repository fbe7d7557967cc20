import { z } from "zod";
import { fromEpoch, parseTime } from "./parse-time.ts";

// The API's own writers are not bound to its document: a field it calls a number may come as a numeric string, a text
// as a number, and an optional one as null. What is left out or blank falls back, and so does an odd text that only
// describes. A total, a price or a status that makes no sense spoils the row: a wrong total is worse than a row reported.
// Each of these is one step for zod and not a union of several: they run for every field of every row.

const anything = z.unknown().optional();
/** A text; undefined for what is none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value === undefined || value === null ? "" : undefined;
}
/** Longer statuses are none: they stand in lists, menus and records. */
const longestStatus = 100;
/** Titles, names, methods, ids: more than any view shows of them (300 characters). */
const longestText = 500;
/** A message of Discord's holds 4,000 characters, so no view shows more of a product's description. */
const longestDescription = 4_000;
/** Discord takes no longer address of a picture, and 10 pictures; some of them may be the same, or odd. */
const longestImageUrl = 2_048;
const mostImages = 50;
/** Lines of an order that is looked at alone: a card has room for about 100, and says how many there are. */
const mostLinesAlone = 500;
/** Lines of an order in a list: no alert, and no row of a list, shows more. */
export const mostLinesInList = 100;
/** Lines of an order in a file, whose cell has room for some 1,000 of them. */
export const mostLinesInFile = 500;
/** Links of a product in a file: an import takes 10. */
const mostImagesInFile = 100;

/** Not in the middle of a character that takes two places. */
const cut = (value: string, most: number) =>
  value.length <= most ? value : copied(value.slice(0, most).replace(/[\uD800-\uDBFF]$/, ""));
/** A part of a text keeps all of it in memory. */
const copied = (part: string) => Buffer.from(part, "utf16le").toString("utf16le");
const describing = (most: number) => anything.transform((value) => cut(textOf(value) ?? "", most));
const description = describing(longestText);
/** For a file: bounded by the answer that it stands in. */
const wholeText = anything.transform((value) => textOf(value) ?? "");
const status = anything.transform((value, context) => {
  const text = textOf(value);
  if (text !== undefined && text.length <= longestStatus) return text;
  context.addIssue("no status");
  return z.NEVER;
});
/** The rows that fit, without those that do not, of the first `most`; and whether there are more than these. */
function rowsIn<Row>(value: unknown, row: z.ZodType<Row>, most: number): { rows: Row[]; hasMore: boolean } {
  const values: readonly unknown[] = Array.isArray(value) ? value.filter((one) => one !== null) : [];
  // Cut before a schema goes over it: it may have tens of thousands.
  const rows = values.slice(0, most).flatMap((one) => row.safeParse(one).data ?? []);
  return { rows, hasMore: rows.length < values.length };
}
const listOf = <Row>(row: z.ZodType<Row>, most: number) => anything.transform((value) => rowsIn(value, row, most).rows);
/** Far more digits than a number has. */
const longestNumber = 1_000;
const numeric = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");
/** A number, a numeric string, or undefined for what is blank or missing. */
export const optionalNumber = anything.transform((value, context): number | undefined => {
  if (isBlank(value)) return undefined;
  const isNumeric = typeof value === "string" && value.length <= longestNumber && numeric.test(value.trim());
  const number = isNumeric ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  context.addIssue("no number");
  return z.NEVER;
});
const numberOr = (fallback: number) => optionalNumber.transform((value) => value ?? fallback);
/** Epoch milliseconds; `undefined` when there is none that makes sense. */
const moment = anything.transform((value): number | undefined => {
  if (typeof value === "number") return fromEpoch(value);
  return typeof value === "string" ? parseTime(value) : undefined;
});
/** `null` and a missing key read as an empty object, so that its fields fall back one by one. */
const lenientObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.object(shape));

/** Ids stand in storage keys: PostgreSQL's have 255 characters, of which a table, a server and a rule take up to 90. */
const longestId = 150;
/** What an address, a storage key or a message would change: half a character, control characters, `.` and `..`. */
const isUnsafeId = (text: string) => !text.isWellFormed() || /\p{Cc}|^\.{1,2}$/u.test(text);
/** A number is one, too, as long as it is exact: of a larger one several orders may have the same. */
const id = anything.transform((value, context) => {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === "string" && text !== "" && text.length <= longestId && !isUnsafeId(text)) return text;
  context.addIssue("no id");
  return z.NEVER;
});

/** Whether it may be the id of an order: the one rule for lists and single orders. */
export const isOrderId = (text: string): boolean => id.safeParse(text).success;

const lineWith = (text: typeof wholeText) =>
  z.object({ productId: text, productTitle: text, quantity: numberOr(1), price: numberOr(0) });
/** What only explains the total. */
const partOfTotal = numberOr(0).catch(0);

/**
 * An order as the API returns it (store-open-api 2.3). Only documented fields survive parsing: the rest is dropped, so
 * that the delivered goods, which the API may put into an item, go no further. Money is in the store's own unit.
 */
export const orderSchema = orderWith(description, listOf(lineWith(description), mostLinesAlone));
/** An order in a list, which has so many of them. */
export const listedOrderSchema = orderWith(description, listOf(lineWith(description), mostLinesInList));
const wholeLine = lineWith(wholeText);
/** An order for a file: its texts are whole. */
export const wholeOrderSchema = orderWith(
  wholeText,
  anything.transform((value) => rowsIn(value, wholeLine, mostLinesInFile)),
).transform(
  ({ items: { rows, hasMore }, ...order }): Order => ({
    ...order,
    items: rows,
    ...(hasMore && { hasMoreItems: true }),
  }),
);
export type Order = z.infer<typeof orderSchema> & {
  /** Of an order for a file: it has items that are not among these: there are too many, or they make no sense. */
  readonly hasMoreItems?: true;
};
function orderWith<Items>(text: typeof wholeText, items: z.ZodType<Items>) {
  return z.object({
    id,
    status,
    customer: lenientObject({ email: text, name: text }).catch({ email: "", name: "" }),
    /** Without the malformed ones: they take nothing away from `pricing`. */
    items,
    pricing: lenientObject({ subtotal: partOfTotal, discount: partOfTotal, total: numberOr(0) }),
    paymentMethod: text,
    createdAt: moment,
  });
}

/** `max` of zod counts characters, of which some take two of the places that Discord counts. */
const imageUrl = z.string().refine((url) => url.length <= longestImageUrl);

/** A product as the API lists it (store-open-api 2.2). */
export const productSchema = productWith(description, describing(longestDescription), listOf(imageUrl, mostImages));
/** A product for a file: its texts and links are whole. Where links are left out, the last one is "…". */
export const wholeProductSchema = productWith(
  wholeText,
  wholeText,
  anything.transform((value) => {
    const { rows, hasMore } = rowsIn(value, z.string(), mostImagesInFile);
    return hasMore ? [...rows, "…"] : rows;
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
 * A product as it is sent on creation (store-open-api 2.1). The document does not say which fields of `info` are
 * required. `TEXT` and `FILE` are not in it either, but the service's other clients send them.
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

/** What the API answers to a creation (store-open-api 4.1). */
export const createdSchema = z.object({ id });
