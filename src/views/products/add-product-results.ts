import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { button, row } from "../parts/components.ts";
import { customIds } from "../parts/custom-ids.ts";
import { notice } from "../parts/notice.ts";
import type { MessagePayload } from "../parts/payload.ts";
import { type Problem, problemText } from "../parts/problem.ts";
import { code } from "../parts/text.ts";
import type { ProductWindow } from "./add-product-modal.ts";

const ids = customIds["add-product"];
const idMax = 110;

/**
 * The answer after the product was created. It has the product's whole id, and a button that opens it.
 *
 * @param how `created`: the store confirmed the product; `found`: an attempt had no clear result, and the product was
 *   found in the store
 */
export function addProductDone(
  how: "created" | "found",
  { draft, productId }: { readonly draft: string; readonly productId: string },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  const open = ids.buttons.open.makeIfFits({ draft, productId });
  return notice(
    { body: say[how](code(productId, idMax)), tone: "ok" },
    open === undefined ? [] : [row(button(open, common.open))],
  );
}

/**
 * The answer if it is unknown whether the product was created.
 *
 * @param looked true if the store was searched and does not have the product: only then the answer offers another
 *   attempt
 * @param attempt the number of the attempt; the button carries it, so that one press starts at most one more attempt
 */
export function addProductUnsure(
  draft: string,
  { looked, attempt }: { readonly looked: boolean; readonly attempt: number },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  return notice({ body: looked ? say.notFound : say.cannotLook, tone: "warn" }, [
    row(
      button(ids.buttons.create.make({ draft }), say.lookAgain, { style: "primary" }),
      ...(looked ? [button(ids.buttons.again.make({ draft, follows: String(attempt) }), say.createAgain)] : []),
      button(ids.buttons.cancel.make({ draft }), common.cancel, { style: "danger" }),
    ),
  ]);
}

/**
 * The answer if the text typed into a window was not accepted. The text is kept: Edit opens the window with it again,
 * and Back shows the preview.
 *
 * @param action the action that opens the window
 * @param hasStock whether the person also typed stock, which can be used in place of the file
 */
export function addProductRefused(
  draft: string,
  {
    action,
    problem,
    hasStock,
  }: { readonly action: "edit" | ProductWindow; readonly problem: Problem; readonly hasStock: boolean },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  return notice({ body: `${problemText(problem, locale)}\n${say.textsKept}`, tone: "warn" }, [
    row(
      button(ids.buttons[action].make({ draft }), common.edit, { style: "primary" }),
      ...(hasStock ? [button(ids.buttons.stock.make({ draft }), say.takeTyped)] : []),
      button(ids.buttons.preview.make({ draft }), common.back),
      button(ids.buttons.cancel.make({ draft }), common.cancel, { style: "danger" }),
    ),
  ]);
}

/**
 * The answer after the draft was cancelled. The draft can be restored until it expires.
 *
 * @param attempted whether an earlier attempt may have created the product
 */
export function addProductCancelled(draft: string, attempted: boolean, locale: Locale): MessagePayload {
  const say = texts(locale).addProduct;
  return notice(attempted ? { body: say.cancelledUnsure, tone: "warn" } : say.cancelled, [
    row(
      button(ids.buttons.preview.make({ draft }), say.bringBack),
      button(ids.buttons.discard.make({ draft }), say.discard),
    ),
  ]);
}
