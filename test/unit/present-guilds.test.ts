import { API } from "@discordjs/core";
import { describe, expect, it } from "vitest";
import { presentGuilds } from "../../src/discord/publishing/present-guilds.ts";
import { createRest } from "../../src/discord/rest/rest.ts";
import { startDiscord } from "../sandbox/discord/discord.ts";

const { signal } = new AbortController();
const ids = (count: number, from = 1) => Array.from({ length: count }, (_, index) => String(from + index));

/** A Discord with these pages, for any request. */
function pagesOf(...pages: unknown[]): Pick<API, "users"> {
  const getGuilds = async () => {
    const next = pages.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const users = { getGuilds } as unknown as API["users"];
  return { users };
}
const page = (listed: readonly string[]) => listed.map((id) => ({ id, name: "Shop" }));

it("the servers that the bot is in are read page by page, to the end", async () => {
  const discord = await startDiscord({ now: Date.now });
  const guilds = Array.from({ length: 403 }, () => discord.addGuild().id);
  const api = new API(createRest({ token: discord.token, apiUrl: discord.apiUrl }));
  expect([...(await presentGuilds(api, signal))].sort()).toEqual(guilds.sort());
  expect(discord.requests.filter(({ path }) => path.startsWith("/users/@me/guilds"))).toHaveLength(4);
  await discord.close();
});

describe("an incomplete list of servers is refused", () => {
  it.each<[string, unknown[]]>([
    ["fails in between", [page(ids(200)), new Error("403")]],
    ["begins anew", [page(ids(200)), page(ids(200)), []]],
    ["goes back", [page(ids(200, 500)), page(ids(10)), []]],
    ["is no list", [page(ids(200)), { message: "Service unavailable" }]],
    ["is empty text", [""]],
    ["has something else in it", [[{ id: "1" }, { id: "x" }]]],
  ])("when it %s", async (_, pages) => {
    await expect(presentGuilds(pagesOf(...pages), signal)).rejects.toThrow();
  });

  it("and a short page is not its end", async () => {
    const found = await presentGuilds(pagesOf(page(ids(3)), page(ids(2, 10)), []), signal);
    expect([...found]).toEqual([...ids(3), ...ids(2, 10)]);
  });
});
