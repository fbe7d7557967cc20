import { z } from "zod";
import type { OrderParams } from "./basics/order-params.ts";

/** The settings of one process, as `contract` names them in upper case. */
export interface Config {
  readonly discordToken: string;
  /** Base of Discord's REST API without a version, no trailing slash. */
  readonly discordApiUrl: string;
  readonly discordGuildId: string | undefined;
  /** `{base_url}` of the Store Open API, no trailing slash. */
  readonly storeApiUrl: string;
  readonly orderParams: OrderParams;
  readonly storageUrl: string;
  /** As given; `undefined` when the key file is to be used. */
  readonly secretKeys: string | undefined;
  readonly pollSchedule: string;
  /** Where health and metrics are served; undefined: nowhere. */
  readonly http: { readonly host: string; readonly port: number } | undefined;
  /** What systemd asks for, where it started the process. */
  readonly serviceManager: { readonly socket: string; readonly watchdogMs: number | undefined } | undefined;
  readonly logLevel: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";
  /** What is allowed and better known: lines for the log. */
  readonly warnings: readonly string[];
}

/** One line per bad variable. */
export class ConfigError extends Error {
  readonly code = "config";
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ConfigError";
    this.lines = lines;
  }
}

const missing = (example: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `is missing; give it ${example}` : undefined),
});

/**
 * Hosts that no packet leaves the machine for (RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). Names below `localhost` are
 * none: Node asks DNS for them.
 */
const isLoopback = ({ hostname }: URL) =>
  /^localhost\.?$/.test(hostname) || /^127(\.\d+){3}$/.test(hostname) || hostname === "[::1]";

const isReadable = (address: string) => address.startsWith("http:") && !isLoopback(new URL(address));

/** Base of an API that is asked with a token: paths are put at its end, and nobody on the way may read along. */
const apiUrl = (example: string, allowsHttp: boolean) =>
  z
    .string(missing(example))
    .refine((value) => /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value), {
      error: `is not a usable address; a good value looks like ${example}`,
      abort: true,
    })
    .refine((value) => new URL(value).username === "" && !/^[^/]+\/+[^/?#]*@/.test(value), {
      error: "must not have a user name or a password in it; leave out what stands before the @",
    })
    .refine((value) => !/[?#]/.test(value), {
      error: "must not have a query or a fragment; leave out what begins with ? or #",
    })
    .transform((value) => value.replace(/^[^/]+/, (scheme) => scheme.toLowerCase()).replace(/\/+$/, ""))
    .refine((value) => allowsHttp || !isReadable(value), {
      error:
        "must begin with https://, since tokens travel with every request; where the network in between is trusted, set ALLOW_HTTP=1",
    });

/** `a=b,c=d` with each of the four purposes once, in any order; purposes left out keep their default name. */
const orderParams = z.string().transform((value, context): OrderParams => {
  const names = { page: "page", limit: "limit", email: "email", status: "status" };
  for (const pair of value.split(",")) {
    const [purpose = "", name = ""] = pair.split("=").map((part) => part.trim());
    if (!Object.hasOwn(names, purpose) || !/^[\w.[\]-]+$/.test(name)) {
      context.addIssue({
        code: "custom",
        message: "is malformed; a good value looks like page=page,limit=limit,email=email,status=status",
      });
      return z.NEVER;
    }
    names[purpose as keyof typeof names] = name;
  }
  if (new Set(Object.values(names)).size < 4) {
    context.addIssue({ code: "custom", message: "gives two purposes the same parameter name; each needs its own" });
  }
  return names;
});

const secretKeys = z
  .string()
  .refine(
    (value) =>
      value
        .split(",")
        .every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key.trim()) && Buffer.from(key.trim(), "base64").length === 32),
    {
      error:
        "is malformed; it takes base64 keys of 32 bytes, separated by commas, as `openssl rand -base64 32` makes them",
    },
  );

const storageUrl = z
  .string()
  .refine(
    (value) => /^sqlite:\/\/.+/.test(value) || (/^(rediss?|postgres(ql)?):\/\/./.test(value) && URL.canParse(value)),
    {
      error:
        "is not a usable address; a good value looks like sqlite://data/shopbell.sqlite, redis://host:6379 or postgres://user@host/database",
    },
  );

const httpPort = z
  .string()
  .regex(/^\d{1,5}$/, { error: "is no port; a good value looks like 9464" })
  .transform(Number)
  .refine((port) => port >= 1 && port <= 65_535, { error: "is no port; it is a number from 1 to 65535" });

/** systemd names the process whose silence it minds: a child that inherits the environment is none of its business. */
function serviceManagerOf(env: {
  readonly NOTIFY_SOCKET?: string | undefined;
  readonly WATCHDOG_USEC?: number | undefined;
  readonly WATCHDOG_PID?: string | undefined;
}): Config["serviceManager"] {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: pid = String(process.pid) } = env;
  if (socket === undefined) return undefined;
  return { socket, watchdogMs: usec !== undefined && pid === String(process.pid) ? usec / 1_000 : undefined };
}

const unserved = (only: string | undefined) =>
  z.string().refine((value) => value === only, {
    error: only
      ? `is not served by this version; leave it out or set it to ${only}`
      : "is not served by this version; leave it out",
  });

/** @param allowsHttp whether tokens may travel unencrypted to other machines */
function schemaFor(isSchedule: (expression: string) => boolean, allowsHttp: boolean) {
  return z.object({
    DISCORD_TOKEN: z.string(missing("the bot token from the Discord developer portal, under Bot")).regex(/^[!-~]+$/, {
      error: "is malformed; it is one word, copied from the Discord developer portal, under Bot",
    }),
    DISCORD_API_URL: apiUrl("https://discord.com/api", allowsHttp).default("https://discord.com/api"),
    DISCORD_GUILD_ID: z
      .string()
      .regex(/^\d{1,20}$/, { error: "is not a server id; it is a long number (Copy Server ID in Discord)" })
      .optional(),
    STORE_API_URL: apiUrl("the address of the store's API, such as https://api.example.com", allowsHttp).refine(
      (value) => !value.endsWith("/open-api"),
      { error: "must not end in /open-api; a good value looks like https://api.example.com" },
    ),
    ALLOW_HTTP: z
      .literal("1", {
        error:
          "is malformed; it is 1, which lets STORE_API_URL and DISCORD_API_URL begin with http://, or it is left out",
      })
      .optional(),
    STORE_ORDER_PARAMS: orderParams.prefault("page=page"),
    STORAGE_URL: storageUrl.default("sqlite://data/shopbell.sqlite"),
    SECRET_KEYS: secretKeys.optional(),
    POLL_SCHEDULE: z
      .string()
      .refine(isSchedule, {
        error: "is no cron expression; a good value looks like */15 * * * * * (seconds first, UTC)",
      })
      .default("*/15 * * * * *"),
    LOG_LEVEL: z
      .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
        error: "is no log level; it is one of fatal, error, warn, info, debug, trace, silent",
      })
      .default("info"),
    QUEUE_URL: unserved(undefined).optional(),
    ROLE: unserved("all").optional(),
    SHARDS: unserved("auto").optional(),
    HTTP_PORT: httpPort.optional(),
    HTTP_HOST: z
      .string()
      .regex(/^[\w.:-]+$/, { error: "is no address of this machine; a good value looks like 127.0.0.1" })
      .default("127.0.0.1"),
    // systemd's own three: it sets them rightly, or they are not meant for this process.
    NOTIFY_SOCKET: z.string().optional(),
    WATCHDOG_USEC: z.coerce.number().positive().optional().catch(undefined),
    WATCHDOG_PID: z.string().optional(),
  });
}

const readableWarning = (names: readonly string[]) =>
  `ALLOW_HTTP=1: ${names.join(" and ")} without https, so tokens and what they open travel readable by everybody on the way`;

/**
 * Environment -> settings. An empty variable counts as not set.
 *
 * @param isSchedule tells whether a text is a cron expression that the scheduler takes
 * @throws ConfigError with one line per bad variable; the values themselves are not repeated, since some are secret
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  isSchedule: (expression: string) => boolean,
): Config {
  const set = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])),
  );
  const parsed = schemaFor(isSchedule, set.ALLOW_HTTP === "1").safeParse(set);
  if (!parsed.success) {
    const lines = new Map<string, string>();
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0]);
      if (!lines.has(name)) lines.set(name, `${name} ${issue.message}`);
    }
    throw new ConfigError([...lines.values()]);
  }
  const env = parsed.data;
  const readable = (["STORE_API_URL", "DISCORD_API_URL"] as const).filter((name) => isReadable(env[name]));
  return {
    discordToken: env.DISCORD_TOKEN,
    discordApiUrl: env.DISCORD_API_URL,
    discordGuildId: env.DISCORD_GUILD_ID,
    storeApiUrl: env.STORE_API_URL,
    orderParams: env.STORE_ORDER_PARAMS,
    storageUrl: env.STORAGE_URL,
    secretKeys: env.SECRET_KEYS,
    pollSchedule: env.POLL_SCHEDULE,
    http: env.HTTP_PORT === undefined ? undefined : { host: env.HTTP_HOST, port: env.HTTP_PORT },
    serviceManager: serviceManagerOf(env),
    logLevel: env.LOG_LEVEL,
    warnings: readable.length > 0 ? [readableWarning(readable)] : [],
  };
}
