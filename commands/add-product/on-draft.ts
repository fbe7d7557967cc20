import type { Press } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/services.ts";
import type { Draft } from "../../src/sessions/drafts.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { addProductDone } from "../../src/views/products/add-product-results.ts";

/** A draft whose product was not created yet. */
export type OpenDraft = Extract<Draft, { stage: "open" }>;

/**
 * Returns the draft. Throws a `ProblemError` ("cancelled") for a deleted draft, and without `cancelledToo` for a
 * cancelled one.
 */
export function draftIn(draft: Draft, cancelledToo = false): Exclude<Draft, { stage: "deleted" }> {
  const isOver = draft.stage === "deleted" || (draft.stage === "open" && draft.isCancelled && !cancelledToo);
  if (isOver) throw new ProblemError({ code: "cancelled" });
  return draft;
}

/** A press on a button or menu of a draft. */
export type DraftPress = Press<{ readonly draft: string }>;

/** What an action on a draft works with. In one process the actions on a draft run one after another. */
export interface DraftWork {
  readonly name: string;
  readonly press: DraftPress;
  readonly services: Services;
  /** Replaces the draft. Throws a `ProblemError` ("expired") if the draft is gone. */
  keep(next: Draft): Promise<void>;
}

/**
 * Answers a press. If the draft is open, the answer is the result of `work`. If the product was created already, the
 * answer is the product. Throws a `ProblemError`: "expired", "cancelled", or "someone_elses" for anybody but the
 * author.
 */
export function onDraft(
  press: DraftPress,
  services: Services,
  work: (draft: OpenDraft, on: DraftWork) => Promise<MessagePayload>,
  { cancelledToo = false } = {},
): Promise<MessagePayload> {
  const { draft: name } = press.args;
  return services.drafts.use(name, press, async (kept, keep) => {
    const draft = draftIn(kept, cancelledToo);
    if (draft.stage === "open") return work(draft, { name, press, services, keep });
    return addProductDone("created", { draft: name, productId: draft.productId }, press.locale);
  });
}
