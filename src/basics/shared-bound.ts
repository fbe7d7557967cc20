/** How many entries, and how many bytes of them. */
export interface Held {
  readonly count: number;
  readonly bytes: number;
}

/** What all servers together hold of one kind, and its bound. */
export interface SharedBound {
  /**
   * Asked before a server holds this much, in place of what it held. Returns false if that is more than it held, more than it may always
   * hold, and more than all servers together may. Throws what `read` throws.
   */
  admits(guildId: string, held: Held): Promise<boolean>;
  /** A server holds nothing any more. */
  forget(guildId: string): void;
}

/** Counted again after this: other processes keep something too, and what is kept expires. */
const readAgainMs = 10 * 60_000;

/**
 * Counts when something is to be kept and the last count is 10 minutes old. So several processes together may exceed the bound by what
 * they keep within 10 minutes. Takes 100 bytes of memory for each server that holds anything.
 *
 * @param deps.read what each server holds, by its id
 * @param deps.ofAll what all servers together may hold
 * @param deps.always what a server may hold even if the others hold too much
 * @param deps.monotonic a clock that is never set back, in ms
 */
export function createSharedBound(deps: {
  readonly read: () => AsyncIterable<readonly [guildId: string, held: Held]>;
  readonly ofAll: Held;
  readonly always: Held;
  readonly monotonic?: () => number;
}): SharedBound {
  const { read, ofAll, always, monotonic = () => performance.now() } = deps;
  let known: { readonly servers: Promise<Map<string, Held>>; readonly at: number } | undefined;

  async function readAll(): Promise<Map<string, Held>> {
    const servers = new Map<string, Held>();
    for await (const [guildId, held] of read()) servers.set(guildId, held);
    return servers;
  }

  async function current(): Promise<Map<string, Held>> {
    const now = monotonic();
    if (known === undefined || now - known.at > readAgainMs) known = { servers: readAll(), at: now };
    try {
      return await known.servers;
    } catch (error) {
      known = undefined;
      throw error;
    }
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
      servers.set(guildId, held);
      return true;
    },
    forget(guildId) {
      void known?.servers.then((servers) => servers.delete(guildId)).catch(() => undefined);
    },
  };
}
