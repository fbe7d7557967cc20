import type { RowKind } from "../kind.ts";

/** An edit of a message: not a message of its own. */
export const editKind: RowKind<"edit"> = {
  lane: "edit",
  rank: 0,
  target: ({ channelId }) => ({ channelId, route: undefined }),
};
