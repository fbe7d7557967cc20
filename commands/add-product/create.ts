import type { Press } from "../../src/discord/commands/define-command.ts";
import type { Draft } from "../../src/sessions/drafts.ts";
import { StorageError } from "../../src/storage/table.ts";
import type { NewProduct, Product } from "../../src/store-api/schemas.ts";
import { StoreError } from "../../src/store-api/store-api.ts";
import { findCreated } from "../../src/store-queries/find-product.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { type Problem, ProblemError } from "../../src/views/parts/problem.ts";
import { addProductDone, addProductRefused, addProductUnsure } from "../../src/views/products/add-product-results.ts";
import { type DraftWork, type OpenDraft, onDraft } from "./draft.ts";
import { withoutStock } from "./refusal-without-stock.ts";
import { stockAsSent } from "./stock.ts";

type Attempt = NonNullable<OpenDraft["attempt"]>;

const chatAsSent = (chat: NewProduct["chat"]): NewProduct["chat"] =>
  chat?.autoMessages === undefined ? chat : { ...chat, enabled: chat.enabled ?? true };

/** Does nothing if the draft cannot be stored, for example because it was deleted. */
async function note(keep: DraftWork["keep"], next: Draft): Promise<void> {
  try {
    await keep(next);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  }
}

/**
 * Searches the store for the product of an earlier attempt. Never creates a product. `refusal` is the reason why the store has
 * just refused a later attempt. With a `refusal`, a product that is not found was never created: the person can edit the draft.
 */
export async function lookUp(
  { name, press, services, keep }: DraftWork,
  draft: OpenDraft,
  attempt: Attempt,
  refusal?: Problem,
): Promise<MessagePayload> {
  const { guildId, locale } = press;
  const { product } = draft;
  let found: Product | undefined;
  try {
    const { store } = await services.connected();
    found = await findCreated(store, product, attempt.since, services.now);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    services.log.warn(
      { guild: guildId, code: error.code },
      "could not search for a product that may have been created",
    );
    return addProductUnsure(name, { looked: false, attempt: attempt.count }, locale);
  }
  if (found === undefined && refusal) {
    await note(keep, { ...draft, attempt: undefined });
    return addProductRefused(name, { action: "edit", problem: refusal }, locale);
  }
  if (found === undefined) return addProductUnsure(name, { looked: true, attempt: attempt.count }, locale);
  await note(keep, { stage: "created", productId: found.id, title: product.info.title });
  await services.auditLog.note(press, { did: "product_created", what: found.id });
  return addProductDone("found", { draft: name, productId: found.id }, locale);
}

async function send(on: DraftWork, draft: OpenDraft): Promise<MessagePayload> {
  const { name, press, services, keep } = on;
  const { guildId: guild } = press;
  const { store } = await services.connected();
  const attempt = { count: (draft.attempt?.count ?? 0) + 1, since: draft.attempt?.since ?? services.now() };
  const inventory = stockAsSent(draft.product.inventory);
  const product: NewProduct = { ...draft.product, inventory, chat: chatAsSent(draft.product.chat) };
  await keep({ ...draft, attempt });
  let productId: string;
  try {
    productId = (await store.createProduct(product)).id;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "ambiguous") return lookUp(on, draft, attempt);
    await note(keep, draft);
    const refused = withoutStock(error, inventory);
    if (draft.attempt && refused.code === "invalid") return lookUp(on, draft, draft.attempt, refused);
    throw refused;
  }
  services.log.info({ guild, product: productId }, "a product was created");
  try {
    await note(keep, { stage: "created", productId, title: product.info.title });
    await services.auditLog.note(press, { did: "product_created", what: productId });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // The draft has a record of the attempt, so the next press searches for the product, and does not create it again.
    services.log.error({ err: error, guild, product: productId }, "could not record a created product");
  }
  return addProductDone("created", { draft: name, productId }, press.locale);
}

/**
 * `follows` is the number of the attempt that "Create again" repeats. If the draft's last attempt has another number, nothing
 * is created, and the store is searched for the product of the last attempt.
 */
export const createFromDraft = onDraft<Press<{ readonly draft: string; readonly follows?: string }>>(
  async (draft, on) => {
    const { attempt, isCancelled } = draft;
    if (isCancelled) throw new ProblemError({ code: "cancelled" });
    if (attempt && String(attempt.count) !== on.press.args.follows) return lookUp(on, draft, attempt);
    return send(on, draft);
  },
);
