import type { API } from "@discordjs/core";
import { z } from "zod";

/** The most that Discord gives at a time (docs: User, "Get Current User Guilds"). */
const pageSize = 200;
/** Two million servers: more than any bot is in. */
const mostPages = 10_000;
const pageSchema = z.array(z.object({ id: z.string().regex(/^\d{1,20}$/) }));

/**
 * Ids of all servers that the bot is in, as Discord's REST API lists them, ascending by id. Rejects unless the list is
 * whole, for what is kept for the servers that it lacks is deleted one day: it ends only with an empty page.
 */
export async function presentGuilds(api: Pick<API, "users">, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let last = 0n;
  for (let page = 0; page < mostPages; page++) {
    const answer = await api.users.getGuilds({ limit: pageSize, after: String(last) }, { signal });
    const found = pageSchema.parse(answer).map(({ id }) => BigInt(id));
    if (found.length === 0) return ids;
    if (found.some((id) => id <= last)) throw new Error("Discord's list of the bot's servers begins again");
    for (const id of found) {
      ids.add(String(id));
      if (id > last) last = id;
    }
  }
  throw new Error("Discord's list of the bot's servers does not end");
}
