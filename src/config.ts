import { z } from "zod";
import { isSchedule } from "./basics/cron.ts";
import type { OrderParams } from "./basics/order-params.ts";
import { isSecretKey } from "./basics/secret-key.ts";

/** The settings of one process, from its environment variables. Addresses of APIs have no trailing slash. */
export type Config = ReturnType<typeof readConfig>;

/** `message` has one line for each bad variable. */
export class ConfigError extends Error {
  readonly code = "config";
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ConfigError";
    this.lines = lines;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const missing = (example: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `is missing; give it ${example}` : undefined),
});

/**
 * Whether requests to this host stay on the machine (RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). A name that ends in
 * `.localhost` does not count, because Node asks DNS for it.
 */
const isLoopback = (hostname: string) =>
  /^localhost\.?$/i.test(hostname) || /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]";

const isReadable = (address: string) => address.startsWith("http:") && !isLoopback(new URL(address).hostname);

/** The base address of an API. Each request contains a token, so HTTP is accepted only for a host on this machine. */
const apiUrl = (example: string, allowsHttp: boolean) =>
  z
    .string(missing(example))
    .refine((value) => /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value), {
      error: `is not a usable address; a good value looks like ${example}`,
      abort: true,
    })
    .refine(
      (value) => !/^[^/]+\/+[^/?#]*@/.test(value),
      "must not have a user name or a password in it; leave out what stands before the @",
    )
    .refine((value) => !/[?#]/.test(value), "must not have a query or a fragment; leave out what begins with ? or #")
    .transform((value) => value.replace(/^[^/]+/, (scheme) => scheme.toLowerCase()).replace(/\/+$/, ""))
    .refine(
      (value) => allowsHttp || !isReadable(value),
      "must begin with https://, since tokens travel with every request; where the network in between is trusted, set ALLOW_HTTP=1",
    );

const discordApiUrl = (allowsHttp: boolean) =>
  apiUrl("https://discord.com/api", allowsHttp)
    .refine(
      (value) => !/\/v\d+$/.test(value),
      "must not end in a version; a good value looks like https://discord.com/api",
    )
    .refine(
      (value) => !/^https:\/\/([a-z]+\.)?discord(app)?\.com$/i.test(value),
      "must end in /api; a good value looks like https://discord.com/api",
    )
    .default("https://discord.com/api");

/** `page=p,limit=l,…`: the names of the API's parameters. A parameter that is left out keeps its default name. */
const orderParams = z.string().transform((value, context): OrderParams => {
  const names = { page: "page", limit: "limit", email: "email", status: "status" };
  const open = new Set(Object.keys(names));
  for (const pair of value.split(",")) {
    const [purpose = "", name = ""] = pair.split("=").map((part) => part.trim());
    if (!open.delete(purpose) || !/^[\w.[\]-]+$/.test(name)) {
      context.addIssue("is malformed; a good value looks like page=page,limit=limit,email=email,status=status");
      return z.NEVER;
    }
    names[purpose as keyof typeof names] = name;
  }
  if (new Set(Object.values(names)).size < 4) {
    context.addIssue("gives two purposes the same parameter name; each needs its own");
  }
  return names;
});

const secretKeys = z
  .string()
  .refine(
    (value) => value.split(",").every((key) => isSecretKey(key.trim())),
    "is malformed; it takes base64 keys of 32 bytes, separated by commas, as `openssl rand -base64 32` makes them",
  );

/** A path in the address must be the number of a database. */
const isRedisUrl = (value: string) =>
  /^rediss?:\/\/./.test(value) && /^(\/\d*)?$/.test(URL.parse(value)?.pathname ?? "none");

const storageUrl = z
  .string()
  .refine(
    (value) =>
      /^sqlite:\/\/.+/.test(value) || isRedisUrl(value) || (/^postgres(ql)?:\/\/./.test(value) && URL.canParse(value)),
    "is not a usable address; a good value looks like sqlite://data/shopbell.sqlite, redis://host:6379 or postgres://user@host/database",
  );

/** Whether traffic leaves the machine without TLS. A PostgreSQL address may have its host in the query parameter `host`. */
function isOpen(address: string): boolean {
  if (!/^(redis|postgres(ql)?):/.test(address)) return false;
  const { hostname, searchParams } = new URL(address);
  const host = searchParams.get("host") ?? hostname;
  const isHere = host === "" || /^(\/|%2f)/i.test(host) || isLoopback(host);
  return !isHere && !/^(require|verify-(ca|full))$/.test(searchParams.get("sslmode") ?? "");
}

function openWarning(name: string, address = "") {
  if (!isOpen(address)) return [];
  const remedy = address.startsWith("redis:") ? "begin it with rediss://" : "add sslmode=verify-full to it";
  return [
    `${name} names another machine without TLS, so everybody on the way can read and change what is said there, and read its password; ${remedy}, unless nobody else is on the way, as between containers in a network of their own`,
  ];
}

const unsharedKeys =
  "QUEUE_URL without SECRET_KEYS, so a process in another directory makes a key of its own, which opens no API token of the others; set the same SECRET_KEYS for all processes";

const withoutSeconds =
  "POLL_SCHEDULE has five fields, so the first one is the minute, and stores are polled once a minute at most; put the seconds in front, as in */15 * * * * *";

const httpPort = z
  .string()
  .regex(/^\d{1,5}$/, "is no port; a good value looks like 9464")
  .transform(Number)
  .refine((port) => port >= 1 && port <= 65_535, "is no port; it is a number from 1 to 65535");

/** Each shard serves up to 2,500 servers, so only a bot in more than 25 million servers needs more. */
const mostShards = 10_000;
const shardsExample = "a good value looks like auto, or 0-3/16: the first four of 16 shards";

/**
 * `0-3/16`: the first shard, the last shard and the number of all shards. Undefined for `auto`: the process runs all shards, as
 * many as Discord recommends.
 */
const shards = z.string().transform((value, context) => {
  if (value === "auto") return undefined;
  const [first, last, count] = (/^(\d{1,5})-(\d{1,5})\/(\d{1,5})$/.exec(value) ?? []).slice(1).map(Number);
  if (first === undefined || last === undefined || count === undefined) {
    context.addIssue(`is malformed; ${shardsExample}`);
    return z.NEVER;
  }
  if (first > last || last >= count || count > mostShards) {
    context.addIssue(`names shards that there are not (they count from 0); ${shardsExample}`);
    return z.NEVER;
  }
  return { first, last, count };
});

/** Whether a value is valid can depend on other variables. So `set` has all variables that are not empty. */
function schemaFor(set: Environment) {
  const allowsHttp = set.ALLOW_HTTP === "1";
  const isShared = !(set.STORAGE_URL ?? "sqlite:").startsWith("sqlite:");
  return z.object({
    DISCORD_TOKEN: z
      .string(missing("the bot token from the Discord developer portal, under Bot"))
      .regex(
        /^[\w.-]+$/,
        "is malformed; it is one word without quotes, copied from the Discord developer portal, under Bot",
      ),
    DISCORD_API_URL: discordApiUrl(allowsHttp),
    DISCORD_GUILD_ID: z
      .string()
      .regex(/^\d{1,20}$/, "is not a server id; it is a long number (Copy Server ID in Discord)")
      .optional(),
    STORE_API_URL: apiUrl("the address of the store's API, such as https://api.example.com", allowsHttp).refine(
      (value) => !value.endsWith("/open-api"),
      "must not end in /open-api; a good value looks like https://api.example.com",
    ),
    ALLOW_HTTP: z
      .literal(
        "1",
        "is malformed; it is 1, which lets STORE_API_URL and DISCORD_API_URL begin with http://, or it is left out",
      )
      .optional(),
    STORE_ORDER_PARAMS: orderParams.prefault("page=page"),
    STORAGE_URL: storageUrl.default("sqlite://data/shopbell.sqlite"),
    SECRET_KEYS: secretKeys.optional(),
    POLL_SCHEDULE: z
      .string()
      .refine(isSchedule, "is no cron expression; a good value looks like */15 * * * * * (seconds first, UTC)")
      .default("*/15 * * * * *"),
    LOG_LEVEL: z
      .enum(
        ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
        "is no log level; it is one of fatal, error, warn, info, debug, trace, silent",
      )
      .default("info"),
    QUEUE_URL: z
      .string()
      .refine(isRedisUrl, "is not a usable address; a good value looks like redis://host:6379")
      .optional(),
    ROLE: z
      .enum(["all", "gateway", "worker"], "is no role; it is one of all, gateway, worker")
      .default("all")
      .refine(
        (role) => role !== "worker" || set.QUEUE_URL !== undefined,
        "is worker, which takes its work from a queue; set QUEUE_URL too, such as redis://host:6379",
      )
      .refine(
        (role) => role !== "worker" || isShared,
        "is worker, which shares what is kept with other processes, and a SQLite file is one process's; set STORAGE_URL too, such as postgres://user@host/database",
      ),
    // Discord allows most bots 50 requests a second, and some large bots more:
    // https://discord.com/developers/docs/topics/rate-limits
    DISCORD_REQUESTS_PER_SECOND: z
      .string()
      .regex(
        /^[1-9]\d{0,4}$/,
        "is no limit; it is how many requests a second Discord allows this bot, a whole number, 50 for most",
      )
      .transform(Number)
      .prefault("50"),
    SHARDS: shards.prefault("auto"),
    HTTP_PORT: httpPort.optional(),
    HTTP_HOST: z
      .string()
      .regex(/^[\w.:-]+$/, "is no address of this machine; a good value looks like 127.0.0.1")
      .default("127.0.0.1"),
    // systemd sets these three variables, so the operator gets no error about them.
    NOTIFY_SOCKET: z.string().optional(),
    WATCHDOG_USEC: z.coerce.number().positive().optional().catch(undefined),
    WATCHDOG_PID: z.string().default(String(process.pid)),
  });
}

/** An empty value counts as not set. */
function parse<T>(environment: Environment, schemaOf: (set: Environment) => z.ZodType<T>): T {
  const trimmed = Object.entries(environment).map(([name, value]) => [name, value?.trim()]);
  const set = Object.fromEntries(trimmed.filter(([, value]) => value));
  const { data, error } = schemaOf(set).safeParse(set);
  if (error === undefined) return data;
  const lines = new Map<string, string>();
  for (const issue of error.issues) {
    const name = String(issue.path[0]);
    if (!lines.has(name)) lines.set(name, `${name} ${issue.message}`);
  }
  throw new ConfigError([...lines.values()]);
}

function readableWarning(addresses: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(addresses).filter((name) => isReadable(addresses[name] ?? ""));
  if (names.length === 0) return [];
  return [
    `ALLOW_HTTP=1: ${names.join(" and ")} without https, so tokens and what they open travel readable by everybody on the way; use https:// if the network in between is not all yours`,
  ];
}

/** @throws ConfigError with one line for each bad variable. The lines do not repeat the values, because some are secret */
export function readConfig(environment: Environment) {
  const env = parse(environment, schemaFor);
  const { STORE_API_URL, DISCORD_API_URL, NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec } = env;
  // Child processes inherit these variables. Only the process whose id is WATCHDOG_PID has to send signs of life to systemd.
  const isWatched = usec !== undefined && env.WATCHDOG_PID === String(process.pid);
  return {
    discordToken: env.DISCORD_TOKEN,
    /** Base of Discord's REST API without a version. */
    discordApiUrl: DISCORD_API_URL,
    discordGuildId: env.DISCORD_GUILD_ID,
    /** The address that the Store Open API's document calls `{base_url}`. */
    storeApiUrl: STORE_API_URL,
    orderParams: env.STORE_ORDER_PARAMS,
    storageUrl: env.STORAGE_URL,
    /** The variable's text. If undefined, the key file is used. */
    secretKeys: env.SECRET_KEYS,
    pollSchedule: env.POLL_SCHEDULE,
    /** Address of the queue (a Redis). Undefined: there is no queue. */
    queueUrl: env.QUEUE_URL,
    role: env.ROLE,
    discordRequestsPerSecond: env.DISCORD_REQUESTS_PER_SECOND,
    shards: env.SHARDS,
    http: env.HTTP_PORT === undefined ? undefined : { host: env.HTTP_HOST, port: env.HTTP_PORT },
    systemd: socket === undefined ? undefined : { socket, watchdogMs: isWatched ? usec / 1_000 : undefined },
    logLevel: env.LOG_LEVEL,
    /** A line for each setting that works but could be better. After its semicolon, a line says what to do. */
    warnings: [
      ...readableWarning({ STORE_API_URL, DISCORD_API_URL }),
      ...(/^\S+(\s+\S+){4}$/.test(env.POLL_SCHEDULE) ? [withoutSeconds] : []),
      ...(env.QUEUE_URL !== undefined && env.SECRET_KEYS === undefined ? [unsharedKeys] : []),
      ...openWarning("STORAGE_URL", env.STORAGE_URL),
      ...openWarning("QUEUE_URL", env.QUEUE_URL),
    ],
  };
}

/** Settings of the programs that copy and move the data. Throws {@link ConfigError}, as {@link readConfig} does. */
export function readKeptConfig(environment: Environment) {
  const env = parse(environment, (set) => schemaFor(set).pick({ STORAGE_URL: true, SECRET_KEYS: true }));
  return { storageUrl: env.STORAGE_URL, secretKeys: env.SECRET_KEYS };
}

/** If DISCORD_API_URL were the proxy's own address, the proxy would send requests to itself. */
function isOwnAddress(address: string, { HTTP_HOST, HTTP_PORT }: { HTTP_HOST: string; HTTP_PORT: number }): boolean {
  const { protocol, hostname, port } = new URL(address);
  const isOwnHost = isLoopback(hostname) || hostname === HTTP_HOST;
  return protocol === "http:" && Number(port || 80) === HTTP_PORT && isOwnHost;
}

/** Settings of `npm run proxy`. Throws {@link ConfigError}, as {@link readConfig} does. */
export function readProxyConfig(environment: Environment) {
  const env = parse(environment, (set) =>
    schemaFor(set)
      .pick({
        DISCORD_TOKEN: true,
        DISCORD_API_URL: true,
        DISCORD_REQUESTS_PER_SECOND: true,
        ALLOW_HTTP: true,
        HTTP_HOST: true,
        LOG_LEVEL: true,
      })
      .extend({
        HTTP_PORT: z.string(missing("the port on which the bot's processes reach it, such as 8080")).pipe(httpPort),
      })
      .refine((read) => !isOwnAddress(read.DISCORD_API_URL, read), {
        path: ["DISCORD_API_URL"],
        error: "is this proxy's own address; here it is Discord's: give it https://discord.com/api",
      }),
  );
  return {
    discordToken: env.DISCORD_TOKEN,
    discordApiUrl: env.DISCORD_API_URL,
    discordRequestsPerSecond: env.DISCORD_REQUESTS_PER_SECOND,
    http: { host: env.HTTP_HOST, port: env.HTTP_PORT },
    logLevel: env.LOG_LEVEL,
    warnings: readableWarning({ DISCORD_API_URL: env.DISCORD_API_URL }),
  };
}
