import type { Caller } from "../../src/discord/commands/caller.ts";
import type { Press } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/services.ts";
import type { Draft } from "../../src/sessions/drafts.ts";
import { StorageError } from "../../src/storage/table.ts";
import type { NewProduct, Product } from "../../src/store-api/schemas.ts";
import { StoreError } from "../../src/store-api/store-api.ts";
import { findCreated } from "../../src/store-queries/find-product.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { addProductDone, addProductUnsure } from "../../src/views/products/add-product-results.ts";
import { stockAsSent, withoutStock } from "./stock.ts";

type Keep = (next: Draft | undefined) => Promise<void>;
type OpenDraft = Extract<Draft, { stage: "open" }>;
type Attempt = NonNullable<OpenDraft["attempt"]>;

/** Whoever writes messages for the chat and does not say whether to open one means that it opens. */
const chatAsSent = (chat: NewProduct["chat"]): NewProduct["chat"] =>
  chat?.autoMessages === undefined ? chat : { ...chat, enabled: chat.enabled ?? true };

/** One piece of work on a draft: nobody else in this process works on it meanwhile. */
interface Turn {
  readonly name: string;
  readonly caller: Caller;
  readonly services: Services;
  readonly keep: Keep;
}

/** Notes what the store said. Whoever asked is told so even where their draft went meanwhile, with all of the server's. */
async function note(keep: Keep, next: Draft): Promise<void> {
  try {
    await keep(next);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  }
}

/** Asks the store what became of an attempt; sends no creation. */
export async function lookUp({ name, caller, services, keep }: Turn, { product }: OpenDraft, attempt: Attempt) {
  const { guildId, locale } = caller;
  let found: Product | undefined;
  try {
    const { store } = await services.connected(guildId);
    found = await findCreated(store, product, attempt.since, services.now);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    services.log.warn({ guild: guildId, code: error.code }, "a product of an unclear creation could not be looked up");
    return addProductUnsure(name, { looked: false, attempt: attempt.count }, locale);
  }
  if (found === undefined) return addProductUnsure(name, { looked: true, attempt: attempt.count }, locale);
  await note(keep, { stage: "created", productId: found.id, title: product.info.title });
  await services.auditLog.note(caller, { did: "product_created", what: found.id });
  return addProductDone("found", { draft: name, productId: found.id }, locale);
}

async function send(turn: Turn, draft: OpenDraft): Promise<MessagePayload> {
  const { name, caller, services, keep } = turn;
  const { guildId: guild } = caller;
  const { store } = await services.connected(guild);
  const attempt = { count: (draft.attempt?.count ?? 0) + 1, since: draft.attempt?.since ?? services.now() };
  const inventory = stockAsSent(draft.product.inventory);
  const product: NewProduct = { ...draft.product, inventory, chat: chatAsSent(draft.product.chat) };
  await keep({ ...draft, attempt });
  let productId: string;
  try {
    productId = (await store.createProduct(product)).id;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "ambiguous") return lookUp(turn, draft, attempt);
    await note(keep, draft);
    throw withoutStock(error, inventory);
  }
  services.log.info({ guild, product: productId }, "a product was created");
  try {
    await note(keep, { stage: "created", productId, title: product.info.title });
    await services.auditLog.note(caller, { did: "product_created", what: productId });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // The attempt stands, so the next press looks the product up instead of sending it again.
    services.log.error({ err: error, guild, product: productId }, "a created product could not be noted");
  }
  return addProductDone("created", { draft: name, productId }, caller.locale);
}

/**
 * The answer to every press on Create, and on "Create again", which names the attempt that it follows: any other attempt
 * that stands is looked up, for no attempt of this process is under way now and none is ever repeated by itself.
 */
export function createFromDraft(
  press: Press<{ readonly draft: string }>,
  services: Services,
  follows?: string,
): Promise<MessagePayload> {
  const { draft: name } = press.args;
  return services.drafts.use(name, press, async (draft, keep) => {
    if (draft.stage === "created") {
      return addProductDone("created", { draft: name, productId: draft.productId }, press.locale);
    }
    const turn: Turn = { name, caller: press, services, keep };
    const { attempt } = draft;
    if (attempt && String(attempt.count) !== follows) return lookUp(turn, draft, attempt);
    return send(turn, draft);
  });
}
