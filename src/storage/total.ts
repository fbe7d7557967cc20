import { z } from "zod";
import type { Storage, TableShape } from "./table.ts";

/** How many entries, and how many bytes of them. */
export interface Held {
  readonly count: number;
  readonly bytes: number;
}

/** What all servers together hold of one kind, against what they may. */
export interface Total {
  /**
   * A server is about to hold so much, and no longer what it held. False, and nothing is changed, where that is more than before,
   * more than it may always hold, and more than all together may.
   */
  admits(guildId: string, held: Held): Promise<boolean>;
  /** A server holds nothing any more. */
  forget(guildId: string): Promise<void>;
}

/** What other processes keep, and what ended by itself, is known after so long. */
const readAgainMs = 10 * 60_000;

const heldSchema = z.object({ count: z.number(), bytes: z.number() });

/** What each server holds of a kind, by the ids of servers; what is malformed counts as nothing. */
export const sumsTable = (kind: string): TableShape<Held> => ({
  name: `sums:${kind}`,
  schema: heldSchema.catch({ count: 0, bytes: 0 }),
  version: 1,
});

/**
 * Reads what each server holds (two numbers) once, and again after 10 minutes when something is to be kept. So several processes
 * together may go beyond the bound by what they keep within 10 minutes. 100 bytes of memory for a server that holds anything.
 *
 * @param kind names the table
 * @param deps.ofAll what all may hold
 * @param deps.always what a server may hold whatever the others do
 * @param deps.keptMs for how long what is held stays at most
 * @param deps.monotonic a clock that is never set back, in ms
 */
export function createTotal(
  storage: Pick<Storage, "table">,
  kind: string,
  deps: { readonly ofAll: Held; readonly always: Held; readonly keptMs: number; readonly monotonic?: () => number },
): Total {
  const { ofAll, always, keptMs, monotonic = () => performance.now() } = deps;
  const sums = storage.table(sumsTable(kind));
  let known: Map<string, Held> | undefined;
  let readAt = 0;

  async function current(): Promise<Map<string, Held>> {
    if (known !== undefined && monotonic() - readAt <= readAgainMs) return known;
    const found = new Map<string, Held>();
    for await (const [guildId, held] of sums.entries()) found.set(guildId, held);
    readAt = monotonic();
    known = found;
    return found;
  }

  return {
    async admits(guildId, held) {
      const servers = await current();
      const before = servers.get(guildId) ?? { count: 0, bytes: 0 };
      const isTooMuch = (unit: keyof Held) => {
        let all = held[unit] - before[unit];
        for (const one of servers.values()) all += one[unit];
        return held[unit] > Math.max(before[unit], always[unit]) && all > ofAll[unit];
      };
      if (isTooMuch("count") || isTooMuch("bytes")) return false;
      await sums.set(guildId, held, { ttlMs: keptMs });
      servers.set(guildId, held);
      return true;
    },
    async forget(guildId) {
      await sums.delete(guildId);
      known?.delete(guildId);
    },
  };
}
