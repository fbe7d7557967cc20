import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIComponentInContainer,
  type APIContainerComponent,
  type APIMessageTopLevelComponent,
  type APISelectMenuOption,
  type APIStringSelectComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  ComponentType,
  MessageFlags,
} from "@discordjs/core";
import { type Choice, isChoosable, longestChoice, mostChoices } from "../../basics/choices.ts";
import type { ActionRow, MessagePayload, PayloadFile } from "./payload.ts";
import { dash, label } from "./text.ts";

/** All text displays of a message together have at most this many characters. Discord accepts 4,000. */
export const textBudget = 3_900;

/** For cards without a status, and for alerts whose orders have different statuses. */
export const accent = 0x5865f2;

/** Discord's limits on the label of a button and the placeholder of a menu, in characters. */
const buttonLabelMax = 80;
const placeholderMax = 150;

/** `content` is finished markdown. Texts of stores and people must be made safe first, with `plain` or `code`. */
export function textDisplay(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content: content || dash };
}

/** One to ten pictures. */
export function gallery(urls: readonly string[], description?: string): APIComponentInContainer {
  return { type: ComponentType.MediaGallery, items: urls.map((url) => ({ media: { url }, description })) };
}

export function separator(): APIComponentInContainer {
  return { type: ComponentType.Separator };
}

export function container(accentColor: number, components: APIComponentInContainer[]): APIContainerComponent {
  return { type: ComponentType.Container, accent_color: accentColor, components };
}

export type Button = APIButtonComponentWithCustomId;

export function button(
  customId: string,
  text: string,
  look: { readonly style?: "Primary" | "Secondary" | "Success" | "Danger"; readonly disabled?: boolean } = {},
): Button {
  return {
    type: ComponentType.Button,
    custom_id: customId,
    label: label(text, buttonLabelMax),
    style: ButtonStyle[look.style ?? "Secondary"],
    disabled: look.disabled || undefined,
  };
}

/** At most five buttons. */
export function buttonRow(...buttons: Button[]): ActionRow[] {
  return buttons.length === 0 ? [] : [{ type: ComponentType.ActionRow, components: buttons }];
}

/** The texts may come from anybody and have any length, because `menuOptions` makes them safe. */
export interface MenuOption extends Choice {
  readonly description?: string;
}

/** The first 25 with distinct values. Values that Discord refuses are left out. */
export function menuOptions(options: readonly MenuOption[], chosen?: string): APISelectMenuOption[] {
  const byValue = new Map<string, APISelectMenuOption>();
  for (const { value, name, description } of options) {
    if (!isChoosable(value) || byValue.has(value)) continue;
    byValue.set(value, {
      value,
      label: label(name, longestChoice),
      description: description === undefined ? undefined : label(description, longestChoice),
      default: value === chosen || undefined,
    });
    if (byValue.size === mostChoices) break;
  }
  return [...byValue.values()];
}

/** No row if there are no options. */
export function menuRow(
  customId: string,
  placeholder: string,
  options: readonly MenuOption[],
  chosen?: string,
): APIActionRowComponent<APIStringSelectComponent>[] {
  const taken = menuOptions(options, chosen);
  if (taken.length === 0) return [];
  return [
    {
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.StringSelect,
          custom_id: customId,
          placeholder: label(placeholder, placeholderMax),
          options: taken,
        },
      ],
    },
  ];
}

/** A Components V2 message that mentions nobody. */
export function message(components: APIMessageTopLevelComponent[]): MessagePayload {
  return { flags: MessageFlags.IsComponentsV2, components, allowed_mentions: { parse: [] } };
}

export const withAttachment = (payload: MessagePayload, file: PayloadFile): MessagePayload => ({
  ...payload,
  components: [...payload.components, { type: ComponentType.File, file: { url: `attachment://${file.name}` } }],
  files: [file],
});
