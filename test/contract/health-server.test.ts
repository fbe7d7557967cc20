import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startHealthServer } from "../../src/operations/health-server.ts";
import { ListenError } from "../../src/operations/listen.ts";
import { freePort } from "../support/process/free-port.ts";

let port: number;
/** Paths that the process answered. */
let asked: string[];
let server: Awaited<ReturnType<typeof startHealthServer>>;

const options = () => ({
  host: "127.0.0.1",
  port,
  log: { warn: (_: object, message: string) => expect.fail(message) },
  notReady: () => {
    asked.push("/readyz");
    return [];
  },
  text: async () => {
    asked.push("/metrics");
    return "counted\n";
  },
  contentType: "text/plain; version=0.0.4",
});

/** Sends bytes that no ordinary client sends. */
async function raw(request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.write(request);
  await once(socket, "close");
  return answer;
}

const get = (path: string, options?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, options);

beforeEach(async () => {
  port = await freePort();
  asked = [];
  server = await startHealthServer(options());
});

afterEach(() => server.close());

test("/metrics has the counters, in the format that Prometheus asks for", async () => {
  const metrics = await get("/metrics");
  expect(await metrics.text()).toBe("counted\n");
  expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4");
});

test("everything but a GET of one of the three is refused", async () => {
  expect((await get("/metrics", { method: "POST" })).status).toBe(405);
  expect((await get("/.env")).status).toBe(404);
  expect(await raw(`GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(17_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  expect(asked).toEqual([]);
});

const simple = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

test("a connection ends after one answer, and of many requests in one piece one is looked at", async () => {
  expect(await raw(simple)).toMatch(/^HTTP\/1.1 200 .*\r\nconnection: close\r\n/is);

  await raw(simple.replace("healthz", "readyz").repeat(100));

  expect(asked).toEqual(["/readyz"]);
});

test("at most 16 connections that ask nothing stay, and they keep no client out", async () => {
  const closed = { unanswered: 0, late: 0 };
  for (let count = 0; count < 100; count++) {
    const socket = connect(port, "127.0.0.1").resume();
    await once(socket, "connect");
    socket.write("GET /healthz HTTP/1.1\r\n");
    // Only a connection that stayed until the time limit of a request is answered: 408.
    socket.on("error", () => undefined).once("close", () => closed[socket.bytesRead === 0 ? "unanswered" : "late"]++);
  }
  expect(await raw(simple)).toMatch(/^HTTP\/1.1 200 /);
  await expect.poll(() => closed.unanswered + closed.late).toBe(100);
  expect(closed.late).toBeLessThanOrEqual(2 * 16);
});

test("a connection on which no request comes is ended within some seconds", async () => {
  expect(await raw("GET /healthz HTTP/1.1\r\nhost:")).toMatch(/^HTTP\/1.1 408 /);
});

test("a port that is in use, or an address that is not here, is a sentence", async () => {
  const inUse = startHealthServer(options());
  await expect(inUse).rejects.toThrow(ListenError);
  await expect(inUse).rejects.toThrow(`HTTP_PORT ${port} is in use on 127.0.0.1 already`);

  await expect(startHealthServer({ ...options(), host: "203.0.113.1" })).rejects.toThrow(
    "HTTP_HOST 203.0.113.1 is no address of this machine",
  );
});
