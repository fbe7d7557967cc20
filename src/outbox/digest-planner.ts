import { idHash } from "../basics/id-hash.ts";
import type { DigestPlan } from "../guilds/digest-settings.ts";
import type { Guild } from "../guilds/guild.ts";
import { keyOf, type RowOf } from "../orders/outbox-row.ts";
import type { ServerContext } from "./context.ts";
import { type DueDigest, digestStateOf, digestsAt, digestZone } from "./digest-due.ts";

/** Digests of many servers are due at the same hour, so their polls are spread over this time. */
const spreadMs = 20_000;

/**
 * If a server's digest is due, writes it to the outbox, and removes an older digest that still waits there. Returns the ms
 * until the next call, or undefined if digests are off or no store is connected.
 */
export type DigestPlanner = (guild: Guild) => Promise<number | undefined>;

function rowOf({ every }: DigestPlan, { day, dueAt, missed, isUnsure }: DueDigest): RowOf<"digest"> {
  return { kind: "digest", every, day, missed, foundAt: dueAt, since: isUnsure ? dueAt : undefined, attempts: [] };
}

export function createDigestPlanner({ guildId, ledger, storage, now }: ServerContext): DigestPlanner {
  /** `at`: when `nextAt` was calculated. Both are epoch ms. */
  let known: { readonly guild: Guild; readonly at: number; readonly nextAt: number } | undefined;
  return async (guild) => {
    const { plan } = guild.digest ?? {};
    if (plan === undefined || guild.token === undefined) return undefined;
    const at = now();
    if (known === undefined || known.guild !== guild || at < known.at || at >= known.nextAt) {
      // Read the outbox before the state. The sender removes a posted digest and writes the state in one commit. If the state
      // were read first, a digest posted between the two reads would be missing in both, and would be planned again.
      const waiting = [...(await ledger.outbox()).values()].filter((row) => row.kind === "digest");
      const { done } = await digestStateOf(storage, guildId);
      const { latest, due, nextAt } = digestsAt({ plan, done }, digestZone(guild), at);
      const drop = waiting.filter(({ day }) => day < latest).map(keyOf);
      const row = due && rowOf(plan, due);
      const put = row && !waiting.some((one) => keyOf(one) === keyOf(row)) ? [row] : [];
      if (drop.length + put.length > 0) await ledger.write([], () => [{ put, drop }]);
      known = { guild, at, nextAt };
    }
    return known.nextAt - at + (idHash(guildId) % spreadMs);
  };
}
