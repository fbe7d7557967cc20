import { budgets } from "../basics/budgets.ts";
import { createTurns } from "../basics/turns.ts";
import type { Vault } from "../guilds/vault.ts";
import type { Storage } from "../storage/table.ts";
import { ProblemError } from "../views/problem.ts";
import { createShelf, newName } from "./shelf.ts";

/** Whose it is. */
interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

/** What stands behind the buttons of an answer. */
export interface Sessions<Session> {
  /**
   * Keeps it for a day, or until its person or server has too many newer ones; returns its name for custom ids. Throws a
   * `ProblemError` ("not_connected") where nothing may be kept.
   */
  keep(owner: Owner, session: Session): Promise<string>;
  /** Throws a `ProblemError`: "expired", or "someone_elses" for anybody but the one who asked. */
  find(name: string, caller: Owner): Promise<Session>;
  /** As `find`, and keeps what `change` makes of it in its place, for another day; changes come one after another. */
  change(name: string, caller: Owner, change: (session: Session) => Session): Promise<Session>;
  /** As `find`, and deletes it: for an answer that can be given once. */
  take(name: string, caller: Owner): Promise<Session>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

interface StoredSession {
  readonly userId: string;
  readonly sealed: string;
}

/**
 * Kept in storage, so that buttons work after a restart; encrypted, for a filter may be a customer's e-mail address.
 *
 * @param kind names the table
 * @param deps.mayKeep as that of a shelf
 * @param deps.now epoch ms
 */
export function createSessions<Session>(
  deps: {
    storage: Storage;
    vault: Pick<Vault, "seal" | "open">;
    mayKeep?: (guildId: string) => Promise<boolean>;
    now?: () => number;
  },
  kind: string,
): Sessions<Session> {
  const { storage, vault, mayKeep, now } = deps;
  const shelf = createShelf<StoredSession>({ storage, kind, bounds: budgets.sessions, mayKeep, now });
  const inTurn = createTurns();
  const bound = (guildId: string, name: string) => `${guildId} ${kind} ${name}`;
  const isCallers = ({ userId }: StoredSession, caller: Owner) => {
    if (userId !== caller.userId) throw new ProblemError({ code: "someone_elses" });
  };
  const opened = (found: StoredSession | undefined, name: string, { guildId }: Owner): Session => {
    if (!found) throw new ProblemError({ code: "expired" });
    return JSON.parse(vault.open(found.sealed, bound(guildId, name))) as Session;
  };

  const sealed = ({ guildId, userId }: Owner, name: string, session: Session): StoredSession => ({
    userId,
    sealed: vault.seal(JSON.stringify(session), bound(guildId, name)),
  });
  const find = async (name: string, caller: Owner): Promise<Session> => {
    const found = await shelf.get(caller.guildId, name);
    if (found) isCallers(found, caller);
    return opened(found, name, caller);
  };

  return {
    async keep(owner, session) {
      const name = newName();
      await shelf.add(owner.guildId, name, sealed(owner, name, session));
      return name;
    },
    find,
    change: (name, caller, change) =>
      inTurn(`${caller.guildId}:${name}`, async () => {
        const changed = change(await find(name, caller));
        await shelf.replace(caller.guildId, name, sealed(caller, name, changed));
        return changed;
      }),
    async take(name, caller) {
      const found = await shelf.take(caller.guildId, name, (session) => isCallers(session, caller));
      return opened(found, name, caller);
    },
    forget: (guildId) => shelf.forget(guildId),
  };
}
