import type { Commit, Storage } from "../storage/table.ts";
import { ConflictError } from "./conflict-error.ts";
import type { GuildLease } from "./guild-lease.ts";

/**
 * Returns the commit function of one server's poller. After this process has lost the lease, a commit is refused, or throws
 * `ConflictError`.
 *
 * @param isAsked whether a command runs for which a person waits. Its commits need no lease
 */
export function fencedCommit(storage: Pick<Storage, "commit">, lease: GuildLease, isAsked = () => false): Commit {
  return async (steps, alsoIfRecordChanged = false) => {
    const fence = lease.fence(alsoIfRecordChanged);
    if (fence === undefined && !isAsked()) throw new ConflictError();
    const isCommitted = await storage.commit([...(fence ?? []), ...steps]);
    if (!isCommitted) await lease.refused();
    return isCommitted;
  };
}
