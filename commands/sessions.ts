import { randomBytes } from "node:crypto";
import { ProblemError } from "../src/discord/problem-error.ts";
import type { Storage } from "../src/storage/table.ts";

/** Filters of a list that somebody is paging through. */
export interface ListQuery {
  readonly guildId: string;
  readonly userId: string;
  readonly statuses?: readonly string[];
  readonly email?: string;
  readonly title?: string;
  readonly categoryId?: string;
}

export interface Sessions {
  /** Keeps a query for a day; returns its name for custom ids. */
  keep(query: ListQuery): Promise<string>;
  /** Throws a `ProblemError`: "expired", or "someone_elses" for anybody but the one who asked. */
  find(name: string, caller: { guildId: string; userId: string }): Promise<ListQuery>;
}

const keptMs = 24 * 60 * 60_000;

/** Queries behind the buttons of lists, kept in storage so that buttons work after a restart. */
export function createSessions(storage: Storage): Sessions {
  const table = storage.table<ListQuery>("sessions");
  return {
    async keep(query) {
      const name = randomBytes(9).toString("base64url");
      await table.set(name, query, { ttlMs: keptMs });
      return name;
    },
    async find(name, caller) {
      const query = await table.get(name);
      if (!query || query.guildId !== caller.guildId) throw new ProblemError({ code: "expired" });
      if (query.userId !== caller.userId) throw new ProblemError({ code: "someone_elses" });
      return query;
    },
  };
}
