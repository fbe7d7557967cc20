import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/config.ts";

const egg: unknown = JSON.parse(readFileSync(new URL("../../docs/hosting/egg-shopbell.json", import.meta.url), "utf8"));

/** The keys that this test reads; the importer parses the texts of `config` again (panel: app/Services/Eggs/EggParserService.php). */
const eggSchema = z.object({
  meta: z.object({ version: z.literal("PTDL_v2") }),
  startup: z.string(),
  config: z.object({ files: z.literal("{}"), startup: z.string(), logs: z.literal("{}"), stop: z.string() }),
  scripts: z.object({ installation: z.object({ container: z.string() }) }),
  variables: z.array(z.object({ env_variable: z.string(), default_value: z.string(), rules: z.string() })),
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
