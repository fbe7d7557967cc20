import type { ChannelHealth } from "./channel-health.ts";
import type { ServerContext } from "./context.ts";
import type { Kinds } from "./kind.ts";
import type { RowMemory } from "./row-memory.ts";

/**
 * The state that the parts of the sender of one server (sender.ts) share: which channels fail (`channels`), how each kind of
 * message is made (`kinds`), and what this process learned about rows (`memory`).
 */
export interface SenderState {
  readonly server: ServerContext;
  readonly channels: ChannelHealth;
  readonly kinds: Kinds;
  readonly memory: RowMemory;
}
