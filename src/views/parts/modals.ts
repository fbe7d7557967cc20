import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from "@discordjs/core";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";

interface ShortInput {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly placeholder?: string;
  readonly max: number;
}

function oneInput(customId: string, title: string, input: ShortInput): APIModalInteractionResponseCallbackData {
  return {
    custom_id: customId,
    title,
    components: [
      {
        type: ComponentType.Label,
        label: input.label,
        description: input.hint,
        component: {
          type: ComponentType.TextInput,
          custom_id: input.id,
          style: TextInputStyle.Short,
          required: true,
          min_length: 1,
          max_length: input.max,
          ...(input.placeholder === undefined ? {} : { placeholder: input.placeholder }),
        },
      },
    ],
  };
}

/** Asks for the API token, in the field `token` of at most 4,000 characters (Discord's limit). */
export function connectModal(customId: string, locale: Locale): APIModalInteractionResponseCallbackData {
  const { title, label, hint, placeholder } = texts(locale).connect;
  return oneInput(customId, title, { id: "token", label, hint, placeholder, max: 4_000 });
}

/** Asks for a page from 1 to `lastPage`, in the field `page` of at most 10 characters. */
export function jumpModal(customId: string, lastPage: number, locale: Locale): APIModalInteractionResponseCallbackData {
  const say = texts(locale).common;
  return oneInput(customId, say.jumpTitle, {
    id: "page",
    label: say.jumpLabel,
    hint: say.jumpHint(String(lastPage)),
    max: 10,
  });
}
