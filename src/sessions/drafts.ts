import { z } from "zod";
import { budgets } from "../basics/budgets.ts";
import { newProductSchema } from "../store-api/schemas.ts";
import type { SessionKind } from "./sessions.ts";

const asideSchema = z.object({
  /** Texts typed into a window that were not valid, by window and field: the window opens with them again. */
  typed: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  /** Prices, as typed, that can be read in two ways. */
  doubtful: z.object({ price: z.string().optional(), comparation: z.string().optional() }).optional(),
  /** Stock typed into the window although a file was uploaded too. */
  stock: z.string().optional(),
});

/** What a draft keeps besides the product. */
export type Aside = z.infer<typeof asideSchema>;

const openSchema = z.object({
  stage: z.literal("open"),
  product: newProductSchema,
  aside: asideSchema.optional(),
  /** The author gave it up, and can bring it back for a day. */
  isCancelled: z.literal(true).optional(),
  /**
   * Written before the store is asked to create the product, and removed if it certainly did not. As long as it is here, the product may
   * exist. `since` is when the first such attempt began, epoch ms.
   */
  attempt: z.object({ count: z.number(), since: z.number() }).readonly().optional(),
});
const createdSchema = z.object({ stage: z.literal("created"), productId: z.string(), title: z.string() });
/** The draft was given up for good, and nothing else of it is kept. */
const deletedSchema = z.object({ stage: z.literal("deleted") });
const draftSchema = z.discriminatedUnion("stage", [openSchema, createdSchema, deletedSchema]);

/** A product before it is in the store, or what became of it. */
export type Draft = Readonly<z.infer<typeof draftSchema>>;

/** Drafts of products, encrypted, because the stock is what the store sells. */
export const draftsKind: SessionKind<Draft> = {
  name: "drafts",
  schema: draftSchema,
  bounds: budgets.drafts,
  // Only the draft records an attempt without a clear answer: without it the product would be sent a second time. A cancelled draft is
  // not sent.
  isPinned: (draft) => draft.stage === "open" && draft.attempt !== undefined && !draft.isCancelled,
};
