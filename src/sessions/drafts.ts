import { z } from "zod";
import { budgets } from "../basics/budgets.ts";
import { type NewProduct, newProductSchema } from "../store-api/schemas.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { createSessions, type Owner, type SessionKind } from "./sessions.ts";

const asideSchema = z.object({
  /** What was typed into a window and not taken, by window and field: it opens with that again. */
  typed: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  /** Prices as typed that can be read in two ways. */
  doubtful: z.object({ price: z.string().optional(), comparation: z.string().optional() }).optional(),
  /** Stock that was typed while a file was uploaded as well. */
  stock: z.string().optional(),
});

/** What is kept of a draft besides the product. */
export type Aside = z.infer<typeof asideSchema>;

const openSchema = z.object({
  stage: z.literal("open"),
  product: newProductSchema,
  aside: asideSchema.optional(),
  /** Its author gave it up, and may bring it back for as long as it is kept. */
  isCancelled: z.literal(true).optional(),
  /**
   * Kept before the store is asked to create, and taken back when it certainly did not: while it is there, it is not known
   * whether the product exists. `since` is when the first such attempt began, epoch ms.
   */
  attempt: z.object({ count: z.number(), since: z.number() }).readonly().optional(),
});
const createdSchema = z.object({ stage: z.literal("created"), productId: z.string(), title: z.string() });
/** Nothing of it is left but that it was given up. */
const deletedSchema = z.object({ stage: z.literal("deleted") });

/** A product before it is in the store, or what became of it. */
export type Draft = Readonly<z.infer<typeof openSchema>> | Readonly<z.infer<typeof createdSchema>>;
type Kept = Draft | z.infer<typeof deletedSchema>;

/** Encrypted, because the stock is what the store sells. */
const draftsKind: SessionKind<Kept> = {
  name: "drafts",
  schema: z.discriminatedUnion("stage", [openSchema, createdSchema, deletedSchema]),
  bounds: budgets.drafts,
  // Of an unclear attempt nothing else is known: without it the product would be sent a second time. What is cancelled is
  // not sent, whether it can be brought back or not.
  isPinned: (kept) => kept.stage === "open" && kept.attempt !== undefined && !kept.isCancelled,
};

/**
 * Drafts of products, each its author's alone. They outlive a restart, and end a day after their last change or when
 * their author or server has too many newer ones.
 */
export interface Drafts {
  /** Keeps a new draft; returns its name for custom ids. Throws a `ProblemError` ("not_connected") where it may not. */
  start(owner: Owner, product: NewProduct, aside?: Aside): Promise<string>;
  /** Throws a `ProblemError`: "expired", "cancelled", or "someone_elses" for anybody but the author. */
  find(name: string, caller: Owner): Promise<Draft>;
  /**
   * As `find`, for changing it: of one draft, one `work` runs at a time in this process. `keep` writes what the draft
   * becomes, or deletes all of it but that it was cancelled; it throws a `ProblemError` ("expired") where the draft went
   * meanwhile, which then stays gone. With `cancelledToo`, a cancelled draft of which anything is kept is found as well.
   */
  use<T>(
    name: string,
    caller: Owner,
    work: (draft: Draft, keep: (next: Draft | undefined) => Promise<void>) => Promise<T>,
    which?: { readonly cancelledToo: true },
  ): Promise<T>;
  /** Deletes every draft of a server. */
  forget(guildId: string): Promise<void>;
}

/** Drafts in storage. Throws `StorageError`. */
export function createDrafts(deps: Parameters<typeof createSessions>[0]): Drafts {
  const sessions = createSessions(deps, draftsKind);

  function draftIn(kept: Kept, cancelledToo = false): Draft {
    const isOver = kept.stage === "deleted" || (kept.stage === "open" && kept.isCancelled && !cancelledToo);
    if (isOver) throw new ProblemError({ code: "cancelled" });
    return kept;
  }

  return {
    start: (owner, product, aside) => sessions.keep(owner, { stage: "open", product, aside }),
    find: async (name, caller) => draftIn(await sessions.find(name, caller)),
    use: (name, caller, work, which) =>
      sessions.use(name, caller, async (kept, keep) =>
        work(draftIn(kept, which?.cancelledToo), (next) => keep(next ?? { stage: "deleted" })),
      ),
    forget: (guildId) => sessions.forget(guildId),
  };
}
