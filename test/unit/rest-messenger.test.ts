import { createServer, type Server } from "node:http";
import { API } from "@discordjs/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRest } from "../../src/discord/rest/rest.ts";
import { createRestMessenger } from "../../src/discord/rest/rest-messenger.ts";
import type { Messenger } from "../../src/outbox/messenger.ts";
import { post } from "../../src/views/parts/notice.ts";
import { listen } from "../support/listen.ts";

const channel = "100000000000000001";
const message = "200000000000000002";
const json = "application/json";

let server: Server;
let messenger: Messenger;
/** The answer of the server at Discord's address. */
let answer: { readonly status: number; readonly type: string; readonly body: string };
let requests: number;
/** The last request, as JSON. */
let sent: string;

beforeEach(async () => {
  requests = 0;
  server = createServer((request, response) => {
    requests++;
    sent = "";
    request.on("data", (part) => {
      sent += part;
    });
    request.on("end", () => {
      response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body || undefined);
    });
  });
  const rest = createRest({ token: "x.y.z", apiUrl: `http://${await listen(server)}` });
  messenger = createRestMessenger({ api: new API(rest), botId: "1" });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const text = post({ tone: "info", body: "Hello" });
const send = () => messenger.send(channel, text, "nonce");
const edit = () => messenger.edit(channel, message, text);

describe("a successful answer", () => {
  test.each([
    ["a proxy's page", { status: 200, type: "text/html", body: "<html>Please sign in</html>" }],
    ["nothing at all", { status: 204, type: "text/plain", body: "" }],
    ["an empty object", { status: 200, type: json, body: "{}" }],
    ["nothing but null", { status: 200, type: json, body: "null" }],
    ["another kind of id", { status: 200, type: json, body: '{"id": 7}' }],
  ])("but is %s is no proof of a message, nor of an edit", async (_, given) => {
    answer = given;
    const uncertain = { name: "MessengerError", code: "uncertain", retryAfterMs: 0 };
    await expect(send()).rejects.toMatchObject(uncertain);
    await expect(edit()).rejects.toMatchObject(uncertain);
    expect(requests).toBe(2);
  });

  test("with a message gives its id", async () => {
    answer = { status: 200, type: json, body: JSON.stringify({ id: message }) };
    expect(await send()).toMatchObject({ id: message });
  });
});

describe("an edit that Discord forbids", () => {
  test.each([
    ["for a permission", 50_001, "forbidden"],
    ["because the message is another user's", 50_005, "channel_gone"],
    ["because Discord made the message", 50_021, "channel_gone"],
  ])("%s says whether that is of the channel (%i)", async (_, code, failure) => {
    answer = { status: 403, type: json, body: JSON.stringify({ message: "Forbidden", code }) };
    await expect(edit()).rejects.toMatchObject({ name: "MessengerError", code: failure });
  });
});

test("a message, and a notice to an owner, carry a nonce that Discord is told to enforce", async () => {
  answer = { status: 200, type: json, body: JSON.stringify({ id: message, owner_id: "3", name: "Shop" }) };
  const enforced = { nonce: "nonce", enforce_nonce: true };
  await send();
  expect(JSON.parse(sent)).toMatchObject(enforced);
  await messenger.tellOwner("4", () => text, "nonce");
  expect(JSON.parse(sent)).toMatchObject(enforced);
});
