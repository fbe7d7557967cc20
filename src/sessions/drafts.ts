import { z } from "zod";
import { budgets } from "../basics/limits/budgets.ts";
import { newProductSchema } from "../store-api/schemas.ts";
import type { SessionKind } from "./sessions.ts";

const asideSchema = z.object({
  /** Invalid texts, by window and field. The window shows them when it opens again. */
  typed: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  /** Prices, as typed, that can be understood in two ways. */
  doubtful: z.object({ price: z.string().optional(), comparation: z.string().optional() }).optional(),
});

export type Aside = z.infer<typeof asideSchema>;

const openSchema = z.object({
  stage: z.literal("open"),
  product: newProductSchema,
  aside: asideSchema.optional(),
  /** The author can restore the draft for a day. */
  isCancelled: z.literal(true).optional(),
  /**
   * Written before the store is asked to create the product. While this is stored, the product may exist. It is removed if the
   * first attempt certainly created nothing, or if the store refused a later attempt and has no such product. `since` is when
   * the first attempt began (epoch ms).
   */
  attempt: z.object({ count: z.number(), since: z.number() }).readonly().optional(),
});
const createdSchema = z.object({ stage: z.literal("created"), productId: z.string(), title: z.string() });
const draftSchema = z.discriminatedUnion("stage", [openSchema, createdSchema]);

export type Draft = Readonly<z.infer<typeof draftSchema>>;

/** Encrypted, because the stock in a draft may be the goods themselves. */
export const draftsKind: SessionKind<Draft> = {
  name: "drafts",
  schema: draftSchema,
  bounds: budgets.drafts,
  // Such a draft alone shows that the product may exist. Without the draft, the product could be created a second time. A
  // cancelled draft is not sent, so it may be deleted earlier.
  isPinned: (draft) => draft.stage === "open" && draft.attempt !== undefined && !draft.isCancelled,
};
