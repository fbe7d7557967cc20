import { API, PermissionFlagsBits } from "@discordjs/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fetchIdentity, portalPage } from "../../src/discord/publishing/identity.ts";
import { inviteLink, neededPermissions } from "../../src/discord/publishing/invite.ts";
import { createRest } from "../../src/discord/rest/rest.ts";
import { type PretendDiscord, startDiscord } from "../sandbox/discord/discord.ts";

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

let discord: PretendDiscord;
beforeEach(async () => {
  discord = await startDiscord({ botName: "Shopbell" });
});
afterEach(() => discord.close());

const identify = () =>
  fetchIdentity(new API(createRest({ token: discord.token, apiUrl: discord.apiUrl })), discord.token);
const application = (more: object) =>
  discord.fail({ path: /^\/applications\/@me$/, status: 200, body: { id: "99", name: "Shopbell", ...more } });

it("an application without problems has none, and the bot's name is known", async () => {
  const { botUserId: botId, applicationId } = discord;
  expect(await identify()).toEqual({ botId, applicationId, name: "Shopbell", problems: [] });
});

it("an endpoint for interactions and a code grant are found (0.1.0: all but the id was dropped)", async () => {
  application({ interactions_endpoint_url: "https://old.example.com/", bot_require_code_grant: true });
  const { problems, applicationId } = await identify();
  expect(problems.map((problem) => portalPage(problem, applicationId))).toEqual([
    "https://discord.com/developers/applications/99/information",
    "https://discord.com/developers/applications/99/bot",
  ]);
});

it("an endpoint that was cleared is none", async () => {
  application({ interactions_endpoint_url: null, bot_require_code_grant: false });
  expect((await identify()).problems).toEqual([]);
});
