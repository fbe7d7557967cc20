import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { startDiscord } from "../../sandbox/discord/discord.ts";
import { refusedRequest } from "../../sandbox/guard.ts";
import { startStore } from "../../sandbox/store/start-store.ts";
import { useDiscord } from "../../support/use-discord.ts";
import { useFixture } from "../../support/use-fixture.ts";

const discord = useDiscord();
const store = useFixture(startStore, (started) => started.close());

/** With any headers, as a browser sends them. */
function ask(url: string, headers: Record<string, string>, method = "GET"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.once("error", reject).end();
  });
}

const foreign: readonly (readonly [string, Record<string, string>])[] = [
  ["a page of anybody's", { origin: "https://evil.example" }],
  ["a sandboxed frame", { origin: "null" }],
  ["a page on another port", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
  ["a picture or a link in a page of anybody's", { "sec-fetch-site": "cross-site" }],
  ["a name that was made to lead here", { host: "evil.example" }],
  ["another port of this machine", { host: "127.0.0.1:1" }],
];

it.each(foreign)("%s reaches neither pretend service, tokens or not (0.1.0: both)", async (_, headers) => {
  const file = discord.upload("keys.txt", Buffer.from("KEY"), "text/plain");
  const ofBot = { ...headers, authorization: `Bot ${discord.token}` };
  const ofStore = { ...headers, authorization: `Bearer ${store.token}` };
  const seen = [discord.requests.length, store.requests.length];

  expect(await ask(`${discord.apiUrl}/v10/users/@me`, ofBot)).toBe(403);
  expect(await ask(`${discord.apiUrl}/v10/users/@me/channels`, ofBot, "POST")).toBe(403);
  expect(await ask(file.url, headers)).toBe(403);
  const socket = new WebSocket(discord.apiUrl.replace(/^http(.*)\/api$/, "ws$1/?v=10&encoding=json"), { headers });
  expect(String((await once(socket, "error"))[0])).toContain("403");
  expect(await ask(`${store.url}/open-api/checkout/order`, ofStore)).toBe(403);
  expect(await ask(`${store.url}/open-api/catalog/product`, ofStore, "POST")).toBe(403);
  expect([discord.requests.length, store.requests.length]).toEqual(seen);
});

it("a program, and a person who types the address, reach all of it", async () => {
  const file = discord.upload("keys.txt", Buffer.from("KEY"), "text/plain");
  const typed = { "sec-fetch-site": "none" };

  expect(await ask(file.url, typed)).toBe(200);
  expect(await ask(`${discord.apiUrl}/v10/users/@me`, { authorization: `Bot ${discord.token}` })).toBe(200);

  const bearer = { authorization: `Bearer ${store.token}`, host: `localhost:${new URL(store.url).port}` };
  expect(await ask(`${store.url}/open-api/checkout/order`, bearer)).toBe(200);
});

const ownPage = "http://127.0.0.1:4000";
it.each<[string, IncomingHttpHeaders, string?]>([
  ["GET", {}],
  ["GET", { "sec-fetch-site": "same-origin" }],
  ["GET", { "sec-fetch-site": "same-site" }, "another site"],
  ["GET", { host: "evil.example:4000" }, "another host"],
  ["POST", { origin: ownPage, "sec-fetch-site": "same-origin" }],
  ["POST", {}, "another origin"],
  ["POST", { origin: "http://127.0.0.1:1" }, "another origin"],
  ["POST", { origin: ownPage, "sec-fetch-site": "none" }, "another site"],
])(
  "a page's server shows itself to no other page, and lets only its page change something: %s %j",
  (method, more, why) => {
    const request = { method, headers: { host: "127.0.0.1:4000", ...more }, socket: { localPort: 4_000 } };
    expect(refusedRequest(request, "own page")).toBe(why);
  },
);

it("every pretend Discord has a token of its own, and takes no other (0.1.0: all the same, in the source)", async () => {
  const other = await startDiscord();
  try {
    expect(other.token).not.toBe(discord.token);
    expect(other.token).toMatch(/^[\w-]{26}\.[\w-]{6}\.[\w-]{38}$/);
    expect(other.applicationId).toBe(discord.applicationId);
    expect(await ask(`${other.apiUrl}/v10/users/@me`, { authorization: `Bot ${discord.token}` })).toBe(401);
    for (const op of [2, 6]) {
      const socket = new WebSocket(other.apiUrl.replace(/^http(.*)\/api$/, "ws$1/?v=10&encoding=json"));
      await once(socket, "open");
      socket.send(
        JSON.stringify({ op, d: { token: discord.token, intents: 1, properties: {}, session_id: "", seq: 0 } }),
      );
      expect(await once(socket, "close").then(([code]) => code)).toBe(4004);
    }
  } finally {
    await other.close();
  }
});
