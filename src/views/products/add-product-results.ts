import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { button } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import { notice } from "../parts/notice.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { type Problem, problemText } from "../parts/problem.ts";
import { code } from "../parts/text.ts";
import type { ProductWindow } from "./add-product-modal.ts";

const ids = customIds["add-product"];
const idMax = 110;

/** `found`: the result of an attempt was unclear, but the product was found in the store. */
export function addProductDone(
  how: "created" | "found",
  { draft, productId }: { readonly draft: string; readonly productId: string },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  const open = ids.buttons.open.makeIfFits({ draft, productId });
  const buttons = open === undefined ? [] : [button(open, common.open)];
  return notice({ body: say[how](code(productId, idMax)), tone: "ok" }, ...buttons);
}

/**
 * It is unknown whether the product was created. Another attempt is offered only if the store was searched (`looked`) and does
 * not have the product. The button carries the attempt's number, so several presses start only one more attempt.
 */
export function addProductUnsure(
  draft: string,
  { looked, attempt }: { readonly looked: boolean; readonly attempt: number },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  return notice(
    { body: looked ? say.notFound : say.cannotLook, tone: "warn" },
    // This button never creates the product.
    button(ids.buttons.preview.make({ draft }), say.lookAgain, { style: "Primary" }),
    ...(looked ? [button(ids.buttons.again.make({ draft, follows: String(attempt) }), say.createAgain)] : []),
    button(ids.buttons.cancel.make({ draft }), common.cancel, { style: "Danger" }),
  );
}

/** The button Edit opens the window, which still has the typed texts. */
export function addProductRefused(
  draft: string,
  { action, problem }: { readonly action: "edit" | ProductWindow; readonly problem: Problem },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  return notice(
    { body: `${problemText(problem, locale)}\n${say.textsKept}`, tone: "warn" },
    button(ids.buttons[action].make({ draft }), common.edit, { style: "Primary" }),
    button(ids.buttons.preview.make({ draft }), common.back),
    button(ids.buttons.cancel.make({ draft }), common.cancel, { style: "Danger" }),
  );
}

/** `attempted`: an earlier attempt may have created the product. */
export function addProductCancelled(draft: string, attempted: boolean, locale: Locale): MessagePayload {
  const say = texts(locale).addProduct;
  return notice(
    attempted ? { body: say.cancelledUnsure, tone: "warn" } : say.cancelled,
    button(ids.buttons.preview.make({ draft }), say.bringBack),
    button(ids.buttons.discard.make({ draft }), say.discard),
  );
}
