import type { RowKind } from "../kind.ts";

/** The edit of a posted message. edit-message.ts makes it. */
export const editKind: RowKind<"edit"> = {
  lane: "edit",
  rank: 0,
  target: ({ channelId }) => ({ channelId, rule: undefined }),
};
