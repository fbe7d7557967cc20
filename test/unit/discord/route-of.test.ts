import { expect, test } from "vitest";
import { routeOf } from "../../../src/discord/rest/route-of.ts";

test.each([
  ["https://discord.com/api/v10/channels/123456789012345678/messages?limit=100", "/channels/:id/messages"],
  ["https://discord.com/api/v10/channels/1/messages/22345678901234567890", "/channels/:id/messages/:id"],
  ["http://proxy:8080/discord/v1x/api/v10/gateway/bot", "/gateway/bot"],
  ["https://discord.com/api/v10/interactions/12/aW50ZXJhY3Rpb24/callback", "/interactions/:id/:other/callback"],
  ["http://proxy:8080/v1/api/v10/interactions/12/aW50ZXJhY3Rpb24/callback", "/interactions/:id/:other/callback"],
  [
    "https://discord.com/api/v10/webhooks/12/aW50ZXJhY3Rpb24/messages/@original",
    "/webhooks/:id/:other/messages/@original",
  ],
  [
    "https://discord.com/api/v10/applications/1/guilds/2/commands/permissions",
    "/applications/:id/guilds/:id/commands/permissions",
  ],
])("the route of a request has neither ids nor tokens, whatever the address's own path: %s", (url, route) => {
  expect(routeOf(url)).toBe(route);
});
