import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/config.ts";

const egg: unknown = JSON.parse(readFileSync(new URL("../../docs/hosting/egg-shopbell.json", import.meta.url), "utf8"));

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "is no JSON" });
    return z.NEVER;
  }
});
/** Names that the panel gives to a server itself (panel: app/Models/EggVariable.php). */
const reserved = "SERVER_MEMORY,SERVER_IP,SERVER_PORT,ENV,HOME,USER,STARTUP,SERVER_UUID,UUID".split(",");

/**
 * The shape that the panel's importer reads (panel: app/Services/Eggs/EggParserService.php), with the rules by which it
 * refuses (app/Models/Egg.php and EggVariable.php). Nothing else may be in it, for the importer drops it without a word.
 */
const eggSchema = z.strictObject({
  _comment: z.string(),
  meta: z.strictObject({ version: z.literal("PTDL_v2"), update_url: z.url().nullable() }),
  exported_at: z.iso.datetime({ offset: true }),
  name: z.string().min(1).max(191),
  author: z.email(),
  description: z.string().nullable(),
  features: z.array(z.string()).nullable(),
  docker_images: z.record(z.string(), z.string().regex(/^[\w#./-]*\/?[\w./-]+(:[\w.-]+)?$/)),
  file_denylist: z.array(z.string()),
  startup: z.string().min(1),
  config: z.strictObject({
    files: json.pipe(z.record(z.string(), z.unknown())),
    startup: json.pipe(z.object({ done: z.union([z.string(), z.array(z.string())]) })),
    logs: json.pipe(z.record(z.string(), z.unknown())),
    stop: z.string().max(191),
  }),
  scripts: z.strictObject({
    installation: z.strictObject({ script: z.string(), container: z.string(), entrypoint: z.string() }),
  }),
  variables: z.array(
    z.strictObject({
      name: z.string().min(1).max(191),
      description: z.string(),
      env_variable: z
        .string()
        .regex(/^\w{1,191}$/)
        .refine((name) => !reserved.includes(name)),
      default_value: z.string(),
      user_viewable: z.boolean(),
      user_editable: z.boolean(),
      rules: z.string().min(1),
      field_type: z.literal("text"),
    }),
  ),
});

describe("the egg for panels", () => {
  const { startup, config, variables, scripts } = eggSchema.parse(egg);

  it("asks for what the process needs, and starts it with every name that it asks for", () => {
    const given = { DISCORD_TOKEN: "a.b.c", STORE_API_URL: "https://api.example.com" };
    const required = variables.filter(({ rules, default_value: value }) => /\brequired\b/.test(rules) && value === "");
    expect(required.map(({ env_variable: name }) => name)).toEqual(Object.keys(given));

    const all = Object.fromEntries(variables.map((one) => [one.env_variable, one.default_value]));
    expect(readConfig({ ...all, ...given }, () => true).logLevel).toBe("info");
  });

  it("starts what npm start starts, ends it with SIGINT, and knows when it is up", () => {
    expect(startup.endsWith(`exec ${manifest.scripts.start}`)).toBe(true);
    expect(config.stop).toBe("^C");
    const gateway = readFileSync(new URL("../../src/discord/gateway/gateway.ts", import.meta.url), "utf8");
    const said = [...gateway.matchAll(/"(connect(?:ed|ion) to Discord[a-z ]*)"/g)].map(([, message]) => message);
    expect(said).toEqual(expect.arrayContaining([config.startup.done].flat()));
    expect(config.startup.done).toEqual(["connected to Discord", "connection to Discord resumed"]);
  });

  it("leaves no core file, in which the tokens would be", () => {
    expect(startup).toMatch(/^ulimit -c 0;/);
  });

  it("installs on the Node that the process needs", () => {
    const [, major] = /^node:(\d+)/.exec(scripts.installation.container) ?? [];
    expect(manifest.engines.node).toBe(`>=${major}`);
  });

  it("fails this check where a key is wrong, or a value is no JSON", () => {
    const good = eggSchema.safeParse(egg);
    expect(good.success).toBe(true);

    const { docker_images: images, ...rest } = egg as Record<string, unknown>;
    expect(eggSchema.safeParse({ ...rest, images }).success).toBe(false);
    expect(eggSchema.safeParse({ ...rest, docker_images: images, config: { files: "" } }).success).toBe(false);
  });
});
