import type { Press } from "../../src/discord/commands/define-command.ts";
import type { Services } from "../../src/services.ts";
import type { Draft } from "../../src/sessions/drafts.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { addProductDone } from "../../src/views/products/add-product-results.ts";

/** A draft of which no product was created yet. */
export type OpenDraft = Extract<Draft, { stage: "open" }>;

/** A press on something that names a draft. */
export type DraftPress = Press<{ readonly draft: string }>;

/** One piece of work on a draft: this process does one at a time. */
export interface DraftWork {
  readonly name: string;
  readonly press: DraftPress;
  readonly services: Services;
  /** Writes what the draft becomes, or deletes it. Throws a `ProblemError` ("expired") where it is gone. */
  keep(next: Draft | undefined): Promise<void>;
}

/** The answer that `work` makes of an open draft; of one whose product was created it is that product. */
export function onDraft(
  press: DraftPress,
  services: Services,
  work: (draft: OpenDraft, on: DraftWork) => Promise<MessagePayload>,
  which?: { readonly cancelledToo: true },
): Promise<MessagePayload> {
  const { draft: name } = press.args;
  return services.drafts.use(
    name,
    press,
    async (draft, keep) => {
      if (draft.stage === "open") return work(draft, { name, press, services, keep });
      return addProductDone("created", { draft: name, productId: draft.productId }, press.locale);
    },
    which,
  );
}
