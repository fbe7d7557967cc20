import { z } from "zod";

// The API's own writers are not bound to its document: a field it calls a number may come as a numeric string, a text
// as a number, and an optional one as null. What is left out or blank falls back, and so does an odd text that only
// describes. An amount or a status that makes no sense spoils the row: a wrong total is worse than a row reported.
const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((value) => value ?? "");
const description = text.catch("");
/** The rows that fit, without those that do not. */
const listOf = <Row>(row: z.ZodType<Row>) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((values) => values.map((value) => row.safeParse(value)).flatMap(({ data }) => data ?? []));
const number = z.union([
  z.number(),
  z
    .string()
    .trim()
    .regex(/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i)
    .transform(Number)
    .pipe(z.number()),
]);
const optionalNumber = z.preprocess(
  (value) => (typeof value === "string" && value.trim() === "" ? undefined : (value ?? undefined)),
  number.optional(),
);
const numberOr = (fallback: number) => optionalNumber.transform((value) => value ?? fallback);
/** From here on a number is milliseconds, not seconds: as seconds it is the year 5138, as milliseconds 1973. */
const EARLIEST_EPOCH_MS = 1e11;
/** The last moment that a Date can hold (ECMAScript, time values). */
const LATEST_EPOCH_MS = 8.64e15;
const isoOf = (epoch: number) => new Date(epoch < EARLIEST_EPOCH_MS ? epoch * 1_000 : epoch).toISOString();
/** ISO 8601, as it came or from epoch seconds or milliseconds; empty when there is none that makes sense. */
const moment = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{9,}$/)
      .transform(Number),
  ])
  .refine((epoch) => epoch > 0 && epoch <= LATEST_EPOCH_MS)
  .transform(isoOf)
  .or(z.string())
  .catch("");
/** `null` and a missing key read as an empty object, so that its fields fall back one by one. */
const lenientObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.object(shape));

/** Ids stand in custom ids and storage keys, both of limited length. */
const id = z.string().min(1).max(64);

/**
 * An order as the API returns it (store-open-api 2.3). Only documented fields survive parsing: the rest is dropped, so
 * that the delivered goods, which the API may put into an item, go no further. Money is in the store's own unit.
 */
export const orderSchema = z.object({
  id,
  status: text,
  customer: lenientObject({ email: description, name: description }).catch({ email: "", name: "" }),
  /** Without the malformed ones: they take nothing away from `pricing`. */
  items: listOf(
    z.object({ productId: description, productTitle: description, quantity: numberOr(1), price: numberOr(0) }),
  ),
  pricing: lenientObject({ subtotal: numberOr(0), discount: numberOr(0), total: numberOr(0) }),
  paymentMethod: description,
  /** ISO 8601; empty when the API gave none. */
  createdAt: moment,
});
export type Order = z.infer<typeof orderSchema>;

/** A product as the API lists it (store-open-api 2.2). */
export const productSchema = z.object({
  id,
  type: description,
  categoryId: description,
  info: lenientObject({ title: description, description, images: listOf(z.string()), slug: description }).catch({
    title: "",
    description: "",
    images: [],
    slug: "",
  }),
  pricing: lenientObject({ price: numberOr(0), comparation: optionalNumber }),
  /** ISO 8601; empty when the API gave none. */
  createdAt: moment,
});
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

/** A row that was left out: its place in the answer and the fields that made no sense, never their values. */
export interface BadRow {
  readonly index: number;
  readonly fields: readonly string[];
}

/** A far higher last page than any store has; a broken answer must not send a reader through more. */
const MOST_PAGES = 1_000_000;

/**
 * The `data` of a list: rows under `key`, and `lastPage`, which is at least 1 here. Rows that do not fit `row` are left
 * out of `items` and described in `bad`.
 */
export function pageSchema<Row extends z.ZodType>(key: string, row: Row) {
  return z
    .looseObject({ [key]: z.array(z.unknown()), lastPage: optionalNumber })
    .transform((data): { items: z.output<Row>[]; bad: BadRow[]; lastPage: number } => {
      const items: z.output<Row>[] = [];
      const bad: BadRow[] = [];
      for (const [index, value] of z.array(z.unknown()).parse(data[key]).entries()) {
        const parsed = row.safeParse(value);
        if (parsed.success) items.push(parsed.data);
        else bad.push({ index, fields: parsed.error.issues.map((issue) => issue.path.join(".")) });
      }
      const lastPage = Math.trunc(Number(data.lastPage ?? 1));
      return { items, bad, lastPage: Math.min(Math.max(lastPage, 1), MOST_PAGES) };
    });
}
