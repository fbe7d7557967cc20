import { z } from "zod";

/** The document's fields, and others. */
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

/** As the store lists it (store-open-api 2.2), with the body of its creation. */
export interface StoredProduct {
  id: string;
  type: string;
  categoryId: string;
  info: { title: string; description: string; images: string[]; slug: string };
  pricing: { price: number; comparation?: number };
  createdAt: string;
  /** Never served. */
  submitted?: SubmittedProduct;
}

/** Store-open-api 2.1. A key that is not in the document is refused. */
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
