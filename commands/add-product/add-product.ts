import { withDeadline } from "../../src/basics/limits/deadline.ts";
import { defineCommand, execute, type Press } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import { hasExpired } from "../../src/sessions/session-kinds.ts";
import { categoryTyped } from "../../src/store-queries/categories.ts";
import { findListed, findProduct } from "../../src/store-queries/find-product.ts";
import { habitsOf } from "../../src/store-queries/price.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { addProductModal, addProductWindow, type ProductWindow } from "../../src/views/products/add-product-modal.ts";
import { productCard } from "../../src/views/products/product-card.ts";
import { accepts, acceptTexts } from "./accept.ts";
import { bringBack, cancel, discard } from "./cancel.ts";
import { createFromDraft } from "./create.ts";
import { type DraftPress, knownCategories, type OpenDraft, onDraft } from "./draft.ts";
import { addProductOptions, copyOf, fieldsOf, productFrom } from "./fields.ts";

/** A window must open within 3 s, and the access check may take 2 s. */
const longestFindMs = 700;

async function openDraft(press: DraftPress, { drafts }: Services): Promise<OpenDraft> {
  const draft = await drafts.find(press.args.draft, press);
  if (draft.stage === "created") throw new ProblemError({ code: "already_done" });
  return draft;
}

async function titleIn(name: string, press: Press, { drafts }: Services): Promise<string | undefined> {
  try {
    const draft = await drafts.find(name, press);
    return (draft.stage === "created" ? draft.title : draft.product.info.title) || undefined;
  } catch (error) {
    if (hasExpired(error)) return undefined;
    throw error;
  }
}

const opens = (window: ProductWindow) => ({
  answer: "modal" as const,
  async run(press: DraftPress, services: Services) {
    const [{ product, aside }, { settings }] = await Promise.all([
      openDraft(press, services),
      services.guilds.get(press.guildId),
    ]);
    const values = { ...fieldsOf(window, product, habitsOf(settings)), ...aside?.typed?.[window] };
    const categories = window === "basics" ? await knownCategories(press, services) : [];
    return addProductWindow(window, press.args.draft, values, categories, press.locale);
  },
});

export const addProduct = defineCommand("add-product", {
  execute: execute({
    options: addProductOptions,
    answer: "modal",
    async run(caller, services) {
      // Throws if no store is connected: then the window would be useless.
      const shop = await services.connected();
      const { category: typed } = caller.options;
      const category = await withDeadline(categoryTyped(typed, shop), longestFindMs, undefined);
      if (category === undefined) throw new ProblemError({ code: "timeout" });
      const { product, doubtful } = productFrom({ ...caller.options, category }, habitsOf(shop.guild.settings));
      const name = await services.drafts.keep(caller, { stage: "open", product, aside: { doubtful } });
      return addProductModal("submit", name, product, caller.locale);
    },
  }),

  handlers: {
    buttons: {
      create: createFromDraft,
      again: createFromDraft,
      edit: {
        answer: "modal",
        async run(press, services) {
          const { product } = await openDraft(press, services);
          return addProductModal("edit", press.args.draft, product, press.locale);
        },
      },
      basics: opens("basics"),
      media: opens("media"),
      options: opens("options"),
      messages: opens("messages"),
      preview: onDraft(bringBack),
      cancel,
      discard,
      copy: {
        answer: "modal",
        async run(press, services) {
          const { session, page, productId } = press.args;
          const query = await services.lists.find(session, press);
          const shop = await services.connected();
          const read = () => findListed(shop, query, page, productId, press.locale);
          const product = await withDeadline(shop.cache.opened(productId, read), longestFindMs, undefined);
          if (product === undefined) throw new ProblemError({ code: "timeout" });
          const copy = copyOf(product);
          const name = await services.drafts.keep(press, { stage: "open", product: copy });
          return addProductModal("submit", name, copy, press.locale);
        },
      },
      open: {
        answer: "ephemeral",
        async run(press, services) {
          const { draft, productId } = press.args;
          const shop = await services.connected();
          const product = await findProduct(shop.store, productId, await titleIn(draft, press, services));
          return productCard(product, shop.view);
        },
      },
    },
    windows: {
      submit: { answer: "ephemeral", run: acceptTexts },
      edit: acceptTexts,
      basics: accepts("basics"),
      media: accepts("media"),
      options: accepts("options"),
      messages: accepts("messages"),
    },
  },
});
