import { z } from "zod";
import { budgets } from "../basics/budgets.ts";
import { createTurns } from "../basics/turns.ts";
import { type Vault, VaultError } from "../guilds/vault.ts";
import type { Storage } from "../storage/table.ts";
import { type NewProduct, newProductSchema } from "../store-api/schemas.ts";
import { ProblemError } from "../views/problem.ts";
import { createShelf, keptMs, newName } from "./shelf.ts";

const asideSchema = z.object({
  /** What was typed into a window and not taken, by window and field: it opens with that again. */
  typed: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  /** Prices as typed that can be read in two ways. */
  doubtful: z.object({ price: z.string().optional(), comparation: z.string().optional() }).optional(),
  /** Stock that was typed while a file was uploaded as well. */
  stock: z.string().optional(),
});

/** What is kept of a draft beside the product. */
export type Aside = z.infer<typeof asideSchema>;

/** As it is sealed; a draft of 0.1.0 is the product alone. */
const sealedSchema = newProductSchema.extend({ aside: asideSchema.optional() });

/** A product before it is in the store, or what became of it. */
export type Draft =
  | {
      readonly stage: "open";
      readonly product: NewProduct;
      readonly aside?: Aside;
      /** Its author gave it up, and may bring it back for as long as it is kept. */
      readonly isCancelled?: true;
      /**
       * Kept before the store is asked to create, and taken back when it certainly did not: while it stands, nobody knows
       * whether the product exists. `since` is when the first such attempt began, epoch ms.
       */
      readonly attempt?: { readonly count: number; readonly since: number };
    }
  | { readonly stage: "created"; readonly productId: string; readonly title: string };

/** Who works on a draft, and where. */
interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

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

interface StoredDraft {
  readonly userId: string;
  /** Epoch ms. */
  readonly until: number;
  /** The product and what stands beside it, encrypted, for the stock is what the store sells; gone once it is created. */
  readonly sealed?: string;
  readonly attempt?: { readonly count: number; readonly since: number };
  readonly productId?: string;
  readonly title?: string;
  readonly isCancelled?: true;
}

/**
 * Drafts in storage, encrypted for what they hold of the stock. Throws `StorageError`.
 *
 * @param deps.mayKeep as that of a shelf
 */
export function createDrafts(deps: {
  storage: Storage;
  vault: Pick<Vault, "seal" | "open">;
  mayKeep?: (guildId: string) => Promise<boolean>;
  now: () => number;
}): Drafts {
  const { storage, vault, mayKeep, now } = deps;
  const inTurn = createTurns();
  const shelf = createShelf<StoredDraft>({ storage, kind: "drafts", bounds: budgets.drafts, mayKeep, now });
  const bound = ({ guildId }: Owner, name: string) => `${guildId} draft ${name}`;

  function opened(sealed: string, boundTo: string): { product: NewProduct; aside?: Aside } {
    try {
      const { aside, ...product } = sealedSchema.parse(JSON.parse(vault.open(sealed, boundTo)));
      return { product, aside };
    } catch (error) {
      // The key that sealed it is no longer in use: what people are told of a token that cannot be read is not true here.
      throw error instanceof VaultError ? new ProblemError({ code: "expired" }) : error;
    }
  }

  function stored(name: string, owner: Owner, draft: Draft | undefined): Partial<StoredDraft> {
    if (draft === undefined) return { isCancelled: true };
    if (draft.stage === "created") return { productId: draft.productId, title: draft.title };
    const { product, aside, attempt, isCancelled } = draft;
    return { sealed: vault.seal(JSON.stringify({ ...product, aside }), bound(owner, name)), attempt, isCancelled };
  }

  const recordOf = (name: string, owner: Owner, draft: Draft | undefined): StoredDraft => ({
    userId: owner.userId,
    until: now() + keptMs,
    ...stored(name, owner, draft),
  });

  function keep(name: string, owner: Owner, draft: Draft | undefined): Promise<void> {
    const record = recordOf(name, owner, draft);
    // Of an unclear attempt nothing else is known: without it the product would be sent a second time. What is cancelled
    // is not sent, whether it can be brought back or not.
    return shelf.replace(owner.guildId, name, record, record.attempt !== undefined && !record.isCancelled);
  }

  async function find(name: string, caller: Owner, cancelledToo = false): Promise<Draft> {
    const record = await shelf.get(caller.guildId, name);
    if (!record || record.until <= now()) throw new ProblemError({ code: "expired" });
    if (record.userId !== caller.userId) throw new ProblemError({ code: "someone_elses" });
    const { sealed, attempt, productId = "", title = "", isCancelled } = record;
    if (isCancelled && !(cancelledToo && sealed !== undefined)) throw new ProblemError({ code: "cancelled" });
    if (sealed === undefined) return { stage: "created", productId, title };
    return { stage: "open", ...opened(sealed, bound(caller, name)), attempt, isCancelled };
  }

  return {
    async start(owner, product, aside) {
      const name = newName();
      await shelf.add(owner.guildId, name, recordOf(name, owner, { stage: "open", product, aside }));
      return name;
    },
    find: (name, caller) => find(name, caller),
    use: (name, caller, work, which) =>
      inTurn(`${caller.guildId}:${name}`, async () =>
        work(await find(name, caller, which?.cancelledToo), (next) => keep(name, caller, next)),
      ),
    forget: (guildId) => shelf.forget(guildId),
  };
}
