import { setImmediate } from "node:timers/promises";
import type { Chance } from "../basics/backoff.ts";
import type { Ledger } from "./ledger.ts";
import type { PostedOrder } from "./order-row.ts";
import { close } from "./plan.ts";

/** Alerts whose entries are read at a time. */
const sliceSize = 100;
/** Orders older than this are not followed any more: an abandoned cart may stay PENDING for ever. */
const followedForMs = 30 * 24 * 60 * 60_000;
/** And no more of them than this, the newest. */
const mostFollowed = 5_000;
const prunedEveryMs = 24 * 60 * 60_000;
/** What is found to be too old has to be so for this long: until then a clock that was fast may have been set right. */
const tooOldForMs = 60 * 60_000;

/** Ends the following of one server's alerts that are too many or too old. Losing it loses nothing. */
export class Pruning {
  private readonly deps: Pick<Chance, "monotonic"> & { readonly ledger: Ledger; readonly now: () => number };
  /** When to prune next, by the monotonic clock. */
  private pruneAt = Number.NEGATIVE_INFINITY;
  /** Alerts that were too old when it was last looked. */
  private tooOld: ReadonlySet<string> = new Set();

  constructor(deps: Pruning["deps"]) {
    this.deps = deps;
  }

  /**
   * Settles, as they stand, alerts that are too many to be followed, once a day, and those that are too old and were so an
   * hour before. Throws `StorageError`.
   */
  async prune(): Promise<void> {
    const { ledger, monotonic, now } = this.deps;
    if (monotonic() < this.pruneAt) return;
    const ids = await ledger.openIds();
    const tooMany = new Set(ids.slice(0, Math.max(ids.length - mostFollowed, 0)));
    const isOver = ({ facts, foundAt }: PostedOrder) => tooMany.has(facts.id) || foundAt < now() - followedForMs;
    const over: PostedOrder[] = [];
    for (let start = 0; start < ids.length; start += sliceSize) {
      const known = await ledger.entries(ids.slice(start, start + sliceSize));
      const some = [...known.values()].flatMap((row) => (row.state === "open" && isOver(row) ? [row] : []));
      if (some.length === 0) break;
      over.push(...some);
      await setImmediate();
    }
    const idsOver = over.map(({ facts }) => facts.id);
    const ended = new Set(idsOver.filter((id) => tooMany.has(id) || this.tooOld.has(id)));
    for (const { facts, stand } of over) {
      if (!ended.has(facts.id)) continue;
      await ledger.write(stand.members, (orders) => [close(orders, (row) => ended.has(row.facts.id))]);
    }
    const isUnsure = ended.size < over.length;
    this.tooOld = new Set(isUnsure ? idsOver : []);
    this.pruneAt = monotonic() + (isUnsure ? tooOldForMs : prunedEveryMs);
  }
}
