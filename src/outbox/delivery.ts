import type { ChannelHealth } from "./channel-health.ts";
import type { ServerContext } from "./context.ts";
import type { Kinds } from "./kind.ts";
import type { RowMemory } from "./row-memory.ts";

/** The state of the sender of one server (sender.ts): the server, the health of its channels, the memory of its rows. */
export interface Delivery {
  readonly server: ServerContext;
  readonly channels: ChannelHealth;
  readonly kinds: Kinds;
  readonly memory: RowMemory;
}
