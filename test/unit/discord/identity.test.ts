import { API, PermissionFlagsBits } from "@discordjs/core";
import { describe, expect, it, vi } from "vitest";
import { retryUnlessRefused } from "../../../src/discord/gateway/retry-unless-refused.ts";
import { fetchIdentity } from "../../../src/discord/publishing/identity.ts";
import { inviteLink, neededPermissions } from "../../../src/discord/publishing/invite.ts";
import { presentGuilds } from "../../../src/discord/publishing/present-guilds.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { useDiscord } from "../../support/use-discord.ts";
import { useFixture } from "../../support/use-fixture.ts";

it("the invite link asks for a server, the commands, and each permission that is needed, and charts, no more", () => {
  const { origin, pathname, searchParams } = new URL(inviteLink("123"));
  expect(origin + pathname).toBe("https://discord.com/oauth2/authorize");
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: "123",
    integration_type: "0",
    scope: "bot applications.commands",
    permissions: "117760",
  });

  const bits = BigInt(searchParams.get("permissions") ?? "");
  const asked = Object.entries(PermissionFlagsBits).filter(([, bit]) => (bits & bit) !== 0n);
  expect(asked.map(([name]) => name).sort()).toEqual([...neededPermissions, "AttachFiles"].sort());
});

const discord = useDiscord({ botName: "Shopbell" });
const api = useFixture(() => new API(createRest({ token: discord.token, apiUrl: discord.apiUrl })));

const identify = () => fetchIdentity(api, discord.token);
const application = (more: object) =>
  discord.fail({ path: /^\/applications\/@me$/, status: 200, body: { id: "99", name: "Shopbell", ...more } });

it("an application without problems has none, also after an endpoint was cleared, and the bot's name is known", async () => {
  const { botUserId: botId, applicationId } = discord;
  application({ id: applicationId, interactions_endpoint_url: null, bot_require_code_grant: false });
  expect(await identify()).toEqual({ botId, applicationId, name: "Shopbell", problems: [] });
});

it("an endpoint for interactions and a code grant are found (0.1.0: all but the id was dropped)", async () => {
  application({ interactions_endpoint_url: "https://old.example.com/", bot_require_code_grant: true });
  expect((await identify()).problems).toEqual([
    expect.stringMatching(/; clear the field .*: https:\/\/discord.com\/developers\/applications\/99\/information$/),
    expect.stringMatching(/; turn it off .*: https:\/\/discord.com\/developers\/applications\/99\/bot$/),
  ]);
});

it("the start waits as long as a rate limit lasts", async () => {
  discord.fail({ path: /./, status: 429, headers: { "retry-after": "600" }, body: {} });
  const ended = new AbortController();
  const { log, at } = recordedLog();
  const waiting = retryUnlessRefused(identify, { signal: ended.signal, log });
  await vi.waitFor(() => expect(at()).toHaveLength(1));
  ended.abort();

  await expect(waiting).rejects.toThrow();
  expect(at()[0]?.fields).toEqual({ reason: "429 for 600 s", retryInMs: 600_050 });
});

const { signal } = new AbortController();
const ids = (count: number, from = 1) => Array.from({ length: count }, (_, index) => String(from + index));

/** Answers any request with these pages. */
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
  const guilds = Array.from({ length: 403 }, () => discord.addGuild().id);
  expect([...(await presentGuilds(api, signal))].sort()).toEqual(guilds.sort());
  expect(discord.requests.filter(({ path }) => path.startsWith("/users/@me/guilds"))).toHaveLength(4);
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
