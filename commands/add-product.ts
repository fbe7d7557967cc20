import type { Press, Submission } from "../src/discord/define-command.ts";
import { ProblemError } from "../src/discord/problem-error.ts";
import { type NewProduct, newProductSchema } from "../src/store-api/schemas.ts";
import { addProductMessagesModal, addProductModal } from "../src/views/add-product-modal.ts";
import { addProductPreview } from "../src/views/add-product-preview.ts";
import { addProductCancelled, addProductDone, addProductRefused } from "../src/views/add-product-results.ts";
import type { MessagePayload } from "../src/views/payload.ts";
import type { Problem } from "../src/views/problem.ts";
import { productCard } from "../src/views/product-card.ts";
import { createProduct, lookUp } from "./add-product/create.ts";
import { addProductOptions, productFrom } from "./add-product/options.ts";
import { stockIn } from "./add-product/stock.ts";
import { callerView } from "./caller-view.ts";
import { defineCommand, execute } from "./define.ts";
import { findProduct } from "./find-product.ts";
import type { Services } from "./services.ts";

const stockType = newProductSchema.shape.inventory.shape.type;

async function openDraft(press: Press, { drafts }: Services): Promise<[name: string, product: NewProduct]> {
  const [name = ""] = press.args;
  const draft = await drafts.find(name, press);
  if (draft.stage === "created") throw new ProblemError({ code: "already_done" });
  return [name, draft.product];
}

/**
 * Keeps what a modal changed and shows it, or what became of the product where the store was asked for it meanwhile. What
 * was typed is kept even where the stock is refused: nobody types it twice.
 */
function takeIn(
  submission: Submission,
  services: Services,
  change: (product: NewProduct) => Promise<{ readonly product: NewProduct; readonly refusal?: Problem }>,
): Promise<MessagePayload> {
  const [name = ""] = submission.args;
  const { locale, guildId } = submission;
  return services.drafts.use(name, submission, async (found, keep) => {
    if (found.stage === "created")
      return addProductDone("created", { draft: name, productId: found.productId }, locale);
    const { product, refusal } = await change(found.product);
    const draft = { ...found, product };
    await keep(draft);
    if (refusal) return addProductRefused(name, refusal, locale);
    if (draft.attempt) return lookUp({ name, caller: submission, services, keep }, draft, draft.attempt);
    return addProductPreview(name, product, callerView(await services.guilds.get(guildId), submission));
  });
}

const takeTexts = (submission: Submission, services: Services) =>
  takeIn(submission, services, async (before) => {
    const { fields } = submission;
    const { data: type = before.inventory.type } = stockType.safeParse(fields["stock-type"]);
    const product: NewProduct = {
      ...before,
      info: {
        ...before.info,
        description: fields.description?.trim() || undefined,
        instructions: fields.instructions?.trim() || undefined,
      },
      inventory: { ...before.inventory, type },
    };
    try {
      const stock = await stockIn(submission, services.uploads);
      return { product: stock === undefined ? product : { ...product, inventory: { type, ...stock } } };
    } catch (error) {
      if (error instanceof ProblemError) return { product, refusal: error.problem };
      throw error;
    }
  });

const takeMessages = (submission: Submission, services: Services) =>
  takeIn(submission, services, async (before) => {
    const lines = (submission.fields.messages ?? "").split("\n").map((line) => line.trim());
    const autoMessages = lines.filter(Boolean);
    const chosen = before.chat?.enabled === undefined ? undefined : { enabled: before.chat.enabled };
    return { product: { ...before, chat: autoMessages.length === 0 ? chosen : { ...chosen, autoMessages } } };
  });

/** The created product's title, which its draft has for a day. */
async function titleIn(name: string, press: Press, { drafts }: Services): Promise<string | undefined> {
  try {
    const draft = await drafts.find(name, press);
    return (draft.stage === "created" ? draft.title : draft.product.info.title) || undefined;
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "expired") return undefined;
    throw error;
  }
}

export const addProduct = defineCommand({
  name: "add-product",
  execute: execute({
    options: addProductOptions,
    answer: "modal",
    async run(caller, services) {
      const product = productFrom(caller.options);
      // A modal that cannot lead to anything would be filled in for nothing.
      await services.connected(caller.guildId);
      const name = await services.drafts.start(caller, product);
      return addProductModal("submit", name, product, caller.locale);
    },
  }),

  components: {
    create: { answer: "update", run: createProduct },
    again: { answer: "update", run: createProduct },
    edit: {
      answer: "modal",
      async run(press, services) {
        return addProductModal("edit", ...(await openDraft(press, services)), press.locale);
      },
    },
    messages: {
      answer: "modal",
      async run(press, services) {
        return addProductMessagesModal(...(await openDraft(press, services)), press.locale);
      },
    },
    cancel: {
      answer: "update",
      run(press, { drafts }) {
        const [name = ""] = press.args;
        return drafts.use(name, press, async (draft, keep) => {
          if (draft.stage === "created") {
            return addProductDone("created", { draft: name, productId: draft.productId }, press.locale);
          }
          await keep(undefined);
          return addProductCancelled(draft.attempt !== undefined, press.locale);
        });
      },
    },
    open: {
      answer: "ephemeral",
      async run(press, services) {
        const [name = "", id = ""] = press.args;
        const { guild, store } = await services.connected(press.guildId);
        const shop = { guildId: press.guildId, store, catalog: services.catalog };
        const product = await findProduct(shop, id, await titleIn(name, press, services));
        return productCard(product, callerView(guild, press));
      },
    },
  },

  modals: {
    submit: { answer: "ephemeral", run: takeTexts },
    edit: { answer: "update", run: takeTexts },
    messages: { answer: "update", run: takeMessages },
  },
});
