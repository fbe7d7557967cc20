import type { Choice } from "../../src/basics/choices.ts";
import { withDeadline } from "../../src/basics/limits/deadline.ts";
import type { Caller } from "../../src/discord/commands/caller.ts";
import type { Press } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import type { Draft } from "../../src/sessions/drafts.ts";
import { suggestCategories, titlesInCategory } from "../../src/store-queries/categories.ts";
import { callerView } from "../../src/views/parts/context.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { addProductPreview } from "../../src/views/products/add-product-preview.ts";
import { addProductDone } from "../../src/views/products/add-product-results.ts";

export type OpenDraft = Extract<Draft, { stage: "open" }>;

export type DraftPress = Press<{ readonly draft: string }>;

/** In one process the actions on a draft run one after another. */
export interface DraftWork<Sent extends DraftPress = DraftPress> {
  readonly name: string;
  readonly press: Sent;
  readonly services: Services;
  /** Throws as `keep` in `Sessions.use`. */
  keep(next: Draft): Promise<void>;
}

/**
 * If the product was created already, the answer says so. `work` gets a cancelled draft, too. The handler throws a
 * `ProblemError`: "expired", or "someone_elses" for anybody but the author.
 */
export const onDraft =
  <Sent extends DraftPress = DraftPress>(work: (draft: OpenDraft, on: DraftWork<Sent>) => Promise<MessagePayload>) =>
  (press: Sent, services: Services): Promise<MessagePayload> => {
    const { draft: name } = press.args;
    return services.drafts.use(name, press, async (draft, keep) => {
      if (draft.stage === "open") return work(draft, { name, press, services, keep });
      return addProductDone("created", { draft: name, productId: draft.productId }, press.locale);
    });
  };

/** A window must open within 3 s, and the access check may take 2 s. */
const longestMs = 500;

/** The names of categories are not worth a longer wait. */
async function inTime<T>(find: () => Promise<readonly T[]>, caller: Caller, { log }: Services): Promise<readonly T[]> {
  const found = find().catch((error: unknown) => {
    log.debug({ err: error, guild: caller.guildId }, "could not read the names of categories");
    return [];
  });
  return withDeadline(found, longestMs, []);
}

export const knownCategories = (caller: Caller, services: Services): Promise<readonly Choice[]> =>
  inTime(() => services.connected().then((shop) => suggestCategories("", shop)), caller, services);

export async function preview(
  { name, press, services }: DraftWork,
  { product, aside }: OpenDraft,
): Promise<MessagePayload> {
  const titles = async () => titlesInCategory(product.categoryId, await services.connected());
  const [{ settings }, inCategory] = await Promise.all([
    services.guilds.get(press.guildId),
    inTime(titles, press, services),
  ]);
  const view = callerView(settings, press.locale);
  return addProductPreview(name, product, view, { inCategory, doubtful: aside?.doubtful });
}
