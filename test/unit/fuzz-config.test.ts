import fc from "fast-check";
import { expect, it } from "vitest";
import { ConfigError, readConfig } from "../../src/config.ts";
import { isSchedule } from "../../src/polling/schedule.ts";
import { patience, runs, tricks } from "./fuzz-support.ts";

/** Stands in every value, so that a line that repeats one is found. */
const secret = "S3CR3T";
const names = [
  ...["DISCORD_TOKEN", "DISCORD_API_URL", "DISCORD_GUILD_ID", "STORE_API_URL", "STORE_ORDER_PARAMS", "STORAGE_URL"],
  ...[
    "SECRET_KEYS",
    "POLL_SCHEDULE",
    "LOG_LEVEL",
    "QUEUE_URL",
    "ROLE",
    "SHARDS",
    "HTTP_PORT",
    "HTTP_HOST",
    "ALLOW_HTTP",
  ],
  ...["__proto__", "constructor", "PATH", ""],
];
const required = { DISCORD_TOKEN: "a.b.c", STORE_API_URL: "https://api.example.com" };

const word = fc.oneof(tricks, fc.constantFrom(secret, "page", "limit", "email", "status", "*", "*/15", "0-59"));
/** What a value looks like, more or less. */
const value = fc.oneof(
  tricks,
  fc.tuple(tricks, tricks).map(([before, after]) => before + secret + after),
  fc.array(fc.tuple(word, word), { maxLength: 6 }).map((pairs) => pairs.map((pair) => pair.join("=")).join(",")),
  fc.array(word, { minLength: 5, maxLength: 7 }).map((fields) => fields.join(" ")),
  fc
    .tuple(
      fc.constantFrom("https:", "http:", "redis:", "postgres:", "sqlite:", "ftp:", "javascript:"),
      word,
      word,
      word,
    )
    .map(([scheme, user, host, path]) => `${scheme}//${user}:${secret}@${host}/${path}`),
  fc.constantFrom("all", "gateway", "worker", "auto", "redis://localhost"),
  fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12)).map(([first, last, count]) => `${first}-${last}/${count}`),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  fc.webUrl({ withQueryParameters: true }),
);

const environment = fc.array(fc.tuple(fc.constantFrom(...names), fc.option(value, { nil: undefined })), {
  maxLength: 8,
});

function read(entries: readonly (readonly [string, string | undefined])[]) {
  try {
    return readConfig({ ...required, ...Object.fromEntries(entries) }, isSchedule);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { lines, message } = error as ConfigError;
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/^[A-Z_]+ [\x20-\x7e]+$/);
      expect(line).not.toContain(secret);
      for (const [name, given] of entries) {
        // Words that are in a sentence of ours by themselves are none of theirs.
        if (name !== "" && given !== undefined && given.trim().length > 20) expect(message).not.toContain(given.trim());
      }
    }
    return undefined;
  }
}

it(
  "whatever the variables hold, they are settings, or lines that name each bad one and repeat no value",
  patience,
  () => {
    fc.assert(
      fc.property(environment, (entries) => {
        const config = read(entries);
        if (config === undefined) return;
        for (const url of [config.storeApiUrl, config.discordApiUrl])
          expect(URL.parse(url)?.protocol).toMatch(/^https?:$/);
        const params = Object.values(config.orderParams);
        expect(new Set(params).size).toBe(4);
        for (const param of params) expect(param).toMatch(/^[\w.[\]-]+$/);
        expect(config.discordToken).toMatch(/^\S+$/);
        expect(config.queueUrl ?? "redis://none").toMatch(/^rediss?:\/\/./);
        expect(["all", "gateway", "worker"]).toContain(config.role);
        if (config.role === "worker") expect(config.queueUrl).toBeDefined();
        if (config.role === "worker") expect(config.storageUrl).not.toMatch(/^sqlite:/);
        const { first, last, count } = config.shards ?? { first: 0, last: 0, count: 1 };
        expect(first <= last && last < count && count <= 10_000).toBe(true);
      }),
      runs,
    );
  },
);

it("names of the order list's parameters are four different ones, or refused", patience, () => {
  const purpose = fc.constantFrom("page", "limit", "email", "status", " page", "PAGE", "", "__proto__", "constructor");
  const pair = fc.tuple(purpose, fc.oneof(tricks, fc.constantFrom("p", "page", "filter[status]", "a.b", "a-b")));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 6 }), (pairs) => {
      const config = read([["STORE_ORDER_PARAMS", pairs.map((one) => one.join("=")).join(",")]]);
      if (config === undefined) return;
      expect(Object.keys(config.orderParams).sort()).toEqual(["email", "limit", "page", "status"]);
      expect(new Set(Object.values(config.orderParams)).size).toBe(4);
    }),
    runs,
  );
});
