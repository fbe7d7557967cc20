import { texts } from "../../src/locales/texts.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { addProductCancelled } from "../../src/views/products/add-product-results.ts";
import { lookUp } from "./create.ts";
import { type DraftWork, type OpenDraft, onDraft, preview } from "./draft.ts";

export const cancel = onDraft(async (draft, { name, press, keep }) => {
  await keep({ ...draft, isCancelled: true });
  return addProductCancelled(name, draft.attempt !== undefined, press.locale);
});

export const discard = onDraft(async (_, { name, press, services }) => {
  await services.drafts.take(name, press);
  return notice(texts(press.locale).addProduct.discarded);
});

/** Restores a cancelled draft. Shows the draft, or searches the store for the product if an attempt was made. */
export async function bringBack({ isCancelled, ...draft }: OpenDraft, on: DraftWork) {
  if (isCancelled) await on.keep(draft);
  return draft.attempt ? lookUp(on, draft, draft.attempt) : preview(on, draft);
}
