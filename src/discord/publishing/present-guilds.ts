import type { API } from "@discordjs/core";
import { z } from "zod";
import { discordIdSchema } from "../../basics/discord-id.ts";

/** Discord's limit on one page (docs: User, "Get Current User Guilds"). */
const pageSize = 200;
/** 10,000 pages are two million servers, more than any bot is in. */
const mostPages = 10_000;
const pageSchema = z.array(z.object({ id: discordIdSchema }));

/**
 * Ids of all servers that the bot is in. The data of other servers is deleted (guilds/delete-removed-servers.ts), so the
 * promise resolves only if the list is complete. An empty last page shows that it is complete.
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
