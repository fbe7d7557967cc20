import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { accent, type Button, button, buttonRow, container, message, textBudget, textDisplay } from "./components.ts";
import type { MessagePayload, PostPayload } from "./payload.ts";
import { clip } from "./text.ts";

/** `body` is finished markdown. Texts of stores and people must be made safe first, with `plain`. */
export interface Notice {
  readonly title?: string;
  readonly body: string;
  readonly tone: "ok" | "info" | "warn" | "error";
}

export const tones = {
  ok: { color: 0x23a55a, emoji: "✅" },
  info: { color: accent, emoji: "ℹ️" },
  warn: { color: 0xf0b232, emoji: "⚠️" },
  error: { color: 0xda373c, emoji: "❌" },
} as const;

/** Discord's limit. */
const contentMax = 2_000;

/** The sender makes the notice ephemeral or public. */
export function notice(what: string | Notice, ...buttons: Button[]): MessagePayload {
  const { title, body, tone }: Notice = typeof what === "string" ? { body: what, tone: "info" } : what;
  const { color, emoji } = tones[tone];
  const text = title === undefined ? `${emoji} ${body}` : `### ${emoji} ${title}\n${body}`;
  return message([container(color, [textDisplay(clip(text, textBudget))]), ...buttonRow(...buttons)]);
}

/** A classic message, whose text a locked phone shows. It mentions `roleId` and nothing else. */
export const classicMessage = (
  text: string,
  roleId?: string,
  parts: Partial<Pick<PostPayload, "embeds" | "components">> = {},
): PostPayload => ({
  content: roleId === undefined ? text : `<@&${roleId}> ${text}`,
  embeds: [],
  components: [],
  ...parts,
  allowed_mentions: { parse: [], roles: roleId === undefined ? [] : [roleId] },
});

/** For a channel or a person. */
export const post = ({ body, tone }: Pick<Notice, "body" | "tone">): PostPayload =>
  classicMessage(clip(`${tones[tone].emoji} ${body}`, contentMax));

export function confirmation(
  question: Omit<Notice, "tone">,
  ids: { readonly confirm: string; readonly cancel: string },
  locale: Locale,
): MessagePayload {
  const { common } = texts(locale);
  const confirm = button(ids.confirm, common.confirm, { style: "Danger" });
  return notice({ ...question, tone: "warn" }, confirm, button(ids.cancel, common.cancel));
}

/** Lines of markdown, without the names that have no value. */
export const facts = (lines: readonly (readonly [name: string, value: string | undefined])[]) =>
  lines.flatMap(([name, value]) => (value === undefined ? [] : `**${name}:** ${value}`)).join("\n");
