import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIApplicationCommandInteractionDataOption,
  type APIAttachment,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  type APIMessage,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
} from "@discordjs/core";
import { localeOf } from "../../basics/locale.ts";
import type { Caller } from "../commands/caller.ts";
import type { MenuChoice, Submission } from "../commands/define-command.ts";

export type ServedInteraction =
  | APIChatInputApplicationCommandInteraction
  | APIApplicationCommandAutocompleteInteraction
  | APIMessageComponentInteraction
  | APIModalSubmitInteraction;

/** Every interaction except autocomplete, which gets no message or window. */
export type Answerable = Exclude<ServedInteraction, APIApplicationCommandAutocompleteInteraction>;

/** The bot does not serve pings, commands in the context menus of people and messages, or starts of an Activity. */
export function isServed(interaction: APIInteraction): interaction is ServedInteraction {
  if (interaction.type === InteractionType.ApplicationCommand) {
    const { type } = interaction.data;
    return (
      type !== ApplicationCommandType.User &&
      type !== ApplicationCommandType.Message &&
      type !== ApplicationCommandType.PrimaryEntryPoint
    );
  }
  return interaction.type !== InteractionType.Ping;
}

/** Undefined outside a server. */
export function callerOf(interaction: ServedInteraction): Caller | undefined {
  const { guild_id: guildId, member, channel } = interaction;
  if (!guildId || !member) return undefined;
  const parentId = channel && "thread_metadata" in channel ? (channel.parent_id ?? undefined) : undefined;
  return {
    guildId,
    channelId: channel?.id ?? interaction.channel_id ?? "",
    ...(parentId === undefined ? {} : { parentId }),
    userId: member.user.id,
    roleIds: member.roles,
    permissions: BigInt(member.permissions),
    locale: localeOf(interaction.locale),
  };
}

type Nested = Extract<APIApplicationCommandInteractionDataOption, { options: unknown } | { options?: unknown }>;

const isNested = (option: APIApplicationCommandInteractionDataOption): option is Nested =>
  option.type === ApplicationCommandOptionType.Subcommand ||
  option.type === ApplicationCommandOptionType.SubcommandGroup;

/**
 * In `values`, an attachment is an object, not an id. `focused` is the option that the person is typing. `typed` is the text
 * after the command's name: "" (no text), "set", "route add".
 */
export function chosenIn(
  interaction: APIChatInputApplicationCommandInteraction | APIApplicationCommandAutocompleteInteraction,
) {
  const steps: string[] = [];
  let within: readonly APIApplicationCommandInteractionDataOption[] = interaction.data.options ?? [];
  for (let [first] = within; first && isNested(first); [first] = within) {
    steps.push(first.name);
    within = first.options ?? [];
  }
  const options = within.filter(
    (option): option is APIApplicationCommandInteractionDataBasicOption => !isNested(option),
  );
  const resolved = interaction.data.resolved;
  const attachments = resolved && "attachments" in resolved ? resolved.attachments : undefined;
  const values: Record<string, string | number | boolean | APIAttachment> = {};
  let focused: { readonly name: string; readonly typed: string } | undefined;
  for (const option of options) {
    const attachment =
      option.type === ApplicationCommandOptionType.Attachment ? attachments?.[option.value] : undefined;
    values[option.name] = attachment ?? option.value;
    if ("focused" in option && option.focused) focused = { name: option.name, typed: String(option.value) };
  }
  return { typed: steps.join(" "), values, focused };
}

export function pressOf(
  interaction: APIMessageComponentInteraction,
  caller: Caller,
  args: readonly string[],
): MenuChoice<readonly string[]> {
  const [value = ""] = "values" in interaction.data ? (interaction.data.values ?? []) : [];
  // Discord may leave the message out. The press still counts, but its answer cannot use the message.
  const pressed: APIMessage | undefined = interaction.message;
  const message = pressed && { id: pressed.id, content: pressed.content };
  return { ...caller, args, ...(message ? { message } : {}), value };
}

/** In `fields`, the values of a menu are joined by commas. */
export function submissionOf(
  interaction: APIModalSubmitInteraction,
  caller: Caller,
  args: readonly string[],
): Submission<readonly string[]> {
  const fields: Record<string, string> = {};
  const files: Record<string, readonly APIAttachment[]> = {};
  const attachments = interaction.data.resolved?.attachments ?? {};
  for (const row of interaction.data.components) {
    const inputs = "component" in row ? [row.component] : "components" in row ? row.components : [];
    for (const input of inputs) {
      if (input.type === ComponentType.FileUpload) {
        files[input.custom_id] = (input.values ?? []).flatMap((id) => attachments[id] ?? []);
      } else if ("values" in input) {
        fields[input.custom_id] = (input.values ?? []).join(",");
      } else if ("value" in input && typeof input.value === "string") {
        fields[input.custom_id] = input.value;
      }
    }
  }
  return { ...caller, args, fields, files };
}
