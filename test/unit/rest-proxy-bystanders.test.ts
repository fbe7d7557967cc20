import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startRestProxy } from "../../src/discord/rest/rest-proxy.ts";
import { listen } from "../sandbox/listen.ts";
import { freePort } from "../support/free-port.ts";

/** The proxy with unusual clients and servers: it goes on working for the bot. */
const authorization = "Bot x.y.z";
const plain = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

let discord: Server;
/** The raw answer in Discord's place, because Node's own server could not send all of it. */
let bytes: string;
let lines: string[];
let proxy: Awaited<ReturnType<typeof startRestProxy>>;
let port: number;
/** Ends connections that a test left open. */
let cleanUp: (() => void)[];

beforeEach(async () => {
  bytes = plain;
  lines = [];
  cleanUp = [];
  discord = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes));
  });
  port = await freePort();
  const apiUrl = `http://${await listen(discord)}/api`;
  const say = (_: unknown, line: string) => void lines.push(line);
  const log = { debug: say, info: say, warn: say, error: say };
  proxy = await startRestProxy({ token: "x.y.z", apiUrl, perSecond: 50, host: "127.0.0.1", port, log });
});

afterEach(async () => {
  for (const end of cleanUp) end();
  await proxy.close();
  discord.close();
});

const ask = (headers: Record<string, string> = { authorization }) =>
  fetch(`http://127.0.0.1:${port}/api/v10/users/@me`, { headers });

async function open() {
  const socket = connect(port, "127.0.0.1");
  cleanUp.push(() => socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

test.each([
  ["GET /healthz", 200],
  ["GET /api/v10/users/@me", 401],
])("a connection that has not shown the token has one answer, and ends: %s", async (line, status) => {
  const socket = await open();
  const ended = once(socket, "close");
  const answer = once(socket, "data");
  socket.write(`${line} HTTP/1.1\r\nhost: x\r\n\r\n`);

  expect(String(await answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n`, "is"));
  await ended;
});

test("only headers that clients read are forwarded, and no header ends the proxy", async () => {
  const odd = ["Trailer: x-sum", "Upgrade: h2", "TE: x", "Proxy-Authenticate: Basic", "Set-Cookie: a=1", "Location: /"];
  const read = ["Content-Type: application/json", "Date: Sat, 21 Nov 2026 12:00:00 GMT"];
  bytes = ["HTTP/1.1 200 OK", "Content-Length: 2", ...odd, ...read, "", "{}"].join("\r\n");

  const got = await ask();

  expect([got.status, await got.text()]).toEqual([200, "{}"]);
  expect(Object.fromEntries(got.headers)).toEqual({
    "content-type": "application/json",
    date: "Sat, 21 Nov 2026 12:00:00 GMT",
    connection: "keep-alive",
    "keep-alive": "timeout=30",
    "content-length": "2",
  });
});

test("connections without the token end when others come, and the bot's own stay", async () => {
  const own = await open();
  const answerTo = async (request: string) => {
    own.write(request);
    return String((await once(own, "data"))[0]);
  };
  const request = `GET /api/v10/users/@me HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`;
  expect(await answerTo(request)).toMatch(/^HTTP\/1.1 200 /);

  const from = performance.now();
  const ends = [];
  for (let count = 0; count < 300; count++) ends.push(once((await open()).resume(), "close"));
  await Promise.all(ends.slice(0, 40));
  expect(performance.now() - from, "before the time for a request is over").toBeLessThan(4_000);

  expect(await answerTo(request)).toMatch(/^HTTP\/1.1 200 /);
});

test.each([
  ["no HTTP", "220 mail.example ESMTP\r\n"],
  [
    "a refusal that is no JSON",
    "HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\ncontent-length: 6\r\n\r\n<html>",
  ],
])("%s in Discord's place is told as what it is, once, and its end", async (_, said) => {
  bytes = said;

  expect((await ask()).status).toBe(502);
  expect((await ask()).status).toBe(502);
  bytes = plain;
  expect((await ask()).status).toBe(200);

  expect(lines).toEqual([expect.stringContaining("something else answers"), expect.stringContaining("again")]);
});

test("its end does not wait for connections without the token", async () => {
  const silent = await open();
  const slow = await open();
  slow.write("GET /api/v10/users/@me HTTP/1.1\r\n");
  const ended = [silent, slow].map((socket) => once(socket, "close"));
  // Clients that connected before have arrived, too.
  expect((await ask()).status).toBe(200);
  const from = performance.now();

  await proxy.close();
  await Promise.all(ended);

  expect(performance.now() - from).toBeLessThan(3_000);
});
