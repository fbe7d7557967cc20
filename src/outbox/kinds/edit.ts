import type { RowKind } from "../kind.ts";

/** The edit of a posted message. edit-message.ts does the edit. */
export const editKind: RowKind<"edit"> = {
  lane: "edit",
  target: ({ channelId }) => ({ channelId, rule: undefined }),
};
