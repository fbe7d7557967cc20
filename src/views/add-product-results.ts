import { texts } from "./catalogue/catalogue.ts";
import { button, row } from "./components.ts";
import type { Locale } from "./context.ts";
import { customId, customIdIfFits } from "./custom-id.ts";
import { notice } from "./notice.ts";
import type { MessagePayload } from "./payload.ts";
import { type Problem, problemText } from "./problem.ts";
import { code } from "./text.ts";

const ID_MAX = 110;

/**
 * The product is in the store: its whole id, and a button that opens it.
 *
 * @param how `created`: the store said so; `found`: it was found there after an attempt of unknown outcome
 */
export function addProductDone(
  how: "created" | "found",
  { draft, productId }: { readonly draft: string; readonly productId: string },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  const open = customIdIfFits("add-product", "open", draft, productId);
  return notice(
    { body: say[how](code(productId, ID_MAX)), tone: "ok" },
    open === undefined ? [] : [row(button(open, common.open))],
  );
}

/**
 * Nobody knows whether the product was created.
 *
 * @param looked whether the store could be asked, and does not have it: only then a new attempt is offered
 * @param attempt which attempt this is about, so that one press starts at most one more
 */
export function addProductUnsure(
  draft: string,
  { looked, attempt }: { readonly looked: boolean; readonly attempt: number },
  locale: Locale,
): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  return notice({ body: looked ? say.notFound : say.cannotLook, tone: "warn" }, [
    row(
      button(customId("add-product", "create", draft), say.lookAgain, { style: "primary" }),
      ...(looked ? [button(customId("add-product", "again", draft, String(attempt)), say.createAgain)] : []),
      button(customId("add-product", "cancel", draft), common.cancel, { style: "danger" }),
    ),
  ]);
}

/** The stock was not taken; everything else is kept. */
export function addProductRefused(draft: string, problem: Problem, locale: Locale): MessagePayload {
  const { addProduct: say, common } = texts(locale);
  return notice({ body: `${problemText(problem, locale)}\n${say.textsKept}`, tone: "warn" }, [
    row(
      button(customId("add-product", "edit", draft), common.edit, { style: "primary" }),
      button(customId("add-product", "cancel", draft), common.cancel, { style: "danger" }),
    ),
  ]);
}

/** @param attempted whether an earlier attempt may have created the product all the same */
export function addProductCancelled(attempted: boolean, locale: Locale): MessagePayload {
  const say = texts(locale).addProduct;
  return notice(attempted ? { body: say.cancelledUnsure, tone: "warn" } : say.cancelled);
}
