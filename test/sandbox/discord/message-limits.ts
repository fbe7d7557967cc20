import type { APIAllowedMentions, APIEmbed } from "@discordjs/core";
import { componentProblems } from "./component-limits.ts";
import { COMPONENTS_V2, type Component, flat, TYPE } from "./components.ts";
import { apiErrors, type Problem } from "./errors.ts";
import type { ApiMessage, UploadedPart } from "./model.ts";

/** A message as a request body states it, after the specification's own check. */
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

/** Whether the message will consist of components only once the body is applied to what is there. */
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
  const problems: Problem[] = [];
  if (embeds.reduce((sum, embed) => sum + embedLength(embed), 0) > 6_000) {
    const message = "Embed size exceeds maximum size of 6000";
    problems.push({ path: ["embeds"], code: "MAX_EMBED_SIZE_EXCEEDED", message });
  }
  for (const [index, embed] of embeds.entries()) {
    for (const [at, field] of (embed.fields ?? []).entries()) {
      for (const key of ["name", "value"] as const) {
        if (field[key].trim() !== "") continue;
        const path = ["embeds", index, "fields", at, key];
        problems.push({ path, code: "BASE_TYPE_REQUIRED", message: "This field is required" });
      }
    }
  }
  return problems;
}

function mentionProblems(mentions: APIAllowedMentions): Problem[] {
  return (["users", "roles"] as const).flatMap((kind) => {
    const listed = mentions[kind] ?? [];
    if (listed.length === 0 || !(mentions.parse ?? []).some((parsed) => parsed === kind)) return [];
    const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
    return [{ path: ["allowed_mentions"], code: "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message }];
  });
}

function v2Problems(body: MessageBody, before: ApiMessage | undefined, components: readonly Component[]): Problem[] {
  const problems: Problem[] = [];
  for (const key of ["content", "embeds"] as const) {
    const value = body[key] === undefined ? before?.[key] : body[key];
    if (value === undefined || value === null || value.length === 0) continue;
    const message = `The '${key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
    problems.push({ path: [key], code: "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message });
  }
  const all = flat(components);
  if (all.length > 40) {
    const message = `The maximum number of components in a message is 40 (this one has ${all.length})`;
    problems.push({ path: ["components"], code: "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", message });
  }
  const text = all.reduce(
    (sum, { type, content }) => sum + (type === TYPE.textDisplay ? (content?.length ?? 0) : 0),
    0,
  );
  if (text > 4_000) {
    const message = `The displayable text of all components exceeds the maximum of 4000 (it has ${text})`;
    problems.push({ path: ["components"], code: "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", message });
  }
  return problems;
}

function legacyProblems(body: MessageBody, components: readonly Component[]): Problem[] {
  const problems = components.flatMap(({ type }, index): Problem[] => {
    if (type === TYPE.row) return [];
    const message = 'Value of field "type" must be one of (1,).';
    return [{ path: ["components", index], code: "UNION_TYPE_CHOICES", message }];
  });
  if (components.length > 5) {
    problems.push({ path: ["components"], code: "BASE_TYPE_BAD_LENGTH", message: "Must be 5 or fewer in length." });
  }
  if ((body.content ?? "").length > 2_000) {
    const message = "Must be 2000 or fewer in length.";
    problems.push({ path: ["content"], code: "BASE_TYPE_MAX_LENGTH", message });
  }
  return problems;
}

/**
 * What Discord refuses in a message and its specification does not say. `before` is the message that an edit changes.
 * Throws the error for an empty message; returns the other problems.
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
  const problems = [
    ...embedProblems((body.embeds ?? []) as readonly APIEmbed[]),
    ...mentionProblems(body.allowed_mentions ?? {}),
    ...(v2 ? v2Problems(body, before, components) : legacyProblems(body, components)),
    ...(body.components ? componentProblems(body.components, names) : []),
  ];
  if (!v2 && before !== undefined && ((before.flags ?? 0) & COMPONENTS_V2) !== 0) {
    const message = "The IS_COMPONENTS_V2 flag cannot be removed from a message";
    problems.push({ path: ["flags"], code: "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", message });
  }
  if (body.enforce_nonce && (body.nonce === undefined || body.nonce === null)) {
    problems.push({ path: ["nonce"], code: "BASE_TYPE_REQUIRED", message: "This field is required" });
  }
  for (const [index, part] of files.entries()) {
    if (!/^files?\[?\d*\]?$/.test(part.field)) {
      problems.push({ path: ["files", index], code: "BASE_TYPE_CHOICES", message: "A file part is called files[n]" });
    }
  }
  if (problems.length === 0 && !filled) throw apiErrors.emptyMessage();
  return problems;
}
