import type { RowKind } from "../kind.ts";

/** The edit of a posted message. edit-message.ts makes it. */
export const editKind: RowKind<"edit"> = {
  lane: "edit",
  target: ({ channelId }) => ({ channelId, rule: undefined }),
};
