import { z } from "zod";

/** An order as the pretend store keeps and serves it: the document's fields and others that it does not have. */
export interface StoredOrder {
  id: string;
  status: string;
  customer: { email: string; name: string };
  items: { productId: string; productTitle: string; quantity: number; price: number; inventory?: unknown }[];
  pricing: { subtotal: number; discount: number; total: number };
  paymentMethod: string;
  createdAt: string;
  [undocumented: string]: unknown;
}

/** A product as it is listed (store-open-api 2.2), and what was sent on its creation. */
export interface StoredProduct {
  id: string;
  type: string;
  categoryId: string;
  info: { title: string; description: string; images: string[]; slug: string };
  pricing: { price: number; comparation?: number };
  createdAt: string;
  /** The whole body of the creation; never served. */
  submitted?: SubmittedProduct;
}

/** A creation's body (store-open-api 2.1), strict: a key that the document does not have is refused. */
export const submittedProduct = z.strictObject({
  type: z.literal("DEFAULT"),
  categoryId: z.guid(),
  info: z.strictObject({
    title: z.string().min(1),
    description: z.string().optional(),
    images: z.array(z.string()).optional(),
    youtubeLink: z.string().optional(),
    instructions: z.string().optional(),
  }),
  pricing: z.strictObject({ price: z.number().min(0), comparation: z.number().optional() }),
  inventory: z.strictObject({
    type: z.enum(["SERIAL", "TEXT", "FILE"]),
    content: z.string().optional(),
    fileName: z.string().optional(),
  }),
  utils: z
    .strictObject({
      hideSales: z.boolean().optional(),
      hideProduct: z.boolean().optional(),
      minQuantity: z.int().optional(),
    })
    .optional(),
  chat: z.strictObject({ enabled: z.boolean().optional(), autoMessages: z.array(z.string()).optional() }).optional(),
});
type SubmittedProduct = z.infer<typeof submittedProduct>;

/** The order in which the order list comes; the document does not show it. */
export type Ordering = "newest-first" | "oldest-first" | "by-id";

/**
 * What the pretend store honours. Without `limit` a page always holds 10 rows.
 * Of several statuses with commas between them it gives those of "all", or of the "first" one alone, or takes the whole
 * text for one status that no order has and gives "none", or passes over it as "ignored" and gives every order.
 */
export interface Honours {
  status: boolean;
  email: boolean;
  limit: boolean;
  severalStatuses: "all" | "first" | "none" | "ignored";
}
