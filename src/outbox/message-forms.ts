import type { PostPayload } from "../views/parts/payload.ts";
import type { AnyKind, MessageRow, Scene } from "./kind.ts";

interface Form {
  readonly payload: PostPayload;
  readonly replyTo: string | undefined;
}

/** The forms of a message, the preferred one first. If Discord refuses one, the next is sent. */
export async function formsOf(
  rows: readonly MessageRow[],
  kind: AnyKind,
  scene: Omit<Scene, "isReply">,
): Promise<readonly Form[]> {
  const form = async (replyTo: string | undefined, isBare: boolean): Promise<Form> => ({
    payload: await kind.render(rows, { ...scene, isReply: replyTo !== undefined }, isBare),
    replyTo,
  });
  const [first] = rows;
  const isReply = first && "messageId" in first && first.channelId === scene.target.channelId;
  return [
    ...(isReply ? [await form(first.messageId, false)] : []),
    // Discord refuses a reply if the bot may not read the history, or if the alert was deleted.
    await form(undefined, false),
    // Discord may refuse a file, which needs one more permission, or a text of other people.
    ...(rows.length === 1 ? [await form(undefined, true)] : []),
  ];
}
