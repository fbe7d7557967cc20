import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from "@discordjs/core";
import { typedMax } from "../../basics/limits/limits-in-texts.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { label } from "./text.ts";

export type LabelledInput = APIModalInteractionResponseCallbackData["components"][number];

/** Discord's limit, in characters. */
const hintMax = 100;

interface TextField {
  readonly hint?: string | undefined;
  readonly placeholder?: string;
  readonly value?: string | undefined;
  readonly max?: number | undefined;
  readonly isLong?: boolean;
  readonly required?: boolean;
}

export const labelled = (name: string, hint: string | undefined) => ({
  type: ComponentType.Label as const,
  label: name,
  description: hint === undefined ? undefined : label(hint, hintMax),
});

export function textInput(id: string, name: string, field: TextField): LabelledInput {
  const { hint, placeholder, value = "", max = typedMax, isLong = false, required = false } = field;
  return {
    ...labelled(name, hint),
    component: {
      type: ComponentType.TextInput,
      custom_id: id,
      style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
      required,
      max_length: max,
      placeholder,
      value: value.slice(0, max).toWellFormed() || undefined,
    },
  };
}

/** The id of the field is `token`. */
export function connectModal(customId: string, locale: Locale): APIModalInteractionResponseCallbackData {
  const { title, label: name, hint, placeholder } = texts(locale).connect;
  const token = textInput("token", name, { hint, placeholder, required: true });
  return { custom_id: customId, title, components: [token] };
}

/** The field `page` takes at most 10 characters. */
export function jumpModal(customId: string, lastPage: number, locale: Locale): APIModalInteractionResponseCallbackData {
  const say = texts(locale).common;
  const page = textInput("page", say.jumpLabel, { hint: say.jumpHint(String(lastPage)), max: 10, required: true });
  return { custom_id: customId, title: say.jumpTitle, components: [page] };
}
