import { z } from "zod";

// The API's own writers are not bound to its document: a field it calls a number may come as a numeric string, and an
// optional one as null. What is left out falls back; what is there and makes no sense spoils the row.
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);
const number = z.union([
  z.number(),
  z
    .string()
    .trim()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);
const numberOr = (fallback: number) => number.nullish().transform((value) => value ?? fallback);
const optionalNumber = number.nullish().transform((value) => value ?? undefined);
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
  customer: lenientObject({ email: text, name: text }),
  items: z
    .array(z.object({ productId: text, productTitle: text, quantity: numberOr(1), price: numberOr(0) }))
    .nullish()
    .transform((value) => value ?? []),
  pricing: lenientObject({ subtotal: numberOr(0), discount: numberOr(0), total: numberOr(0) }),
  paymentMethod: text,
  /** ISO 8601 as it came; empty when the API gave none. */
  createdAt: text,
});
export type Order = z.infer<typeof orderSchema>;

/** A product as the API lists it (store-open-api 2.2). */
export const productSchema = z.object({
  id,
  type: text,
  categoryId: text,
  info: lenientObject({ title: text, description: text, images: texts, slug: text }),
  pricing: lenientObject({ price: numberOr(0), comparation: optionalNumber }),
  /** ISO 8601 as it came; empty when the API gave none. */
  createdAt: text,
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
