import { z } from "zod";
import { budgets } from "../basics/limits/budgets.ts";
import { newProductSchema } from "../store-api/schemas.ts";
import type { SessionKind } from "./sessions.ts";

const asideSchema = z.object({
  /** Invalid texts typed into a window, by window and field. The window opens with them again. */
  typed: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  /** Prices, as typed, that can be understood in two ways. */
  doubtful: z.object({ price: z.string().optional(), comparation: z.string().optional() }).optional(),
  /** Stock that was typed into the window although a file with stock was uploaded, too. */
  stock: z.string().optional(),
});

/** Data that a draft stores besides the product. */
export type Aside = z.infer<typeof asideSchema>;

const openSchema = z.object({
  stage: z.literal("open"),
  product: newProductSchema,
  aside: asideSchema.optional(),
  /** Set if the author cancelled the draft. The author can bring it back for a day. */
  isCancelled: z.literal(true).optional(),
  /**
   * Written before the store is asked to create the product. Removed if the store certainly did not create the product, also if
   * it refused a repeated attempt and does not have the product. While
   * an attempt is stored, the product may exist. `since` is when the first attempt began (epoch ms).
   */
  attempt: z.object({ count: z.number(), since: z.number() }).readonly().optional(),
});
const createdSchema = z.object({ stage: z.literal("created"), productId: z.string(), title: z.string() });
/** The draft was given up for good. Nothing else of it is stored. */
const deletedSchema = z.object({ stage: z.literal("deleted") });
const draftSchema = z.discriminatedUnion("stage", [openSchema, createdSchema, deletedSchema]);

/** A product that is not in the store yet, or the result: the product was created or given up. */
export type Draft = Readonly<z.infer<typeof draftSchema>>;

/** Drafts of products. They are encrypted, because a draft has the stock, and the stock is what the store sells. */
export const draftsKind: SessionKind<Draft> = {
  name: "drafts",
  schema: draftSchema,
  bounds: budgets.drafts,
  // A draft with an attempt is deleted last, because only the draft records that the product may exist. Without the draft, the
  // product could be created a second time. A cancelled draft is not sent, so it needs no such protection.
  isPinned: (draft) => draft.stage === "open" && draft.attempt !== undefined && !draft.isCancelled,
};
