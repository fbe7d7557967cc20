import { randomBytes } from "node:crypto";
import { ProblemError } from "../src/discord/problem-error.ts";
import type { Vault } from "../src/guilds/vault.ts";
import type { Storage } from "../src/storage/table.ts";

/** Whose it is. */
interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

/** What stands behind the buttons of an answer. */
export interface Sessions<Session> {
  /** Keeps it for a day; returns its name for custom ids. */
  keep(owner: Owner, session: Session): Promise<string>;
  /** Throws a `ProblemError`: "expired", or "someone_elses" for anybody but the one who asked. */
  find(name: string, caller: Owner): Promise<Session>;
  /** As `find`, and deletes it: for an answer that can be given once. */
  take(name: string, caller: Owner): Promise<Session>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

const keptMs = 24 * 60 * 60_000;

/**
 * Kept in storage, so that buttons work after a restart; encrypted, for a filter may be a customer's e-mail address.
 *
 * @param kind names the table
 */
export function createSessions<Session>(
  { storage, vault }: { storage: Storage; vault: Vault },
  kind: string,
): Sessions<Session> {
  const tableOf = (guildId: string) => storage.table<{ userId: string; sealed: string }>(`${kind}:${guildId}`);
  const bound = (guildId: string, name: string) => `${guildId} ${kind} ${name}`;
  async function find(name: string, caller: Owner): Promise<Session> {
    const found = name === "" ? undefined : await tableOf(caller.guildId).get(name);
    if (!found) throw new ProblemError({ code: "expired" });
    if (found.userId !== caller.userId) throw new ProblemError({ code: "someone_elses" });
    return JSON.parse(vault.open(found.sealed, bound(caller.guildId, name))) as Session;
  }

  return {
    async keep({ guildId, userId }, session) {
      const name = randomBytes(9).toString("base64url");
      const sealed = vault.seal(JSON.stringify(session), bound(guildId, name));
      await tableOf(guildId).set(name, { userId, sealed }, { ttlMs: keptMs });
      return name;
    },
    find,
    async take(name, caller) {
      const session = await find(name, caller);
      await tableOf(caller.guildId).delete(name);
      return session;
    },
    forget: (guildId) => tableOf(guildId).clear(),
  };
}
