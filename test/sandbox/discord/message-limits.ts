import type { APIAllowedMentions, APIEmbed } from "@discordjs/core";
import { componentProblems } from "./component-limits.ts";
import { COMPONENTS_V2, type Component, flat, TYPE } from "./components.ts";
import { apiErrors, badLength, type Problem, problemIf, required } from "./errors.ts";
import type { ApiMessage, UploadedPart } from "./model.ts";

/** As a request states it, after the specification's own check. */
export interface MessageBody {
  readonly content?: string | null;
  readonly embeds?: readonly APIEmbed[] | null;
  readonly components?: readonly Component[] | null;
  readonly allowed_mentions?: APIAllowedMentions | null;
  readonly attachments?: readonly { id: string | number; filename?: string; description?: string }[] | null;
  readonly message_reference?: { readonly message_id?: string; readonly fail_if_not_exists?: boolean } | null;
  readonly flags?: number | null;
  readonly nonce?: string | number | null;
  readonly enforce_nonce?: boolean | null;
}

/** Whether the message is one of Components V2, after the body was applied to `before`. */
export function isV2(body: MessageBody, before?: ApiMessage): boolean {
  const flags = body.flags ?? before?.flags ?? 0;
  return (flags & COMPONENTS_V2) !== 0;
}

function embedLength(embed: APIEmbed): number {
  const fields = (embed.fields ?? []).map(({ name, value }) => name.length + value.length);
  const parts = [embed.title, embed.description, embed.footer?.text, embed.author?.name].map(
    (text) => text?.length ?? 0,
  );
  return [...fields, ...parts].reduce((sum, length) => sum + length, 0);
}

function embedProblems(embeds: readonly APIEmbed[]): Problem[] {
  const length = embeds.reduce((sum, embed) => sum + embedLength(embed), 0);
  return [
    ...problemIf(length > 6_000, ["embeds"], "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000"),
    ...embeds.flatMap(({ fields = [] }, index) =>
      fields.flatMap((field, at) =>
        (["name", "value"] as const).flatMap((key) =>
          required(field[key].trim(), ["embeds", index, "fields", at, key]),
        ),
      ),
    ),
  ];
}

function mentionProblems(mentions: APIAllowedMentions): Problem[] {
  return (["users", "roles"] as const).flatMap((kind) => {
    const isBoth = (mentions[kind] ?? []).length > 0 && (mentions.parse ?? []).some((parsed) => parsed === kind);
    const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
    return problemIf(isBoth, ["allowed_mentions"], "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message);
  });
}

function v2Problems(body: MessageBody, before: ApiMessage | undefined, components: readonly Component[]): Problem[] {
  const all = flat(components);
  const texts = all.filter(({ type }) => type === TYPE.textDisplay).map(({ content = "" }) => content);
  const length = texts.join("").length;
  const tooMany = `The maximum number of components in a message is 40 (this one has ${all.length})`;
  const tooLong = `The displayable text of all components exceeds the maximum of 4000 (it has ${length})`;
  return [
    ...(["content", "embeds"] as const).flatMap((key) => {
      const value = body[key] === undefined ? before?.[key] : body[key];
      const message = `The '${key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
      const code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2";
      return problemIf((value ?? "").length > 0, [key], code, message);
    }),
    ...problemIf(all.length > 40, ["components"], "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", tooMany),
    ...problemIf(length > 4_000, ["components"], "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", tooLong),
  ];
}

function legacyProblems(body: MessageBody, components: readonly Component[]): Problem[] {
  const isLong = (body.content ?? "").length > 2_000;
  return [
    ...components.flatMap(({ type }, index) => {
      const message = 'Value of field "type" must be one of (1,).';
      return problemIf(type !== TYPE.row, ["components", index], "UNION_TYPE_CHOICES", message);
    }),
    ...badLength(components.length > 5, ["components"], "5 or fewer"),
    ...problemIf(isLong, ["content"], "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length."),
  ];
}

/**
 * What Discord refuses although its specification allows it. `before` is the message that an edit changes.
 * Throws the error for an empty message.
 */
export function messageProblems(body: MessageBody, files: readonly UploadedPart[], before?: ApiMessage): Problem[] {
  const components = (body.components ?? (before?.components as readonly Component[] | undefined) ?? []).filter(
    Boolean,
  );
  const v2 = isV2(body, before);
  const content = body.content === undefined ? before?.content : body.content;
  const embeds = body.embeds === undefined ? before?.embeds : body.embeds;
  const kept = body.attachments === undefined ? (before?.attachments ?? []) : (body.attachments ?? []);
  const filled =
    (content ?? "").trim() !== "" ||
    (embeds ?? []).some((embed) => embedLength(embed as APIEmbed) > 0 || embed.image || embed.thumbnail) ||
    (v2 && components.length > 0) ||
    kept.length > 0 ||
    files.length > 0;

  const names = new Set([...files.map(({ name }) => name), ...kept.flatMap(({ filename }) => filename ?? [])]);
  const wasV2 = before !== undefined && isV2({}, before);
  const problems = [
    ...embedProblems((body.embeds ?? []) as readonly APIEmbed[]),
    ...mentionProblems(body.allowed_mentions ?? {}),
    ...(v2 ? v2Problems(body, before, components) : legacyProblems(body, components)),
    ...(body.components ? componentProblems(body.components, names) : []),
    ...problemIf(
      wasV2 && !v2,
      ["flags"],
      "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG",
      "The IS_COMPONENTS_V2 flag cannot be removed from a message",
    ),
    ...(body.enforce_nonce ? required(String(body.nonce ?? ""), ["nonce"]) : []),
    ...files.flatMap(({ field }, index) => {
      const isFile = /^files?\[?\d*\]?$/.test(field);
      return problemIf(!isFile, ["files", index], "BASE_TYPE_CHOICES", "A file part is called files[n]");
    }),
  ];
  if (problems.length === 0 && !filled) throw apiErrors.emptyMessage();
  return problems;
}
