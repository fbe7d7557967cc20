import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig, readProxyConfig } from "../../src/config.ts";
import { isSchedule } from "../../src/polling/schedule.ts";

const required = { DISCORD_TOKEN: "a.b.c", STORE_API_URL: "https://api.example.com" };
const read = (environment: Record<string, string | undefined>) =>
  readConfig({ ...required, ...environment }, isSchedule);

function linesOf(environment: Record<string, string | undefined>): readonly string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}

test("what is not set has the default that the documentation names", () => {
  expect(read({})).toEqual({
    discordToken: "a.b.c",
    discordApiUrl: "https://discord.com/api",
    discordGuildId: undefined,
    storeApiUrl: "https://api.example.com",
    orderParams: { page: "page", limit: "limit", email: "email", status: "status" },
    storageUrl: "sqlite://data/shopbell.sqlite",
    secretKeys: undefined,
    pollSchedule: "*/15 * * * * *",
    queueUrl: undefined,
    role: "all",
    discordRequestsPerSecond: 50,
    shards: undefined,
    logLevel: "info",
    warnings: [],
  });
});

test("empty variables count as not set, and white space around values does not count", () => {
  expect(read({ DISCORD_API_URL: "", POLL_SCHEDULE: "  ", LOG_LEVEL: " debug " })).toEqual({
    ...read({}),
    logLevel: "debug",
  });
});

test("addresses lose their trailing slash", () => {
  const { storeApiUrl, discordApiUrl } = read({
    STORE_API_URL: "https://shop.example/base//",
    DISCORD_API_URL: "http://127.0.0.1:9/api/",
  });
  expect([storeApiUrl, discordApiUrl]).toEqual(["https://shop.example/base", "http://127.0.0.1:9/api"]);
});

test("names of the order list's parameters may be given in part and in any order", () => {
  expect(read({ STORE_ORDER_PARAMS: "status=filter[status], page=p" }).orderParams).toEqual({
    page: "p",
    limit: "limit",
    email: "email",
    status: "filter[status]",
  });
});

test("several keys may be given, with white space around the commas", () => {
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 255)].map((key) => key.toString("base64")).join(" , ");
  expect(read({ SECRET_KEYS: keys }).secretKeys).toBe(keys);
});

describe("an address that begins with http://", () => {
  const names = ["STORE_API_URL", "DISCORD_API_URL"];
  const foreign = [
    "http://api.example.com",
    "http://10.0.0.5:8080/base",
    "HTTP://api.example.com",
    "http://localhost.example.com",
    "http://127.example.com",
    "http://127.0.0.1.example.com",
    "http://notlocalhost",
    "http://[::2]",
    "http://[::ffff:127.0.0.1]",
    "http://0.0.0.0",
  ];

  test.each(foreign)("is refused for %s, or taken with a warning where ALLOW_HTTP is 1", (address) => {
    for (const name of names) {
      const lines = linesOf({ [name]: address });
      expect(lines).toEqual([expect.stringMatching(new RegExp(`^${name} must begin with https://, .*ALLOW_HTTP=1$`))]);
      const { warnings } = read({ [name]: address, ALLOW_HTTP: "1" });
      expect(warnings).toEqual([expect.stringMatching(new RegExp(`^ALLOW_HTTP=1: ${name} `))]);
      expect(warnings.join()).not.toContain("example.com");
    }
  });

  test("is one warning where both are", () => {
    const [store, discord] = ["http://one.example.com", "http://other.example.com"];
    const { warnings } = read({ STORE_API_URL: store, DISCORD_API_URL: discord, ALLOW_HTTP: "1" });
    expect(warnings).toEqual([expect.stringContaining("STORE_API_URL and DISCORD_API_URL")]);
  });

  test.each([
    "http://localhost:3000",
    "http://LOCALHOST",
    "http://localhost.",
    "http://localhost./base",
    "http://127.0.0.1:9",
    "http://127.1.2.3",
    "http://127.1",
    "http://[::1]:80",
    "http://[0:0:0:0:0:0:0:1]",
  ])("is taken for this machine, as in %s, and is worth no warning", (address) => {
    for (const name of names) {
      expect(linesOf({ [name]: address })).toEqual([]);
      expect(read({ [name]: address, ALLOW_HTTP: "1" }).warnings).toEqual([]);
    }
  });

  test("ALLOW_HTTP=1 says nothing where everything is https", () => {
    expect(read({ ALLOW_HTTP: "1" }).warnings).toEqual([]);
  });
});

describe("a database on another machine", () => {
  const secret = "p4ss-w0rd";

  test.each([
    ["QUEUE_URL", `redis://queue:${secret}@queue:6379`],
    ["QUEUE_URL", "redis://localhost.example.com"],
    ["STORAGE_URL", `redis://:${secret}@10.0.0.5:6379/1`],
    ["STORAGE_URL", `postgres://shopbell:${secret}@storage:5432/shopbell`],
    ["STORAGE_URL", "postgresql://storage.example.com/shopbell?sslmode=prefer"],
    ["STORAGE_URL", "postgres://127.0.0.1/shopbell?host=storage.example.com"],
    ["STORAGE_URL", "postgres://storage.example.com/shopbell?sslmode=disable"],
  ])("without TLS is one warning that names the variable, and no secret: %s %s", (name, address) => {
    const [warning = "", ...others] = read({ [name]: address }).warnings;
    expect(others).toEqual([]);
    const remedy = address.startsWith("redis") ? "begin it with rediss://" : "add sslmode=verify-full to it";
    expect(warning).toMatch(new RegExp(`^${name} names another machine without TLS, [^;]+; ${remedy}, [^;]+$`));
    expect(warning).not.toContain(secret);
    expect(warning).not.toContain("example.com");
  });

  test("is a warning for each variable", () => {
    const { warnings } = read({ STORAGE_URL: "postgres://storage/shopbell", QUEUE_URL: "redis://queue:6379" });
    expect(warnings.map((line) => line.split(" ")[0])).toEqual(["STORAGE_URL", "QUEUE_URL"]);
  });

  test.each([
    "redis://127.0.0.1:6379",
    "redis://LocalHost:6379/1",
    "redis://:password@[::1]:6379",
    "rediss://queue.example.com",
    "postgres://shopbell@localhost/shopbell",
    "postgres://shopbell@storage/shopbell?sslmode=require",
    "postgresql://storage/shopbell?application_name=a&sslmode=verify-full",
    "postgres://storage/shopbell?sslmode=verify-ca",
    "postgres:///shopbell?host=/var/run/postgresql",
    "postgres://%2Fvar%2Frun%2Fpostgresql/shopbell",
    "sqlite://storage.example.com/shopbell.sqlite",
  ])("with TLS is worth no warning, and neither is this machine: %s", (address) => {
    expect(read({ STORAGE_URL: address }).warnings).toEqual([]);
    if (/^rediss?:/.test(address)) expect(read({ QUEUE_URL: address }).warnings).toEqual([]);
  });
});

describe("health, metrics and systemd", () => {
  test("health and metrics are served where HTTP_PORT is set, and on this machine alone unless told otherwise", () => {
    const read = (environment: Record<string, string>) => readConfig({ ...required, ...environment }, isSchedule).http;
    expect(read({})).toBeUndefined();
    expect(read({ HTTP_HOST: "0.0.0.0" })).toBeUndefined();
    expect(read({ HTTP_PORT: "9464" })).toEqual({ host: "127.0.0.1", port: 9464 });
    expect(read({ HTTP_PORT: "9464", HTTP_HOST: "::" })).toEqual({ host: "::", port: 9464 });
  });

  test("systemd's wishes are those of the process that it names", () => {
    const read = (environment: Record<string, string>) =>
      readConfig({ ...required, NOTIFY_SOCKET: "/run/notify", ...environment }, isSchedule).serviceManager;
    expect(read({})).toEqual({ socket: "/run/notify", watchdogMs: undefined });
    expect(read({ WATCHDOG_USEC: "60000000" })?.watchdogMs).toBe(60_000);
    expect(read({ WATCHDOG_USEC: "60000000", WATCHDOG_PID: String(process.pid) })?.watchdogMs).toBe(60_000);
    expect(read({ WATCHDOG_USEC: "60000000", WATCHDOG_PID: "1" })?.watchdogMs).toBeUndefined();
    expect(read({ WATCHDOG_USEC: "soon" })?.watchdogMs).toBeUndefined();
    expect(read({ NOTIFY_SOCKET: "" })).toBeUndefined();
  });
});

describe("work that several processes share", () => {
  test.each(["redis://localhost", "rediss://user:password@queue.example:6380/1"])("has a queue: %s", (url) => {
    expect(read({ QUEUE_URL: url }).queueUrl).toBe(url);
  });

  test("is all of one process, or of one of the two kinds; a worker needs the queue, and a storage for several", () => {
    const queue = { QUEUE_URL: "redis://localhost", STORAGE_URL: "postgres://localhost/shopbell" };
    expect(read({ ROLE: "all" }).role).toBe("all");
    expect(read({ ROLE: "gateway" }).role).toBe("gateway");
    expect(read({ ROLE: "worker", ...queue }).role).toBe("worker");
    expect(linesOf({ ROLE: "worker" })).toEqual([expect.stringMatching(/^ROLE is worker.*set QUEUE_URL too/)]);
    for (const STORAGE_URL of [undefined, "sqlite://data/shopbell.sqlite"]) {
      const lines = linesOf({ ROLE: "worker", ...queue, STORAGE_URL });
      expect(lines).toEqual([expect.stringMatching(/^ROLE is worker.*set STORAGE_URL too/)]);
    }
  });

  test("sends as many requests as Discord allows the bot", () => {
    expect(read({ DISCORD_REQUESTS_PER_SECOND: "1200" }).discordRequestsPerSecond).toBe(1_200);
  });

  test("has the shards that are named, or those that Discord recommends", () => {
    expect(read({ SHARDS: "auto" }).shards).toBeUndefined();
    expect(read({ SHARDS: "0-0/1" }).shards).toEqual({ first: 0, last: 0, count: 1 });
    expect(read({ SHARDS: "4-15/16" }).shards).toEqual({ first: 4, last: 15, count: 16 });
    expect(read({ SHARDS: "9999-9999/10000" }).shards).toEqual({ first: 9_999, last: 9_999, count: 10_000 });
  });
});

describe("a bad value is one line that begins with the variable's name", () => {
  test.each([
    ["DISCORD_TOKEN", undefined],
    ["DISCORD_TOKEN", "Bot abc"],
    ["DISCORD_API_URL", "ftp://discord.com"],
    ["DISCORD_GUILD_ID", "12a"],
    ["STORE_API_URL", undefined],
    ["STORE_API_URL", "api.example.com"],
    ["STORE_API_URL", "https://api.example.com/open-api/"],
    ["STORE_API_URL", "https://user:secret@api.example.com"],
    ["STORE_API_URL", "https://user@api.example.com"],
    ["STORE_API_URL", "https://:@api.example.com"],
    ["STORE_API_URL", "https://api.example.com/?key=1"],
    ["STORE_API_URL", "https://api.example.com?"],
    ["STORE_API_URL", "https://api.example.com/#there"],
    ["STORE_API_URL", "https:api.example.com"],
    ["STORE_API_URL", "https://api.example.com\\base"],
    ["DISCORD_API_URL", "https://user:secret@discord.com/api"],
    ["ALLOW_HTTP", "0"],
    ["ALLOW_HTTP", "yes"],
    ["ALLOW_HTTP", "true"],
    ["STORE_ORDER_PARAMS", "pages=p"],
    ["STORE_ORDER_PARAMS", "page=p&q"],
    ["STORE_ORDER_PARAMS", "page=status"],
    ["STORAGE_URL", "sqlite://"],
    ["STORAGE_URL", "redis://"],
    ["STORAGE_URL", "data/shopbell.sqlite"],
    ["SECRET_KEYS", Buffer.alloc(32, 255).toString("base64url")],
    ["SECRET_KEYS", Buffer.alloc(31).toString("base64")],
    ["SECRET_KEYS", `${Buffer.alloc(32).toString("base64")},`],
    ["POLL_SCHEDULE", "61 * * * * *"],
    ["LOG_LEVEL", "verbose"],
    ["QUEUE_URL", "localhost:6379"],
    ["QUEUE_URL", "redis://"],
    ["QUEUE_URL", "postgres://localhost/queue"],
    ["ROLE", "sender"],
    ["ROLE", "worker"],
    ["DISCORD_REQUESTS_PER_SECOND", "0"],
    ["DISCORD_REQUESTS_PER_SECOND", "many"],
    ["DISCORD_REQUESTS_PER_SECOND", "100000"],
    ["SHARDS", "4"],
    ["SHARDS", "0-3"],
    ["SHARDS", "3-0/16"],
    ["SHARDS", "0-16/16"],
    ["SHARDS", "0-0/0"],
    ["SHARDS", "0-3/10001"],
    ["SHARDS", "-1-3/16"],
    ["HTTP_PORT", "http"],
    ["HTTP_PORT", "0"],
    ["HTTP_PORT", "65536"],
    ["HTTP_HOST", "http://localhost"],
  ])("for %s=%s", (name, value) => {
    const lines = linesOf({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} .{10,}$`));
  });

  test("bad values are told all at once, and secrets are not repeated", () => {
    const lines = linesOf({ DISCORD_TOKEN: "my secret", SECRET_KEYS: "bXkgc2VjcmV0", STORAGE_URL: "x://u:pass@h" });
    expect(lines.map((line) => line.split(" ")[0]).sort()).toEqual(["DISCORD_TOKEN", "SECRET_KEYS", "STORAGE_URL"]);
    expect(lines.join()).not.toMatch(/my secret|bXkgc2VjcmV0|pass/);
  });

  test("a user name in an address is refused with what to do, and is not repeated (0.1.0: taken)", () => {
    const [line] = linesOf({ STORE_API_URL: "https://user:secret@api.example.com" });
    expect(line).toBe(
      "STORE_API_URL must not have a user name or a password in it; leave out what stands before the @",
    );
  });
});

test("any 32 bytes make a key, any other number does not", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), (size) => {
      const lines = linesOf({ SECRET_KEYS: randomBytes(size).toString("base64") });
      expect(lines).toHaveLength(size === 32 ? 0 : 1);
    }),
  );
});

describe("the settings of the proxy", () => {
  const proxy = { DISCORD_TOKEN: "a.b.c", HTTP_PORT: "8080" };

  test("are a few of the bot's, and what else the bot takes is not looked at", () => {
    expect(readProxyConfig({ ...proxy, ROLE: "worker", POLL_SCHEDULE: "never", STORE_API_URL: "" })).toEqual({
      discordToken: "a.b.c",
      discordApiUrl: "https://discord.com/api",
      discordRequestsPerSecond: 50,
      http: { host: "127.0.0.1", port: 8080 },
      logLevel: "info",
      warnings: [],
    });
  });

  test("need a port", () => {
    const lacking = () => readProxyConfig({ DISCORD_TOKEN: "a.b.c" });
    expect(lacking).toThrow(ConfigError);
    expect(lacking).toThrow("HTTP_PORT is missing; give it the port");
    expect(() => readProxyConfig({ ...proxy, HTTP_PORT: "0" })).toThrow("HTTP_PORT is no port");
  });

  test.each([
    ["http://127.0.0.1:8080/api", {}],
    ["http://localhost:8080/api", { HTTP_HOST: "0.0.0.0" }],
    ["http://10.0.0.7:8080/api", { HTTP_HOST: "10.0.0.7", ALLOW_HTTP: "1" }],
    ["http://localhost/api", { HTTP_PORT: "80" }],
  ])("do not lead the proxy to itself: %s", (url, more) => {
    const own = () => readProxyConfig({ ...proxy, DISCORD_API_URL: url, ...more });
    expect(own).toThrow("DISCORD_API_URL is this proxy's own address");
  });

  test("may lead to another server on this machine", () => {
    const { discordApiUrl } = readProxyConfig({ ...proxy, DISCORD_API_URL: "http://127.0.0.1:8081/api" });
    expect(discordApiUrl).toBe("http://127.0.0.1:8081/api");
  });
});
