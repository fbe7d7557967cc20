export interface Held {
  readonly count: number;
  readonly bytes: number;
}

export type SharedBound = ReturnType<typeof createSharedBound>;

/** The totals are read again after this time, because other processes store entries too, and entries expire. */
const readAgainMs = 10 * 60_000;

/**
 * Limits what all servers together store of one kind, for example drafts. Several processes together may exceed the limit by
 * what they store within 10 minutes. Each server with entries takes 100 bytes of memory.
 *
 * @param deps.read yields the id of each server, and what the server stores
 * @param deps.ofAll what all servers together may store
 * @param deps.always what a server may store even if all servers together store too much
 */
export function createSharedBound(deps: {
  readonly read: () => AsyncIterable<readonly [guildId: string, held: Held]>;
  readonly ofAll: Held;
  readonly always: Held;
  readonly monotonic?: () => number;
}) {
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
    /**
     * Whether a server may store `held` in total. If so, `held` is counted from now on. A total that does not grow, or is
     * within `always`, is admitted even if all servers together store too much. Throws the errors of `read`.
     */
    async admits(guildId: string, held: Held): Promise<boolean> {
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
  };
}
