import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/config.ts";

const egg: unknown = JSON.parse(readFileSync(new URL("../../docs/hosting/egg-shopbell.json", import.meta.url), "utf8"));

/** The importer parses these texts again. */
const json = z.string().refine((text) => JSON.parse(text) !== null);
/** Names that the panel gives to a server itself (panel: app/Models/EggVariable.php). */
const reserved = "SERVER_MEMORY,SERVER_IP,SERVER_PORT,ENV,HOME,USER,STARTUP,SERVER_UUID,UUID".split(",");

/**
 * The keys that the panel's importer reads (panel: app/Services/Eggs/EggParserService.php, app/Models/Egg.php). It drops
 * any other key without a word.
 */
const eggSchema = z.strictObject({
  _comment: z.string(),
  meta: z.strictObject({ version: z.literal("PTDL_v2"), update_url: z.null() }),
  exported_at: z.iso.datetime({ offset: true }),
  name: z.string().min(1),
  author: z.email(),
  description: z.string(),
  features: z.null(),
  docker_images: z.record(z.string(), z.string()),
  file_denylist: z.array(z.string()),
  startup: z.string().min(1),
  config: z.strictObject({ files: json, startup: json, logs: json, stop: z.string() }),
  scripts: z.strictObject({
    installation: z.strictObject({ script: z.string(), container: z.string(), entrypoint: z.string() }),
  }),
  variables: z.array(
    z.strictObject({
      name: z.string().min(1),
      description: z.string(),
      env_variable: z.string().refine((name) => /^\w+$/.test(name) && !reserved.includes(name)),
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

  it("starts what npm start starts, ends it with SIGINT, knows when it is up, and leaves no core file", () => {
    expect(startup).toMatch(/^ulimit -c 0;/);
    expect(startup.endsWith(`exec ${manifest.scripts.start}`)).toBe(true);
    expect(config.stop).toBe("^C");
    const gateway = readFileSync(new URL("../../src/discord/gateway/gateway.ts", import.meta.url), "utf8");
    const { done } = z.object({ done: z.array(z.string()) }).parse(JSON.parse(config.startup));
    expect(done.filter((message) => !gateway.includes(`"${message}"`))).toEqual([]);
    expect(done).toContain("connected to Discord");
  });

  it("installs on the Node that the process needs", () => {
    const [, major] = /^node:(\d+)/.exec(scripts.installation.container) ?? [];
    expect(manifest.engines.node).toBe(`>=${major}`);
  });
});
