import { Backoff, type Chance } from "./backoff.ts";
import { leastOfLost } from "./channel-changes.ts";
import { MessengerError } from "./messenger.ts";
import { isBlockage } from "./troubles.ts";

/** What may have been sent already cannot be looked for, because the history of a channel may not be read. */
export class HiddenHistory extends MessengerError {}

/** How long what follows alerts is left alone, by the channels of the alerts. Losing it loses and doubles nothing. */
export class FollowWaits {
  private readonly chance: Chance;
  private readonly channels = new Map<string, Backoff>();
  /** For what may have been sent already, where the history may not be read: nothing else waits for that. */
  private readonly doubts = new Map<string, Backoff>();

  constructor(chance: Chance) {
    this.chance = chance;
  }

  /** Those of them that may be tried now. */
  async free<T extends { readonly channelId: string }>(
    all: readonly T[],
    isInDoubt: (one: T) => Promise<boolean>,
  ): Promise<T[]> {
    const free: T[] = [];
    for (const one of all) {
      const { channelId } = one;
      const waitsFor = (waits: ReadonlyMap<string, Backoff>) => (waits.get(channelId)?.waitMs() ?? 0) > 0;
      if (!waitsFor(this.channels) && !(waitsFor(this.doubts) && (await isInDoubt(one)))) free.push(one);
    }
    return free;
  }

  failed(channelId: string, error: MessengerError) {
    const waits = error instanceof HiddenHistory ? this.doubts : this.channels;
    const wait = waits.get(channelId) ?? new Backoff(this.chance);
    waits.set(channelId, wait);
    wait.failed(error.retryAfterMs, isBlockage(error.code) ? leastOfLost : 1);
  }

  /** @param wasInDoubt whether it was looked for in the history before */
  sent(channelId: string, wasInDoubt: boolean) {
    this.channels.delete(channelId);
    if (wasInDoubt) this.doubts.delete(channelId);
  }

  get all(): readonly Backoff[] {
    return [...this.channels.values(), ...this.doubts.values()];
  }
}
