import type { ChannelHealth } from "./channel-health.ts";
import type { ServerContext } from "./context.ts";
import type { Kinds } from "./kind.ts";
import type { RowMemory } from "./row-memory.ts";

/** What the sender of one server (sender.ts) works with: the server, and what is known about its channels and rows. */
export interface Delivery {
  readonly server: ServerContext;
  readonly channels: ChannelHealth;
  readonly kinds: Kinds;
  readonly memory: RowMemory;
}
