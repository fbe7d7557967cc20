import { describe, expect, test } from "vitest";
import { ConfigError, readConfig, readProxyConfig } from "../../../src/config.ts";
import { addTo } from "../../../src/load-config.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const required = { DISCORD_TOKEN: "a.b.c", STORE_API_URL: "https://api.example.com" };
const read = (environment: Environment) => readConfig({ ...required, ...environment });

function linesOf(environment: Environment): readonly string[] {
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
    http: undefined,
    systemd: undefined,
    logLevel: "info",
    warnings: [],
  });
});

const saved = "\ufeffexport DISCORD_TOKEN='a.b.c'\r\nLOG_LEVEL=warn\r\nROLE=\"worker\"\r\n";
test.each([
  ["UTF-8", Buffer.from(saved.slice(1))],
  ["UTF-8 with a byte order mark", Buffer.from(saved)],
  ["UTF-16", Buffer.from(saved, "utf16le")],
  ["UTF-16 without a byte order mark", Buffer.from(saved.slice(1), "utf16le")],
  ["UTF-16 of the other kind", Buffer.from(saved, "utf16le").swap16()],
])(
  "a .env in %s is read, as Windows may save it; an empty variable of the environment counts as not set",
  (_, file) => {
    const environment = { LOG_LEVEL: "debug", ROLE: " " };
    addTo(environment, file);
    expect(environment).toEqual({ DISCORD_TOKEN: "a.b.c", LOG_LEVEL: "debug", ROLE: "worker" });
  },
);

const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 255)].map((key) => key.toString("base64")).join(" , ");
const socket = { NOTIFY_SOCKET: "/run/notify" };
const sharing = { QUEUE_URL: "redis://localhost", STORAGE_URL: "postgres://localhost/shopbell" };
const notify = (watchdogMs?: number) => ({ systemd: { socket: "/run/notify", watchdogMs } });

test.each<[Environment, object]>([
  [
    { DISCORD_API_URL: "", POLL_SCHEDULE: "  ", LOG_LEVEL: " debug " },
    { ...read({}), logLevel: "debug" },
  ],
  [{ STORE_API_URL: "https://shop.example/base//" }, { storeApiUrl: "https://shop.example/base" }],
  [{ DISCORD_API_URL: "http://127.0.0.1:9/api/" }, { discordApiUrl: "http://127.0.0.1:9/api" }],
  [
    { STORE_ORDER_PARAMS: "status=filter[status], page=p" },
    { orderParams: { page: "p", limit: "limit", email: "email", status: "filter[status]" } },
  ],
  [{ SECRET_KEYS: keys }, { secretKeys: keys }],
  [{ DISCORD_REQUESTS_PER_SECOND: "1200" }, { discordRequestsPerSecond: 1_200 }],
  [{ SHARDS: "auto" }, { shards: undefined }],
  [{ SHARDS: "0-0/1" }, { shards: { first: 0, last: 0, count: 1 } }],
  [{ SHARDS: "9999-9999/10000" }, { shards: { first: 9_999, last: 9_999, count: 10_000 } }],
  [{ HTTP_HOST: "0.0.0.0" }, { http: undefined }],
  [{ HTTP_PORT: "9464" }, { http: { host: "127.0.0.1", port: 9464 } }],
  [{ HTTP_PORT: "9464", HTTP_HOST: "::" }, { http: { host: "::", port: 9464 } }],
  [{ NOTIFY_SOCKET: "" }, { systemd: undefined }],
  [socket, notify()],
  [{ ...socket, WATCHDOG_USEC: "60000000" }, notify(60_000)],
  [{ ...socket, WATCHDOG_USEC: "60000000", WATCHDOG_PID: String(process.pid) }, notify(60_000)],
  [{ ...socket, WATCHDOG_USEC: "60000000", WATCHDOG_PID: "1" }, notify()],
  [{ ...socket, WATCHDOG_USEC: "soon" }, notify()],
  [{ QUEUE_URL: "rediss://user:password@queue.example:6380/1" }, { role: "all" }],
  [{ ROLE: "gateway" }, { role: "gateway" }],
  [
    { ROLE: "worker", ...sharing },
    { role: "worker", queueUrl: "redis://localhost" },
  ],
])("%j is read", (environment, config) => {
  expect(read(environment)).toMatchObject(config);
});

test("a worker needs the queue, and a storage for several processes", () => {
  expect(linesOf({ ROLE: "worker" })).toEqual([expect.stringMatching(/^ROLE is worker.*set QUEUE_URL too/)]);
  for (const STORAGE_URL of [undefined, "sqlite://data/shopbell.sqlite"]) {
    const lines = linesOf({ ROLE: "worker", ...sharing, STORAGE_URL });
    expect(lines).toEqual([expect.stringMatching(/^ROLE is worker.*set STORAGE_URL too/)]);
  }
});

test("a queue without configured keys is a warning: each process might make its own key", () => {
  expect(read({ QUEUE_URL: "redis://localhost" }).warnings).toEqual([
    expect.stringMatching(/^QUEUE_URL without SECRET_KEYS, [^;]+; set the same SECRET_KEYS for all processes$/),
  ]);
});

test("a schedule without seconds is a warning, because */15 then means 15 minutes", () => {
  expect(read({ POLL_SCHEDULE: "*/15 * * * *" }).warnings).toEqual([
    expect.stringMatching(/^POLL_SCHEDULE has five fields, [^;]+; put the seconds in front/),
  ]);
  expect(read({ POLL_SCHEDULE: "@hourly" }).warnings).toEqual([]);
});

describe("an address without TLS", () => {
  const apis = ["STORE_API_URL", "DISCORD_API_URL"];
  const databases = ["STORAGE_URL", "QUEUE_URL"];
  const elsewhere = "http://10.0.0.5:8080/base,HTTP://api.example.com,http://localhost.example.com,http://[::2]";
  const here = "http://LOCALHOST,http://localhost./base,http://127.1.2.3:9,http://127.1,http://[0:0:0:0:0:0:0:1]";

  const shared = { SECRET_KEYS: keys };

  test.each(apis)("of %s on another machine is refused, or taken with a warning if ALLOW_HTTP is 1", (name) => {
    for (const address of [...elsewhere.split(","), "http://127.0.0.1.example.com", "http://[::ffff:127.0.0.1]"]) {
      expect(linesOf({ [name]: address }), address).toEqual([
        expect.stringMatching(new RegExp(`^${name} must begin with https://, .*ALLOW_HTTP=1$`)),
      ]);
      expect(read({ [name]: address, ALLOW_HTTP: "1" }).warnings, address).toEqual([
        expect.stringMatching(new RegExp(`^ALLOW_HTTP=1: ${name} (?!.*example)`)),
      ]);
    }
    for (const address of here.split(",")) expect(read({ [name]: address }).warnings, address).toEqual([]);
  });

  test.each([
    ["QUEUE_URL", "redis://queue:p4ss-w0rd@queue:6379"],
    ["QUEUE_URL", "redis://localhost.example.com"],
    ["STORAGE_URL", "redis://:p4ss-w0rd@10.0.0.5:6379/1"],
    ["STORAGE_URL", "postgres://shopbell:p4ss-w0rd@storage:5432/shopbell"],
    ["STORAGE_URL", "postgresql://storage.example.com/shopbell?sslmode=prefer"],
    ["STORAGE_URL", "postgres://127.0.0.1/shopbell?host=storage.example.com"],
  ])("of a database on another machine is one warning without a secret: %s=%s", (name, address) => {
    const remedy = address.startsWith("redis") ? "begin it with rediss://" : "add sslmode=verify-full to it";
    expect(read({ ...shared, [name]: address }).warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^(?!.*p4ss-w0rd|.*example)${name} names another machine without TLS, [^;]+; ${remedy}, [^;]+$`),
      ),
    ]);
  });

  test.each([
    "redis://LocalHost:6379/1",
    "redis://:password@[::1]:6379",
    "rediss://queue.example.com",
    "postgres://shopbell@storage/shopbell?sslmode=require",
    "postgresql://storage/shopbell?application_name=a&sslmode=verify-full",
    "postgres:///shopbell?host=/var/run/postgresql",
    "postgres://%2Fvar%2Frun%2Fpostgresql/shopbell",
    "sqlite://storage.example.com/shopbell.sqlite",
  ])("is no warning on this machine, nor is one with TLS: %s", (address) => {
    for (const name of address.startsWith("redis") ? databases : ["STORAGE_URL"]) {
      expect(read({ ...shared, [name]: address }).warnings).toEqual([]);
    }
  });
});

const keyOf = (bytes: number) => Buffer.alloc(bytes).toString("base64");
const badValues: Readonly<Record<string, readonly (string | undefined)[]>> = {
  DISCORD_TOKEN: [undefined, "Bot abc", '"a.b.c"'],
  DISCORD_API_URL: [
    "ftp://discord.com",
    "https://user:secret@discord.com/api",
    "https://discord.com",
    "https://discord.com/api/v10/",
  ],
  DISCORD_GUILD_ID: ["12a"],
  STORE_API_URL: [
    undefined,
    "api.example.com",
    "https://api.example.com/open-api/",
    "https://:@api.example.com",
    "https://api.example.com?",
    "https://api.example.com/#there",
    "https:api.example.com",
    "https://api.example.com\\base",
  ],
  ALLOW_HTTP: ["yes"],
  STORE_ORDER_PARAMS: ["pages=p", "page=p&q", "page=status", "page=p,page=q"],
  STORAGE_URL: ["sqlite://", "redis://", "redis://localhost/shop", "data/shopbell.sqlite"],
  SECRET_KEYS: [`${"_".repeat(43)}=`, keyOf(31), keyOf(33), `${"x".repeat(43)}=`, `${keyOf(32)},`],
  POLL_SCHEDULE: ["61 * * * * *"],
  LOG_LEVEL: ["verbose"],
  QUEUE_URL: ["localhost:6379", "redis://", "redis://localhost/0/1", "postgres://localhost/queue"],
  ROLE: ["sender"],
  DISCORD_REQUESTS_PER_SECOND: ["0", "100000"],
  SHARDS: ["4", "3-0/16", "0-16/16", "0-3/10001"],
  HTTP_PORT: ["http", "0", "65536"],
  HTTP_HOST: ["http://localhost"],
};
test.each(Object.entries(badValues).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
  "a bad value is one line that begins with the variable's name: %s=%s",
  (name, value) => {
    expect(linesOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} (?!.*secret).{10,}$`))]);
  },
);

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

  test("do not lead the proxy to itself, but may lead to another server on this machine", () => {
    const readFor = (DISCORD_API_URL: string, more = {}) => readProxyConfig({ ...proxy, DISCORD_API_URL, ...more });
    for (const [address, more] of [
      ["http://127.0.0.1:8080/api", {}],
      ["http://localhost:8080/api", { HTTP_HOST: "0.0.0.0" }],
      ["http://10.0.0.7:8080/api", { HTTP_HOST: "10.0.0.7", ALLOW_HTTP: "1" }],
      ["http://localhost/api", { HTTP_PORT: "80" }],
    ] as const) {
      expect(() => readFor(address, more), address).toThrow("DISCORD_API_URL is this proxy's own address");
    }
    expect(readFor("http://127.0.0.1:8081/api").discordApiUrl).toBe("http://127.0.0.1:8081/api");
  });
});
