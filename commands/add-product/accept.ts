import { typedMax } from "../../src/basics/limits/limits-in-texts.ts";
import type { Submission } from "../../src/discord/commands/define-command.ts";
import type { Aside } from "../../src/sessions/drafts.ts";
import { type NewProduct, newProductSchema } from "../../src/store-api/schemas.ts";
import { habitsOf } from "../../src/store-queries/price.ts";
import { type Problem, ProblemError } from "../../src/views/parts/problem.ts";
import { type ProductWindow, windowFields } from "../../src/views/products/add-product-modal.ts";
import { addProductRefused } from "../../src/views/products/add-product-results.ts";
import { bringBack } from "./cancel.ts";
import { type DraftPress, type DraftWork, type OpenDraft, onDraft, preview } from "./draft.ts";
import { edited } from "./fields.ts";
import { uploadedStock } from "./stock.ts";

type Sent = Submission<{ readonly draft: string }>;

const stockType = newProductSchema.shape.inventory.shape.type;

interface Change {
  readonly product: NewProduct;
  readonly aside?: Aside;
  /** `action` names the button that opens the window again. */
  readonly refused?: { readonly action: "edit" | ProductWindow; readonly problem: Problem };
}

/**
 * Typed texts are stored even if they are rejected, or if the draft was cancelled, so nobody has to type them twice. But a
 * draft does not change after its product was sent: the bot searches the store for the draft's title, price and category.
 */
const accepting = <By extends DraftPress>(change: (draft: OpenDraft, on: DraftWork<By>) => Promise<Change>) =>
  onDraft<By>(async (found, on) => {
    if (found.attempt) return bringBack(found, on);
    const { refused, ...changed } = await change(found, on);
    const draft: OpenDraft = { ...found, isCancelled: undefined, ...changed };
    await on.keep(draft);
    if (refused) return addProductRefused(on.name, refused, on.press.locale);
    return preview(on, draft);
  });

/** The texts and typed stock are accepted even if a file is rejected. */
export const acceptTexts = accepting<Sent>(async ({ product: before }, { press, services }) => {
  const { fields } = press;
  const { data: type = before.inventory.type } = stockType.safeParse(fields["stock-type"]);
  const product: NewProduct = {
    ...before,
    info: {
      ...before.info,
      description: fields.description?.trim() || undefined,
      instructions: fields.instructions?.trim() || undefined,
    },
    inventory: fields.stock?.trim() ? { type, content: fields.stock } : { ...before.inventory, type },
  };
  try {
    const uploaded = await uploadedStock(press, services.uploads);
    return { product: uploaded ? { ...product, inventory: { type, ...uploaded } } : product };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { product, refused: { action: "edit", problem: error.problem } };
  }
});

/** Accepts all fields, or none. Rejected texts are stored as they were typed. */
export const accepts = (window: ProductWindow) =>
  accepting<Sent>(async ({ product, aside }, { press, services }) => {
    const { settings } = await services.guilds.get(press.guildId);
    const { [window]: _, ...typed } = aside?.typed ?? {};
    const { fields } = press;
    try {
      const before = { product, doubtful: aside?.doubtful };
      const { doubtful, ...next } = edited(window, before, fields, habitsOf(settings));
      return { ...next, aside: { ...aside, doubtful, typed } };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const rejected = windowFields[window].map((name) => [name, (fields[name] ?? "").slice(0, typedMax)]);
      const kept = { ...typed, [window]: Object.fromEntries(rejected) };
      return { product, aside: { ...aside, typed: kept }, refused: { action: window, problem: error.problem } };
    }
  });
